"""Lines of a diff: which of them can be commented on, and where they are after another push."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.demo import git

_HEADER = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*$")


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk: where it begins before and after, how many lines it has there, and its text with the header."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[str, ...]

    def up_to(self, side: str, line: int) -> str | None:
        """The hunk's text up to a line, as GitHub shows it above a comment; None where the line is not in it."""
        old, new = self.old_start, self.new_start
        for index, text in enumerate(self.lines[1:], 1):
            if (side == "LEFT" and old == line and text[:1] != "+") or (
                side == "RIGHT" and new == line and text[:1] != "-"
            ):
                return "\n".join(self.lines[: index + 1])
            old += text[:1] != "+"
            new += text[:1] != "-"
        return None


def commented_hunk(directory: Path, base: str, tip: str, path: str, *, side: str, line: int | None) -> str | None:
    """The part of a pull request's diff that a comment is on; None where the file or line is not in it."""
    text = git.diff(directory, base, tip, path)
    if not text:
        return None
    found = tuple(hunks(text))
    if line is None:
        return found[0].lines[0] if found else ""
    return next((shown for hunk in found if (shown := hunk.up_to(side, line)) is not None), None)


def line_now(directory: Path, before: str, now: str, path: str, line: int) -> int | None:
    """Where a line of a file is after further commits; None where they changed or removed it."""
    if before == now:
        return line
    text = git.run(directory, "diff", "--no-renames", "-U0", before, now, "--", path).decode(errors="replace")
    shift = 0
    for hunk in hunks(text):
        first, last = hunk.old_start, hunk.old_start + hunk.old_count - 1
        if hunk.old_count and first <= line <= last:
            return None
        if (first if hunk.old_count else first + 1) > line:
            break
        shift += hunk.new_count - hunk.old_count
    return line + shift


def hunks(diff: str) -> Iterator[Hunk]:
    """The hunks of a diff of one file."""
    lines: list[str] = []
    for text in diff.splitlines():
        if _HEADER.match(text):
            yield from _hunk(lines)
            lines = [text]
        elif lines and text[:1] in ("+", "-", " "):
            lines.append(text)
    yield from _hunk(lines)


def _hunk(lines: list[str]) -> Iterator[Hunk]:
    found = _HEADER.match(lines[0]) if lines else None
    if found:
        old_count, new_count = (int(found[group] or 1) for group in (2, 4))
        yield Hunk(int(found[1]), old_count, int(found[3]), new_count, tuple(lines))
