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
    "👩‍👩‍👧‍👦", "🇩🇪", "é", "x", "word ", " ", TOKEN,
)  # fmt: skip

foreign_text = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=24).map("".join)

patiently = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no failure."""
