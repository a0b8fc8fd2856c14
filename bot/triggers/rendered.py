"""A comment's text as people see it, by a Markdown parser: what is said, not what is quoted or shown as code. Pure.

Anybody may write a comment, and GitHub waits ten seconds: what is read of one is bounded, and each step is linear.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from markdown_it import MarkdownIt
from markdown_it.token import Token

READ_CHARS = 16_000
"""How much of a comment is read. The parser takes the square of some texts' length."""


class Place(StrEnum):
    """Where a text stands: in a paragraph of its own; in a list, heading, table or plain HTML; in a quote."""

    PROSE = "prose"
    ELSEWHERE = "elsewhere"
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of text outside of code, links, HTML elements and HTML comments.

    `opens_line` says that nothing stands before it on its line.
    """

    text: str
    opens_line: bool
    place: Place


_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"""<(/?)([A-Za-z][A-Za-z0-9-]*)(?:[^<>"']|"[^"<]*"|'[^'<]*')*(?<!/)>""")
_ELEMENT = re.compile(
    "a|abbr|b|bdo|blockquote|caption|cite|code|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|h[1-6]|i|ins|kbd|mark|"
    "math|ol|picture|pre|q|rp|rt|ruby|s|samp|script|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|"
    "textarea|tfoot|thead|time|title|tt|ul|var",
    re.IGNORECASE,
)
"""What is closed somewhere, of what GitHub shows or hides. It drops other tags, as in `List<String>`, and no text.

Source: https://github.com/github/markup#github-markup
"""


def said_in(source: str) -> Iterator[Said]:
    """The pieces of a comment's beginning that its author says or quotes, in order. An escaped sign ends a piece."""
    html = quotes = 0
    is_prose = False
    for token in _markdown().parse(source[:READ_CHARS]):
        quotes += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
        place = Place.QUOTE if quotes else Place.PROSE if is_prose else Place.ELSEWHERE
        if token.type == "html_block":
            before, html = html, _depth(html, token.content)
            if not (before or html):
                yield from _lines_of_html(token.content, place)
        elif token.type == "inline" and not html:
            yield from _inline(token.children or (), place)
        is_prose = token.type == "paragraph_open" and token.level == 0


def is_read_whole(source: str) -> bool:
    """Whether no part of the comment is left unread for its length."""
    return len(source) <= READ_CHARS


def _inline(children: Sequence[Token], place: Place) -> Iterator[Said]:
    """The pieces of one paragraph, heading or cell. What is opened in it ends with it."""
    html = links = 0
    opens_line = True
    for child in children:
        links += {"link_open": 1, "link_close": -1}.get(child.type, 0)
        html = _depth(html, child.content) if child.type == "html_inline" else html
        if child.type == "text" and not (html or links):
            yield Said(child.content, opens_line, place)
        opens_line = child.type in ("softbreak", "hardbreak")


def _lines_of_html(html: str, place: Place) -> Iterator[Said]:
    """What stands between the tags: to people it is text like any other, to Markdown it is none."""
    for line in _COMMENT.sub("", html).splitlines():
        if not line.lstrip().startswith("<"):
            yield Said(line, opens_line=True, place=Place.ELSEWHERE if place is Place.PROSE else place)


def _markdown() -> MarkdownIt:
    """Without joining texts: an escaped slash stays a token of its own, and so is no command."""
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("text_join")


def _depth(depth: int, html: str) -> int:
    """How many HTML elements (`<blockquote>`, `<code>`…) are open after this, when `depth` were before it."""
    for closing, name in _TAG.findall(_COMMENT.sub("", html)):
        if _ELEMENT.fullmatch(name):
            depth = max(0, depth - 1) if closing else depth + 1
    return depth
