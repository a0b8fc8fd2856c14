"""Links between the pages of this repository, as GitHub shows them: to a file that is there, and a heading in it."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[1]


def pages(root: Path = ROOT) -> Mapping[str, str]:
    """What people read of the repository, by path: the pages at its top and those of docs/."""
    found = [*root.glob("*.md"), *root.glob("docs/**/*.md")]
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in sorted(found)}


def broken(texts: Mapping[str, str], *, root: Path = ROOT) -> Sequence[str]:
    """Each link of these pages that leads nowhere, with the page that it stands in. Other hosts are not asked."""
    anchors = {path: set(headings(text)) for path, text in texts.items()}
    return [
        f"{path}: {link}"
        for path, text in texts.items()
        for link in links(text)
        if not _leads_somewhere(link, path, anchors, root)
    ]


def links(text: str) -> Iterator[str]:
    """Where the links and images of a page lead to."""
    for token in (child for block in _parsed(text) for child in block.children or ()):
        if target := token.attrGet("href") or token.attrGet("src"):
            yield str(target)


def headings(text: str) -> Iterator[str]:
    """The anchors of a page's headings, as GitHub makes them: the second of one name ends in `-1`."""
    seen: Counter[str] = Counter()
    for opening, inline in pairwise(_parsed(text)):
        if opening.type == "heading_open":
            anchor = slug("".join(each.content for each in inline.children or ()))
            yield f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor
            seen[anchor] += 1


def slug(heading: str, separator: str = "-") -> str:
    """The anchor of a heading. Takes a separator because Python-Markdown gives one."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


def _leads_somewhere(link: str, page: str, anchors: Mapping[str, set[str]], root: Path) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path))) if parts.path else page
    if parts.fragment and path in anchors:
        return unquote(parts.fragment) in anchors[path]
    return not parts.fragment and (root / path).exists()


def _parsed(text: str) -> Sequence[Token]:
    return MarkdownIt("gfm-like", {"linkify": False}).parse(text)
