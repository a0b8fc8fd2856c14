"""The code blocks of a page."""

from collections.abc import Iterator

from markdown_it import MarkdownIt


def blocks(page: str, language: str, *, holding: str = "") -> Iterator[str]:
    """Those of one language, in order, that hold a text."""
    for token in MarkdownIt().parse(page):
        if token.type == "fence" and token.info.strip() == language and holding in token.content:
            yield token.content
