"""Markdown of ours as HTML, for pages: what `safe` made harmless in Markdown is so in HTML as well."""

import html
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

_OURS = re.compile(r"<details>\n<summary>[^<>]*</summary>|</details>|</?sub>")
"""The HTML that `document` writes; `safe` lets none of others through."""


def html_of(markdown: str) -> str:
    """A document as HTML. Raw HTML in it that is not ours is shown as text; an image is, too."""
    return str(_parser().render(markdown))


def inline_html_of(markdown: str) -> str:
    """One line as HTML, without a paragraph around it."""
    return str(_parser().renderInline(markdown))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("image")
    parser.add_render_rule("html_block", _ours_alone)
    parser.add_render_rule("html_inline", _ours_alone)
    return parser


def _ours_alone(_: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    content = tokens[index].content
    return content if _OURS.fullmatch(content.strip()) else html.escape(content)
