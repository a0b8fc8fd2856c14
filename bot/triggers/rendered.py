"""A comment's text as people see it, by a Markdown parser: what is said, not what is quoted or shown as code. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of text outside of code, quotes, links, HTML elements and HTML comments.

    `opens_line` says that nothing stands before it on its line; `is_prose` that it is in a paragraph of its own, not in
    a list, a heading or a table.
    """

    text: str
    opens_line: bool
    is_prose: bool


_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)[^>]*(?<!/)>")
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
    """The pieces of a comment that its author says, in order. An escaped character ends a piece."""
    html = quotes = 0
    is_prose = False
    for token in _markdown().parse(source):
        quotes += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
        if token.type == "html_block":
            html = _depth(html, token.content)
        elif token.type == "inline":
            opens_line, links = True, 0
            for child in token.children or ():
                links += {"link_open": 1, "link_close": -1}.get(child.type, 0)
                html = _depth(html, child.content) if child.type == "html_inline" else html
                if child.type == "text" and not (html or quotes or links):
                    yield Said(child.content, opens_line, is_prose)
                opens_line = child.type in ("softbreak", "hardbreak")
        is_prose = token.type == "paragraph_open" and token.level == 0


def _markdown() -> MarkdownIt:
    """Without joining texts: an escaped slash stays a token of its own, and so is no command."""
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("text_join")


def _depth(depth: int, html: str) -> int:
    """How many HTML elements (`<blockquote>`, `<code>`…) are open after this, when `depth` were before it."""
    for closing, name in _TAG.findall(_COMMENT.sub("", html)):
        if _ELEMENT.fullmatch(name):
            depth = max(0, depth - 1) if closing else depth + 1
    return depth
