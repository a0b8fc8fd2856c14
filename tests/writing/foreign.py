"""Text as strangers write it: pieces that broke real systems, in any order."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

TOKEN = "ghs_" + "Ab3.-_" * 40

PIECES = (
    "`", "```", "````", "`````", "~~~", "~~~~~", "```python", "</details>", "<details>", "<summary>", "<b>", "</sub>",
    "<!-- selfcode:progress r-1 -->", "<!--selfcode:log r-1 -->", "<!--", "-->", "<script>alert(1)</script>",
    "@octocat", "@org/team", "#12", "fixes #3", "Closes: owner/repo#4", "GH-5", "https://github.com/a/b/issues/6",
    "www.example.com", "someone@example.com", "&#64;octocat", "&lt;b&gt;", "[text](http://x.test)", "![i](//x.test/i)",
    "<https://x.test>", "|", "\\", "\\|", "\\`", "*", "**", "_", "$", "~~", "# ", "- ", "+ ", "1. ", "> ", "---", "===",
    "    ", "\t", "\n", "\n\n", "\r", "\r\n", "\x1b[31m", "\x00", "\u202e", "\u2066", "\u200b", "\ufeff", "\ud800",
    "$x_0$", "$$", "$`x`$", "[^1]", "[^1]: note", "- [ ] ", "[!NOTE]", "> [!WARNING]\n> x", ":smile:", ":+1:",
    "```mermaid\n", "```suggestion\n", "octo/calc@1f0c", "mailto:ada@example.com", "<img src=x>", "![](//x.test/p.gif)",
    "&nbsp;", "\u2028", "\u061c", "\U000e0041", "\ufe0f\ufe0f", "a\u200db", "## ", "* ", "**@ada**", "**", "\x9b31m",
    "👩‍👩‍👧‍👦", "🇩🇪", "é", "x", "word ", " ", TOKEN,
)  # fmt: skip

foreign_text = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=24).map("".join)

patiently = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no failure."""
