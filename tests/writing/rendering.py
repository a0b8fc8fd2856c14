"""What GitHub would make of a document: what is live in it, what is left open, what of it is HTML."""

import html
import re
from collections.abc import Iterator
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

_GFM = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_LIVE = re.compile(
    r"(?<![\w`])@[A-Za-z0-9][\w/-]*|(?<!\w)[\w./-]*#\d+|(?<!\w)GH-\d+|(?:https?|ftp)://\S+|(?<!\w)www\.\w\S*|\w@\w+\.\w+"
    r"|\$[^\s\u200b]|(?<!:):(?:[a-z0-9_+-]*[a-z][a-z0-9_+-]*|100|[+-]1):(?!:)|^\[![A-Z]+\]",
    re.IGNORECASE | re.MULTILINE,
)
_OURS = re.compile(
    r"<details>|</details>|<summary>[^<>]*</summary>|<sub>.*</sub>|</?sub>|<!-- selfcode:[a-z-]+ [!-;=?-~]+ -->"
)


def tokens(document: str) -> Iterator[Token]:
    for token in _GFM.parse(document):
        yield token
        yield from token.children or ()


def live(document: str) -> list[str]:
    """Every mention, reference, link, formula, emoji and alert that GitHub would make of the text: outside of code."""
    found = [match[0] for text in _texts(document) for match in _LIVE.finditer(text)]
    return found + [str(token.attrs.get("href")) for token in tokens(document) if token.type in ("link_open", "image")]


def _texts(document: str) -> Iterator[str]:
    for token in _GFM.parse(document):
        if token.type == "inline":
            yield "".join(child.content if child.type == "text" else "\n" for child in token.children or ())
        if token.type == "html_block":
            yield html.unescape(re.sub(r"<!--.*?-->|<[^>]*>", " ", token.content, flags=re.DOTALL))


def foreign_html(document: str) -> list[str]:
    """HTML in the document that is not ours."""
    raw = (token.content for token in tokens(document) if token.type in ("html_block", "html_inline"))
    return [rest for rest in (_OURS.sub("", text).strip() for text in raw) if rest]


def is_closed(document: str) -> bool:
    """Whether what follows the document would be plain text again: no code block, table or `<details>` left open."""
    *_, opening, text, closing = _GFM.parse(document + "\n\nthe end")
    plain = (opening.type, text.content, closing.type) == ("paragraph_open", "the end", "paragraph_close")
    blocks = "".join(token.content for token in _GFM.parse(document) if token.type == "html_block")
    return plain and opening.level == 0 and blocks.count("<details>") == blocks.count("</details>")


def code_blocks(document: str) -> list[str]:
    return [token.content for token in _GFM.parse(document) if token.type == "fence"]


def languages(document: str) -> list[str]:
    """What stands behind each fence: GitHub draws `mermaid`, and offers to apply a `suggestion`."""
    return [token.info for token in _GFM.parse(document) if token.type == "fence"]


def table_rows(document: str) -> list[list[str]]:
    """The cells of every row of every table, as Markdown."""
    rows: list[list[str]] = []
    parsed = _GFM.parse(document)
    for token, after in pairwise(parsed):
        if token.type == "tr_open":
            rows.append([])
        if token.type in ("td_open", "th_open"):
            rows[-1].append(after.content.replace("\u00a0", " "))
    return rows


def visible(document: str) -> str:
    """The words that people see, code included."""
    shown = (token.content for token in tokens(document) if token.type in ("text", "code_inline", "fence"))
    return " ".join(" ".join(shown).split())
