"""Where a patch changes files: each run of changed lines, and the function it is in, as far as the patch shows it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bot.records import Hunk

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_DEFINES = re.compile(
    r"(?P<indent>\s*)(?:(?:export|default|pub(?:\([\w:]+\))?|public|private|protected|internal|static|async|abstract|"
    r"final|override|inline|unsafe|const|open|sealed|partial)\s+){0,6}"
    r"(?P<kind>def|class|function\*?|func|fn|fun|sub|impl|interface|trait|module|struct|enum)\s+"
    r"(?:\([^)]{0,80}\)\s*)?(?P<name>[A-Za-z_$][\w$.?!]*)"
)
_ESCAPE = re.compile(rb"\\([abtnvfr\"\\]|[0-7]{3})")
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_SHOWN_AT_MOST = 4000
_NOWHERE = "/dev/null"


@dataclass(frozen=True, slots=True)
class Place:
    """One changed place. `within` names the function or class around it, "" where the patch does not show one."""

    hunk: Hunk
    within: str = ""

    def meets(self, hunk: Hunk) -> bool:
        """Whether a hunk is of these lines, however it was cut."""
        ours, theirs = _lines_of(self.hunk), _lines_of(hunk)
        return self.hunk.path == hunk.path and ours.start < theirs.stop and theirs.start < ours.stop


def _lines_of(hunk: Hunk) -> range:
    """Lines of the head; where lines were only taken away, the two around it."""
    return range(hunk.start, hunk.start + (hunk.lines or 2))


def places_of(patch: str) -> tuple[Place, ...]:
    """Every changed place of a patch as git writes it, in its order; what is no text has none."""
    return tuple(place for file in _files(patch) if file.path != _NOWHERE for place in file.places())


@dataclass(slots=True)
class _Part:
    """One hunk of the patch: what git wrote behind its `@@`, where it starts in the head, its lines."""

    around: str
    start: int
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _File:
    path: str = _NOWHERE
    parts: list[_Part] = field(default_factory=list)

    def places(self) -> Iterator[Place]:
        for part in self.parts:
            for first, last, start in _changed_runs(part):
                lines = part.lines[first:last]
                added = sum(line.startswith("+") for line in lines)
                hunk = Hunk(self.path, start if added else start - 1, added, "\n".join(lines)[:_SHOWN_AT_MOST])
                yield Place(hunk, _within(part, first, last))


def _files(patch: str) -> Iterator[_File]:
    """The patch file by file. Lines inside a hunk are counted, so that none is taken for a header."""
    lines = iter(patch.split("\n"))
    file: _File | None = None
    for line in lines:
        if line.startswith("diff --git "):
            if file:
                yield file
            file = _File()
        elif file and line.startswith("+++ "):
            file.path = _path(line[4:])
        elif file and (header := _HUNK.match(line)):
            part = _Part(header[4], int(header[2]))
            file.parts.append(part)
            _read(part, lines, old=int(header[1] or 1), new=int(header[3] or 1))
    if file:
        yield file


def _read(part: _Part, lines: Iterator[str], *, old: int, new: int) -> None:
    while (old > 0 or new > 0) and (line := next(lines, None)) is not None:
        if line.startswith("\\"):
            continue
        old -= not line.startswith("+")
        new -= not line.startswith("-")
        part.lines.append(line)


def _path(written: str) -> str:
    """The path behind `+++ `, without the `b/` and git's quotes."""
    name = written.removesuffix("\t").removesuffix("\r")
    if name.startswith('"') and name.endswith('"'):
        raw = _ESCAPE.sub(lambda found: _character(found[1]), name[1:-1].encode("utf-8", "surrogateescape"))
        name = raw.decode("utf-8", "surrogateescape")
    return name if name == _NOWHERE else name[2:]


def _character(escape: bytes) -> bytes:
    return bytes([int(escape, 8) & 255]) if len(escape) == 3 else _ESCAPED.get(escape, escape)


def _changed_runs(part: _Part) -> Iterator[tuple[int, int, int]]:
    """Each run of changed lines: its bounds in the part, and the head's line that it starts at."""
    number, first, start = part.start, None, part.start
    for place, line in enumerate([*part.lines, " "]):
        is_changed = line.startswith(("+", "-"))
        if is_changed and first is None:
            first, start = place, number
        if not is_changed and first is not None:
            yield first, place, start
            first = None
        number += not line.startswith("-")


def _within(part: _Part, first: int, last: int) -> str:
    """What is around some lines of a part, outermost first; last what they define themselves."""
    changed = [line[1:] for line in part.lines[first:last] if line[1:].strip()]
    depth = min((_depth(line) for line in changed), default=0)
    own = [found for line in changed if (found := _DEFINES.match(line)) and _depth(line) == depth]
    above = _open_above([part.around, *(line[1:] for line in part.lines[:first] if not line.startswith("-"))], depth)
    return ".".join([*above, *([own[0]["name"]] if own else [])])[-120:]


def _open_above(lines: Sequence[str], depth: int) -> list[str]:
    """The names of the definitions that lines at this depth are inside of."""
    names: list[str] = []
    for line in reversed(lines):
        found = _DEFINES.match(line)
        if line.strip() and _depth(line) < depth and not line.lstrip().startswith(("#", "//", "*", ")", "]", "}")):
            depth = _depth(line)
            names += [found["name"]] if found else []
    return names[::-1]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
