"""A model's words as Markdown: paragraphs, lists, inline code and code blocks are kept, and nothing else.

Each block is read from the text and written anew by `safe`, so that what is not known here is shown as it was typed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.writing.safe import clean, cut, fenced, sentence

LANGUAGES = frozenset({
    "bash", "c", "cpp", "css", "diff", "go", "html", "ini", "java", "javascript", "js", "json", "kotlin", "php", "py",
    "python", "ruby", "rust", "sh", "sql", "swift", "text", "toml", "ts", "typescript", "xml", "yaml",
})  # fmt: skip
"""What a code block may be coloured as. Other words behind a fence do something on GitHub (`mermaid`, `suggestion`)."""

BLOCK_AT_MOST = 3000

_FENCE = re.compile(r"\s{0,12}(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[\w+-]{0,40})[^`\n]*")
_HEADING = re.compile(r"#{1,6}[ \t]+(\S.*?)[ \t]*#*")
_BOLD = re.compile(r"(?<![\w*`])\*\*(?=\w)([^*`\n]{0,200}[\w.!?:])\*\*(?![\w*`])")
_ITEM = re.compile(r"(?P<indent>\s{0,12})(?P<mark>[-*+]|\d{1,4}[.)])[ \t]+(?=\S)")


@dataclass(slots=True)
class _Code:
    """A code block whose end is not read yet. `fence` is what has to close it."""

    fence: str
    info: str
    lines: list[str] = field(default_factory=list)

    def ended_by(self, line: str) -> bool:
        found = line.strip()
        return len(found) >= len(self.fence) and not found.strip(self.fence[0])

    def written(self) -> str:
        info = self.info.lower()
        return fenced("\n".join(self.lines), info if info in LANGUAGES else "text", head=BLOCK_AT_MOST, tail=0)


def prose(text: str, limit: int = 4000) -> str:
    """Foreign prose of at most about `limit` characters, its structure kept as far as it can do no harm."""
    blocks: list[str] = []
    for block in _lines(cut(clean(text).strip(), limit).split("\n")):
        if block or (blocks and blocks[-1]):
            blocks.append(block)
    return "\n".join(blocks).rstrip("\n")


def quoted_prose(text: str, limit: int = 4000) -> str:
    """The same as a block quote."""
    return "\n".join(f"> {line}".rstrip() for line in prose(text, limit).split("\n"))


def _lines(lines: list[str]) -> Iterator[str]:
    block: _Code | None = None
    was_item = False
    for line in lines:
        if block is not None:
            if block.ended_by(line):
                yield from (block.written(), "")
                block = None
            else:
                block.lines.append(line)
        elif found := _FENCE.fullmatch(line):
            block = _Code(found["fence"], found["info"])
            yield ""
            was_item = False
        elif heading := _HEADING.fullmatch(line):
            yield from ("", f"**{_words(heading[1].replace('**', ''))}**", "")
        else:
            item = _ITEM.match(line)
            if was_item and item is None and line.strip():
                yield ""  # or it would go on with the item
            yield _item(line, item) if item else _with_bold(line)
            was_item = item is not None
    if block is not None:
        yield block.written()


def _with_bold(line: str) -> str:
    """The line with what stands between double asterisks bold, where it is more than signs."""
    parts = _BOLD.split(line)
    return "".join(f"**{_words(part)}**" if place % 2 else _words(part) for place, part in enumerate(parts))


def _item(line: str, found: re.Match[str]) -> str:
    """A list item, one level deep at most."""
    indent = "  " if len(found["indent"].expandtabs(4)) > 1 else ""
    mark = found["mark"] if found["mark"][0].isdigit() else "-"
    return f"{indent}{mark} {_with_bold(line[found.end() :])}"


def _words(text: str) -> str:
    """Words with their inline code, and with the spaces around them: they may stand between others."""
    shown = sentence(text, len(text) + 1)
    before, after = text[:1].isspace(), text[-1:].isspace()
    return f"{' ' if before and shown else ''}{shown}{' ' if after and shown else ''}"
