"""The fenced blocks of a reply, by CommonMark's rules, and which file each is about. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.agent.naming import path_before, path_inside, read_info

_INVISIBLE = re.compile(r"^[\u200b-\u200d\u2060\ufeff\u00a0]+(?=[ \t]*(?:`{3}|~{3}))", re.MULTILINE)
"""Signs that hide a fence from the parser, and that nobody sees."""


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block.

    `path` is the file that the block is about. `heading`: a first line that named it, and is no part of `content`.
    `is_bare`: nothing stands on the fence, and no blank line keeps its path from a block above, so that it may as well
    be the end of a fence inside that block.
    """

    language: str
    path: str | None
    content: str
    fence: str
    is_closed: bool
    heading: str = ""
    is_bare: bool = False


def blocks_of(text: str) -> tuple[Block, ...]:
    """The fenced blocks of a text, in order. HTML has no meaning here, so that `<answer>` does not hide a fence."""
    parser = MarkdownIt("commonmark").disable(["html_block", "inline"])
    seen = _INVISIBLE.sub("", text)
    lines = re.split(r"\r\n?|\n", seen)
    blocks: list[Block] = []
    last_end = 0
    for token in parser.parse(seen):
        if token.type == "fence" and token.map:
            first, end = token.map
            blocks.append(_block(token, lines, (first, end), last_end))
            last_end = end
    return tuple(blocks)


def _block(token: Token, lines: Sequence[str], span: tuple[int, int], last_end: int) -> Block:
    """The block on the lines of a span, where the one before it ended at `last_end`."""
    first, end = span
    info = token.info.strip()
    language, path = read_info(info)
    content = _content(token.content, lines[first + 1 : end], lines[first])
    above = None if path else path_before(lines[last_end:first], language)
    inside = None if path or above else path_inside(content, language)
    heading = content.partition("\n")[0] + "\n" if inside else ""
    is_set_off = bool(above) and (last_end == 0 or not lines[last_end].strip())
    return Block(
        language=language,
        path=path or above or inside,
        content=content.removeprefix(heading),
        fence=token.markup,
        is_closed=token.content.count("\n") == end - first - 2 and _closes(lines[end - 1], token.markup),
        heading=heading,
        is_bare=not info and not is_set_off,
    )


def _closes(line: str, fence: str) -> bool:
    bare = line.lstrip(" >\t").rstrip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _content(content: str, raw: Sequence[str], opener: str) -> str:
    """The block's lines. CommonMark takes the fence's indentation off each; it stays where not every line has it."""
    body, indent = raw[:-1], opener[: len(opener) - len(opener.lstrip())]
    if not indent or any(line.lstrip().startswith(">") for line in body[:1]):
        return content
    has_it = all(line.startswith(indent) for line in body if line.strip())
    return "".join(f"{line.removeprefix(indent) if has_it else line}\n" for line in body)
