"""Unified diffs as models write them, with wrong line numbers: placed by their context, or not at all. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.agent.edits import ambiguous, not_found
from bot.agent.texts import Unplaced


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines to find and what to put there.

    `line` is where the header says they are, counted from 1, and `new_line` where it says they will be. `ends_before`
    and `ends_after`: whether the last line ends in a newline, as a rule yes.
    """

    number: int
    line: int | None
    new_line: int | None
    before: tuple[str, ...]
    after: tuple[str, ...]
    ends_before: bool = True
    ends_after: bool = True

    @property
    def reversed(self) -> "Hunk":
        """The hunk that undoes this one."""
        return Hunk(self.number, self.new_line, self.line, self.after, self.before, self.ends_after, self.ends_before)


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What a diff says of one file. None on one side: the file is created or deleted. `keeps_old`: it is a copy."""

    old_path: str | None
    new_path: str | None
    hunks: tuple[Hunk, ...]
    ends_without_newline: bool = False
    keeps_old: bool = False


def patched(old: str, diff: FileDiff) -> str | Unplaced:
    """The file's text with every hunk placed; the first that can't be placed is named, and nothing is changed."""
    path = diff.new_path or diff.old_path or ""
    lines = old.split("\n")
    shift = 0
    for hunk in diff.hunks:
        at = _place(lines, hunk, shift, path=path)
        if isinstance(at, Unplaced):
            return Unplaced(f"hunk {hunk.number} can't be placed, so nothing of the diff was written: {at.reason}")
        below = lines[at + len(hunk.before) :]
        lines[at:] = [*hunk.after, *_end(below, hunk)]
        shift += len(hunk.after) - len(hunk.before)
    new = "\n".join(lines)
    if new == old and diff.old_path == diff.new_path:
        return Unplaced(f"{path}: the diff changes nothing")
    return new


def created(diff: FileDiff) -> str:
    """The text of a file that the diff creates."""
    text = "\n".join(line for hunk in diff.hunks for line in hunk.after)
    return text if diff.ends_without_newline or not text else text + "\n"


def reversed_diffs(diffs: tuple[FileDiff, ...]) -> Mapping[str, FileDiff]:
    """The diffs that undo these, by path, of the files that were there before and still are."""
    return {
        diff.new_path: FileDiff(diff.new_path, diff.old_path, tuple(hunk.reversed for hunk in diff.hunks))
        for diff in diffs
        if diff.new_path and diff.old_path and diff.hunks
    }


def _end(below: list[str], hunk: Hunk) -> list[str]:
    """What stands below a hunk, with the file's last newline put there or taken away, where the hunk is the last."""
    if below == [] and hunk.ends_after and not hunk.ends_before:
        return [""]
    return [] if below == [""] and hunk.ends_before and not hunk.ends_after else below


def _place(lines: list[str], hunk: Hunk, shift: int, *, path: str) -> int | Unplaced:
    """Where the hunk belongs: where its lines are found once, else where the header says, if they are there too."""
    before = list(hunk.before)
    said = None if hunk.line is None else hunk.line - 1 + shift
    if not before:
        total = len(lines) - (lines[-1] == "")
        if said is None or not 0 <= said + 1 <= total:
            return Unplaced(f"{path}: it only adds lines and has none around them to place it by")
        return said + 1
    places = [at for at in range(len(lines) - len(before) + 1) if lines[at : at + len(before)] == before]
    if len(places) == 1:
        return places[0]
    if said in places:
        return said
    if places:
        return ambiguous(path, [place + 1 for place in places])
    return not_found("\n".join(lines), "\n".join(before), path=path)
