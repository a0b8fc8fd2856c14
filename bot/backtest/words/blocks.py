"""Code in words: fenced blocks, diffs, and lines of the fix, alone or within others. Pure."""

import re
from collections.abc import Iterator, Sequence

from bot.backtest.words.answers import Answer
from bot.backtest.words.leaving_out import LeftOut

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_DIFF_BEGINS = re.compile(r"^\s*(diff --git |--- \S|\+\+\+ \S|@@ )")
_DIFF_LINE = re.compile(r"^\s*([+\- @]|diff --git |index |$)")


def without_code(text: str, answer: Answer, out: LeftOut) -> str:
    """Without fenced blocks that hold code of the fix, diffs, and lines of the fix, alone or within others."""
    kept: list[str] = []
    for part, is_block in parts(text):
        if is_block and any(_is_code_of(answer, line) for line in part):
            out.note("a block of the fix's code")
        elif is_block:
            kept += part
        else:
            kept += _lines_without_code(part, answer, out)
    return "\n".join(kept)


def _is_code_of(answer: Answer, line: str) -> bool:
    return bool(_DIFF_BEGINS.match(line)) or answer.is_line(line) or answer.without_pieces(line) != line


def parts(text: str) -> Iterator[tuple[list[str], bool]]:
    """The text as it stands in fenced blocks and between them."""
    part: list[str] = []
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence:
            part.append(line)
            if found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                yield part, True
                part, fence = [], ""
        elif found:
            yield part, False
            part, fence = [line], found[1]
        else:
            part.append(line)
    yield part, bool(fence)


def _lines_without_code(lines: Sequence[str], answer: Answer, out: LeftOut) -> Iterator[str]:
    in_diff = False
    for line in lines:
        in_diff = bool(_DIFF_BEGINS.match(line)) or (in_diff and bool(_DIFF_LINE.match(line)) and bool(line.strip()))
        if in_diff:
            out.note("a diff")
        elif answer.is_line(line):
            out.note("a line of the fix")
        elif (rest := answer.without_pieces(line)) != line:
            out.note("a line of the fix")
            yield rest
        else:
            yield line
