"""What a change does to the existing tests of a file in a language that is not parsed here, line by line. Pure."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from bot.proof.script_imports import import_alterations, imports_of, taken_over
from bot.proof.spans import outer_span

_SKIP_MARKER = re.compile(
    r"\.(skip|only|todo|fixme|failing|skipIf|runIf)\b|\b(xit|xdescribe|xtest|xcontext|fit|fdescribe|fcontext)\s*\("
    r"|\bt\.Skip(Now|f)?\(|#\[\s*(ignore|should_panic|cfg)\b|#!\[\s*cfg\b|@(Disabled|Ignore|EnabledIf|DisabledOn\w*)\b"
    r"|\bpending\b|\bskip:|markTestSkipped|:skip\b|\bGTEST_SKIP\b|^\s*//\s*(go:build|\+build)\b"
)
_STEERS = re.compile(r"\b(jest|vi)\.(mock|doMock|unmock|setMock)\(|@(jest|vitest)-environment|\bfunc TestMain\(")
_OPENS = re.compile(
    r"\s*(@|#|//|/\*|\*|['\"]{1}use strict|(export|import|const|let|var|use|mod|package|type|struct|enum|interface)\b"
    r"|(public|private|protected|internal|static|async|pub|final|override|class|object|module|namespace)\b"
    r"|(fn|func|fun|def|function|void|test|it|describe|context|suite|specify|bench|feature|scenario|example)\b"
    r"|\w+\s*:?=\s*(function|async|\(|\[|\{)|\w{1,4}\.(test|it|describe|Run)\s*\()"
)
_ROW = re.compile(r"""\s*(?!\{\s*(return|throw|panic)\b)([\[{(\])}"'`|\d-]|\w+\s*:|\w+\s*\{|.*,$)""")
_ASSERTS = re.compile(
    r"\s*(await\s+)?((expect|assert|should)\b[\w.]*|\w{1,2}\.(\w*[eE]qual\w*|(strict)?[sS]ame\w*|ok|not\w*|is\w*|true|false"
    r"|match|like|throws|rejects|doesNotThrow|[eE]rror\w*|Fatal\w*))\s*\("
)
_NEXT_ROW = re.compile(r"\s*[}\])],\s*")
_LEAVES = re.compile(r"\b(return|throw|panic|break|continue|goto|process\.exit|os\.Exit)\b")
_END_OF_TEST = re.compile(r"\}|\s*\}\s*\)")
_BRACES = re.compile(r"\.([cm]?[jt]sx?|go|rs|java|kts?|scala|groovy|cs|php|swift|dart|c|cc|cpp|h|hpp)$")
_MAX_LINES = 20_000
_MAX_COMPARED = 2000
"""Lines, old and new together, between the first difference and the last: the time grows with their square."""
_MAX_MOVES = 100
_MAX_READ = 50_000

Change = tuple[str, int, int, int, int]
"""A tag of difflib's, then the old lines and the new ones, from the first to before the last, counted from 0."""

Block = tuple[int, int]
"""Added lines, from the first to before the last, counted from 0."""


def line_alterations(path: str, before: bytes, after: bytes) -> Iterator[str]:
    """In words, what is no longer as it was: each line must still be there, and what comes in between be whole.

    New tests, rows of tables and assertions are fine, and so are new names in imports, in any order. Any other line
    inside of what was there, which may end a test early, is not; nor is a marker that skips, a mock, or what else has a
    say in the tests beside it.
    """
    texts = [text.decode("utf-8", "replace") for text in (before, after)]
    if sum(len(text.splitlines()) for text in texts) > _MAX_LINES:
        yield "changed"
        return
    imports = [imports_of(path, text) for text in texts]
    as_lines = list(_of_lines(path, *(text.splitlines() for text in texts)))
    yield from import_alterations(*imports, is_all_there=not as_lines)
    if as_lines:
        yield from _of_lines(path, *(each.rest for each in imports))


def _of_lines(path: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    compared = _compared(old, new)
    if compared is None:
        yield "changed"
        return
    lost = sum(end - start for tag, start, end, _, _ in compared if tag in ("delete", "replace"))
    added = [(start, end) for tag, _, _, start, end in compared if tag in ("insert", "replace")]
    if lost:
        yield f"{lost} line{'s' if lost > 1 else ''} removed or changed"
    yield from (
        f"{name} was added, which takes over a name that is used already"
        for name in taken_over(path, old, "\n".join(line for start, end in added for line in new[start:end]))
    )
    if any(_SKIP_MARKER.search(line) for start, end in added for line in new[start:end]):
        yield "a marker that skips tests was added"
    elif any(_STEERS.search(line) for start, end in added for line in new[start:end]):
        yield "something was added that has a say in the tests beside it"
    elif not lost and _BRACES.search(path) and not _may_be_whole(old, new, added):
        yield "lines were added inside of what was there"


def _compared(old: Sequence[str], new: Sequence[str]) -> Sequence[Change] | None:
    """Each change; None where there is too much between the first and the last to be compared line by line."""
    span = outer_span(old, new)
    olds, news = old[span.old_start : span.old_end], new[span.start : span.end]
    if olds and news and len(olds) + len(news) > _MAX_COMPARED:
        return None
    changes = SequenceMatcher(None, olds, news, autojunk=False).get_opcodes()
    return [
        (tag, one + span.start, two + span.start, three + span.start, four + span.start)
        for tag, one, two, three, four in changes
    ]


def _may_be_whole(old: Sequence[str], new: Sequence[str], added: Sequence[Block]) -> bool:
    """Whether what was added can be read as whole blocks. Where lines are alike, there is more than one way to read."""
    readings = (added, _added_from_the_end(old, new))
    return any(all(_is_whole(new, start, end) for start, end in blocks) for blocks in readings)


def _added_from_the_end(old: Sequence[str], new: Sequence[str]) -> Sequence[Block]:
    """The blocks where each old line is the last one in the new that it can be. All of the old is in the new."""
    found: list[Block] = []
    left, end = len(old), len(new)
    for place in range(len(new) - 1, -1, -1):
        if left and new[place] == old[left - 1]:
            if place + 1 < end:
                found.append((place + 1, end))
            left, end = left - 1, place
    return [*found, (0, end)] if end else found


def _is_whole(lines: Sequence[str], start: int, end: int) -> bool:
    """Whether an insertion stands by itself. A difference may begin in the midst of it: it is moved while it can be."""
    moves = min(_MAX_MOVES, max(1, _MAX_READ // (end - start)))
    first = max(0, start - moves // 2)
    while start > first and lines[start - 1] == lines[end - 1]:
        start, end = start - 1, end - 1
    for _ in range(moves):
        if _stands_alone(lines[start:end]) or _stands_last(lines[start:end], lines[end:]):
            return True
        if end >= len(lines) or lines[start] != lines[end]:
            return False
        start, end = start + 1, end + 1
    return False


def _stands_alone(block: Sequence[str]) -> bool:
    """Balanced, and made of nothing but definitions, rows and assertions at its own level."""
    if len(block) > 1 and _NEXT_ROW.fullmatch(block[0]):
        return _stands_alone([*block[1:], block[0]])
    depth, is_row = 0, False
    for line in block:
        if depth == 0 and line.strip():
            is_row = not (_OPENS.match(line) or _ASSERTS.match(line))
            if is_row and not _ROW.match(line):
                return False
        elif depth == 1 and is_row and _LEAVES.match(line.strip()):
            return False
        depth += _depth(line)
        if depth < 0:
            return False
    return depth == 0


def _stands_last(block: Sequence[str], rest: Sequence[str]) -> bool:
    """Balanced, at the end of a test: all that was there before has had its turn by then."""
    after = next((line for line in rest if line.strip()), "")
    depths = list(accumulate(map(_depth, block)))
    whole = min(depths, default=0) >= 0 and depths[-1:] == [0]
    return whole and _END_OF_TEST.match(after) is not None and not any(_LEAVES.search(line) for line in block)


def _depth(line: str) -> int:
    bare = re.sub(r""""(\\.|[^"\\])*"|'(\\.|[^'\\])*'|`(\\.|[^`\\])*`|//.*""", "", line)
    return sum(bare.count(sign) for sign in "([{") - sum(bare.count(sign) for sign in ")]}")
