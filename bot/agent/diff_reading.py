"""Reading unified diffs as models and git write them: all that a diff says, or none of it. Pure."""

import re
from collections.abc import Iterator
from itertools import takewhile

from bot.agent.diffs import FileDiff, Hunk
from bot.agent.texts import Unplaced, normalised

NOWHERE = "/dev/null"
_HUNK = re.compile(r"^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,\d{1,9})?(?!\d)")
_AFTER_PATH = re.compile(
    r"\t.*|\s+\d{4}-\d\d-\d\d\b.*|\s+\((?:new|old|original|modified|updated|fixed|before|after)\)$"
)
_NO_PATCH = "the diff names no file: it needs `--- a/path` and `+++ b/path` lines, then `@@` hunks"


def parse_diff(diff: str) -> tuple[FileDiff, ...] | Unplaced:
    """Read a diff of any number of files: all that it says, or none of it."""
    parts = list(_parts(diff))
    wrong = next((part for part in parts if isinstance(part, Unplaced)), None)
    return wrong or (readable(diff) if parts else Unplaced(_NO_PATCH))


def readable(diff: str) -> tuple[FileDiff, ...]:
    """What a diff says of those files whose part can be read: not of binary ones, nor of modes."""
    return tuple(part for part in _parts(diff) if isinstance(part, FileDiff))


def touched_lines(diff: str) -> dict[str, tuple[int, ...]]:
    """Where each file is changed, by path: the first line of every change, counted from 1 in the file as it is then."""
    found: dict[str, tuple[int, ...]] = {}
    for file in readable(diff):
        if file.new_path is not None:
            found[file.new_path] = tuple(
                hunk.new_line + _same_lines(hunk) for hunk in file.hunks if hunk.new_line is not None
            )
    return found


def _same_lines(hunk: Hunk) -> int:
    """How many lines a hunk begins with that stay."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(hunk.before, hunk.after, strict=False)))


def _parts(diff: str) -> Iterator[FileDiff | Unplaced]:
    for head, body in _sections(normalised(diff).removesuffix("\n").split("\n")):
        yield _with_hunks(head, body) if body else _without_hunks(head)


def _sections(lines: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Each file's lines: those that name it, and those from `---` on."""
    head: list[str] = []
    body: list[str] = []
    for at, line in enumerate(lines):
        is_git, is_file = line.startswith(("diff --git ", "Index: ")), _begins_file(lines, at)
        if (is_git and (head or body)) or (is_file and body):
            yield from [(head, body)] if body or _is_git(head) else []
            head, body = [], []
        (body if body or is_file else head).append(line)
    if body or _is_git(head):
        yield head, body


def _is_git(head: list[str]) -> bool:
    return any(line.startswith("diff --git ") for line in head)


def _begins_file(lines: list[str], at: int) -> bool:
    """Whether `---` and `+++` name a file here, and are no lines of a hunk that begin with two signs more."""
    if not (lines[at].startswith("--- ") and lines[at + 1 : at + 2] and lines[at + 1].startswith("+++ ")):
        return False
    return at == 0 or lines[at + 2 : at + 3] == [] or lines[at + 2].startswith("@@") or not _in_hunk(lines, at)


def _in_hunk(lines: list[str], at: int) -> bool:
    return any(line.startswith("@@") for line in lines[:at])


def _with_hunks(head: list[str], body: list[str]) -> FileDiff | Unplaced:
    old, new = _paths(_path(body[0]), _path(body[1]))
    if old is None and new is None:
        return Unplaced(_NO_PATCH)
    if any(line.startswith("old mode ") for line in head):
        return _no_mode(new or old)
    hunks = _hunks(body[2:])
    if isinstance(hunks, Unplaced):
        return Unplaced(f"{new or old}: {hunks.reason}")
    is_copy = any(line.startswith("copy from ") for line in head)
    return FileDiff(old, new, hunks, not hunks[-1].ends_after, is_copy)


def _without_hunks(head: list[str]) -> FileDiff | Unplaced:
    """A part of git's diff that has none: a file that is only renamed, or an empty one; else it can't be done."""
    said = {key: value for line in head for key, value in [_said(line)]}
    named = re.match(r"diff --git a/(.+) b/(.+)$", next(line for line in head if line.startswith("diff --git ")))
    old, new = (named[1], named[2]) if named else (None, None)
    if "rename from" in said and "rename to" in said:
        return FileDiff(said["rename from"], said["rename to"], ())
    if "copy from" in said and "copy to" in said:
        return FileDiff(said["copy from"], said["copy to"], (), keeps_old=True)
    if "Binary files" in said or "GIT binary" in said:
        return Unplaced(f"{new}: a binary file can't be changed by a diff; nothing was written")
    if "new file" in said and new:
        return FileDiff(None, new, ())
    if "deleted file" in said and old:
        return FileDiff(old, None, ())
    return _no_mode(new) if "old mode" in said else Unplaced(f"{new}: the diff has no hunk for it")


def _said(line: str) -> tuple[str, str]:
    """A line's first two words, which say what it is about, and the rest."""
    first, _, rest = line.partition(" ")
    second, _, value = rest.partition(" ")
    return f"{first} {second}", value


def _no_mode(path: str | None) -> Unplaced:
    return Unplaced(f"{path}: a file's mode can't be changed by a diff; nothing was written. Use `chmod` in a command")


def _path(line: str) -> str:
    path = _AFTER_PATH.sub("", line[4:]).strip()
    return unquoted(path[1:-1]) if len(path) > 1 and path[0] == path[-1] == '"' else path


def unquoted(path: str) -> str:
    """A path that git put in quotes, with escapes for bytes that are not ASCII."""
    try:
        return path.encode("ascii").decode("unicode_escape").encode("latin-1").decode()
    except UnicodeError:
        return path


def _paths(old: str, new: str) -> tuple[str | None, str | None]:
    """Both sides' paths without git's `a/` and `b/`, which are folders where only one side has them."""
    sides = ((old, ("a/", "i/", "c/", "o/")), (new, ("b/", "w/", "i/")))
    have = all(path == NOWHERE or path.startswith(prefixes) for path, prefixes in sides)
    are_one = old == new
    stripped = [path[2:] if have and not are_one and path != NOWHERE else path for path, _ in sides]
    left, right = (None if path == NOWHERE else path for path in stripped)
    return left, right


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
    ends = {"-": True, "+": True}
    while body and not body[-1]:
        body = body[:-1]
    for at, line in enumerate(body):
        match line[:1]:
            case "-":
                before.append(line[1:])
            case "+":
                after.append(line[1:])
            case " " | "":
                before.append(line[1:])
                after.append(line[1:])
            case "\\":
                ends.update(dict.fromkeys(body[at - 1][:1] if body[at - 1][:1] in ends else ends, False))
            case _:
                return Unplaced(f"hunk {number} has a line that begins with neither ` `, `+` nor `-`: {line[:80]!r}")
    found = _HUNK.match(header)
    old, new = (int(found[1]), int(found[3])) if found else (None, None)
    if not before and found and found[2] != "0" and old != 0:
        old = None
    return Hunk(number, old, new, tuple(before), tuple(after), ends["-"], ends["+"])
