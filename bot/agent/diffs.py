"""Unified diffs as models write them, with wrong line numbers: placed by their context, or not at all. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.agent.edits import ambiguous, not_found
from bot.agent.texts import Unplaced, normalised

_HUNK = re.compile(r"^@@(?: -(?P<old>\d+)(?:,\d+)? \+(?P<new>\d+)(?:,\d+)?)?.*?(?:@@.*)?$")
NOWHERE = "/dev/null"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines to find and what to put there.

    `line` is where the header says they are, counted from 1, and `new_line` where it says they will be.
    """

    number: int
    line: int | None
    new_line: int | None
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What a diff says of one file. None on one side: the file is created or deleted."""

    old_path: str | None
    new_path: str | None
    hunks: tuple[Hunk, ...]
    ends_without_newline: bool = False


def parse_diff(diff: str) -> tuple[FileDiff, ...] | Unplaced:
    """Read a diff of any number of files."""
    lines = normalised(diff).removesuffix("\n").split("\n")
    files: list[FileDiff] = []
    at = 0
    while at < len(lines):
        if lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "):
            old, new = _path(lines[at], "a/"), _path(lines[at + 1], "b/")
            end = _end_of_file(lines, at + 2)
            body = lines[at + 2 : end]
            hunks = _hunks(body)
            if isinstance(hunks, Unplaced):
                return Unplaced(f"{new or old}: {hunks.reason}")
            files.append(FileDiff(old, new, hunks, "\\ No newline at end of file" in body[-1:]))
            at = end
        else:
            at += 1
    if not files:
        return Unplaced("the diff names no file: it needs `--- a/path` and `+++ b/path` lines, then `@@` hunks")
    return tuple(files)


def patched(old: str, diff: FileDiff) -> str | Unplaced:
    """The file's text with every hunk placed; the first that can't be placed is named, and nothing is changed."""
    path = diff.new_path or diff.old_path or ""
    lines = old.split("\n")
    shift = 0
    for hunk in diff.hunks:
        at = _place(lines, hunk, shift, path=path)
        if isinstance(at, Unplaced):
            return Unplaced(f"hunk {hunk.number} can't be placed, so nothing of the diff was written: {at.reason}")
        lines[at : at + len(hunk.before)] = hunk.after
        shift += len(hunk.after) - len(hunk.before)
    new = "\n".join(lines)
    if new == old:
        return Unplaced(f"{path}: the diff changes nothing")
    return new


def created(diff: FileDiff) -> str:
    """The text of a file that the diff creates."""
    text = "\n".join(line for hunk in diff.hunks for line in hunk.after)
    return text if diff.ends_without_newline or not text else text + "\n"


def reversed_diffs(diffs: tuple[FileDiff, ...]) -> Mapping[str, FileDiff]:
    """The diffs that undo these, by path, of the files that were there before and still are."""
    return {
        diff.new_path: FileDiff(
            diff.new_path,
            diff.old_path,
            tuple(Hunk(hunk.number, hunk.new_line, hunk.line, hunk.after, hunk.before) for hunk in diff.hunks),
        )
        for diff in diffs
        if diff.new_path and diff.old_path
    }


def _path(line: str, prefix: str) -> str | None:
    path = line[4:].split("\t", maxsplit=1)[0].strip().strip('"')
    return None if path == NOWHERE else path.removeprefix(prefix)


def _end_of_file(lines: list[str], at: int) -> int:
    while at < len(lines):
        starts_next = lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")
        if starts_next or lines[at].startswith("diff --git "):
            return at
        at += 1
    return at


def _hunks(lines: list[str]) -> tuple[Hunk, ...] | Unplaced:
    hunks: list[Hunk] = []
    header: str | None = None
    body: list[str] = []
    for line in [*lines, "@@"]:
        if not line.startswith("@@"):
            body.append(line)
            continue
        if header is not None:
            hunk = _hunk(len(hunks) + 1, header, body)
            if isinstance(hunk, Unplaced):
                return hunk
            hunks.append(hunk)
        header, body = line, []
    return tuple(hunks) if hunks else Unplaced("the diff has no hunk: it needs lines that begin with `@@`")


def _hunk(number: int, header: str, body: list[str]) -> Hunk | Unplaced:
    before: list[str] = []
    after: list[str] = []
    while body and not body[-1]:
        body = body[:-1]
    for line in body:
        match line[:1]:
            case "-":
                before.append(line[1:])
            case "+":
                after.append(line[1:])
            case " " | "":
                before.append(line[1:])
                after.append(line[1:])
            case "\\":
                continue
            case _:
                return Unplaced(f"hunk {number} has a line that begins with neither ` `, `+` nor `-`: {line[:80]!r}")
    found = _HUNK.match(header)
    old, new = (int(found["old"]), int(found["new"])) if found and found["old"] else (None, None)
    return Hunk(number, old, new, tuple(before), tuple(after))


def _place(lines: list[str], hunk: Hunk, shift: int, *, path: str) -> int | Unplaced:
    """Where the hunk belongs: where its lines are found once, else where the header says, if they are there too."""
    before = list(hunk.before)
    said = None if hunk.line is None else hunk.line - 1 + shift
    if not before:
        if said is None or not 0 <= said + 1 <= len(lines):
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
