"""Placing what a model wants to change in a file's text: exactly where it says, or not at all. Pure.

Nothing here guesses: a text that is found twice, or only with other white space, is refused with the lines as they are.
"""

import ast
import re
from difflib import SequenceMatcher
from itertools import islice

from bot.agent.actions import Edit
from bot.agent.elision import UNPARSEABLE, elided
from bot.agent.quoting import fenced
from bot.agent.texts import Unplaced, normalised

NEARBY = 3
SEARCHED_LINES = 5000
JOINS = (
    "SEARCH ends with the end of a line and REPLACE does not, which would join the next line to it. Nothing was "
    "written. End both with it, or neither"
)
SAME = "SEARCH and REPLACE are the same, so nothing would change"


def replaced(old: str, edit: Edit) -> str | Unplaced:
    """The file's text with one passage replaced, which must be there exactly once."""
    search, replace = normalised(edit.search), normalised(edit.replace)
    if not search.strip():
        return Unplaced(f"{edit.path}: SEARCH is empty, but the file exists; say which lines are to be replaced")
    if search == replace:
        return Unplaced(f"{edit.path}: {SAME}")
    placeholder = elided(search, replace, path=edit.path)
    if placeholder:
        return placeholder
    if not edit.whole_lines:
        return _substring_replaced(old, search, replace, edit.path)
    for wanted, new in ((search, replace), (search.rstrip("\n"), replace.rstrip("\n"))):
        whole = _lines_replaced(old, wanted.removesuffix("\n"), new, edit.path)
        if whole is not None:
            return whole
    return _words_replaced(old, search.rstrip("\n"), replace.rstrip("\n"), edit.path)


def not_found(old: str, search: str, *, path: str) -> Unplaced:
    """Say that a passage is not in the file, with the nearest lines as they are."""
    lines = old.split("\n")
    wanted = search.strip("\n").split("\n")
    if _squeezed(search) and _squeezed(search) in _squeezed(old):
        hint = "It is there with other white space (indentation, tabs, blank lines): copy the lines exactly."
    else:
        hint = "Copy the lines exactly as they are now."
    at = _nearest(lines, wanted)
    if at is None:
        return Unplaced(f"{path}: the text to be replaced is not in the file. {hint}")
    shown = "\n".join(lines[max(0, at - NEARBY) : at + len(wanted) + NEARBY])
    where = f"line {at + 1}"
    return Unplaced(f"{path}: the text to be replaced is not in the file. {hint} Nearest, at {where}:\n{fenced(shown)}")


def ambiguous(path: str, lines: list[int]) -> Unplaced:
    """Say that a passage is in the file more than once, and where."""
    where = ", ".join(str(line) for line in lines[:20])
    return Unplaced(
        f"{path}: the text to be replaced is there {len(lines)} times, at lines {where}. Nothing was written. "
        "Add lines above or below it, so that it is found once"
    )


def is_broken_python(path: str, text: str) -> bool:
    """Whether a Python file does not parse."""
    if not path.endswith((".py", ".pyi")):
        return False
    try:
        ast.parse(text)
    except UNPARSEABLE:
        return True
    return False


def _lines_replaced(old: str, search: str, replace: str, path: str) -> str | Unplaced | None:
    """Replace whole lines; None where no lines are the same as a whole."""
    lines, wanted = old.split("\n"), search.split("\n")
    places = [at for at in range(len(lines) - len(wanted) + 1) if lines[at : at + len(wanted)] == wanted]
    if len(places) > 1:
        return ambiguous(path, [place + 1 for place in places])
    if not places:
        return None
    new = replace.removesuffix("\n").split("\n") if replace else []
    return "\n".join(lines[: places[0]] + new + lines[places[0] + len(wanted) :])


def _words_replaced(old: str, search: str, replace: str, path: str) -> str | Unplaced:
    """Replace lines whose first one came without its indentation, which stays, where no other line's is in doubt."""
    places = _places(old, search)
    if len(places) > 1:
        return ambiguous(path, [old.count("\n", 0, place) + 1 for place in places])
    is_clear = bool(replace) and not replace[0].isspace() and ("\n" in search or "\n" not in replace)
    for place in places:
        before = old[old.rfind("\n", 0, place) + 1 : place]
        end = place + len(search)
        if is_clear and not before.strip() and old[end : end + 1] in ("", "\n"):
            return old[:place] + replace + old[end:]
    return not_found(old, search, path=path)


def _substring_replaced(old: str, search: str, replace: str, path: str) -> str | Unplaced:
    if search not in old and search.endswith("\n") and old.endswith(search[:-1]):
        search, replace = search[:-1], replace.removesuffix("\n")
    places = _places(old, search)
    if not places:
        return not_found(old, search, path=path)
    if len(places) > 1:
        return ambiguous(path, [old.count("\n", 0, place) + 1 for place in places])
    after = old[places[0] + len(search) :]
    if after and search.endswith("\n") and replace and not replace.endswith("\n"):
        return Unplaced(f"{path}: {JOINS}")
    return old[: places[0]] + replace + after


def _places(old: str, search: str) -> list[int]:
    return [match.start() for match in re.finditer(f"(?={re.escape(search)})", old)]


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _nearest(lines: list[str], wanted: list[str]) -> int | None:
    """Where the file is most like the passage: by the lines that are the same, then by how like the first one is."""
    bare = [line.strip() for line in wanted]
    first = next((line for line in bare if line), "")
    best, best_at = 0.3, None
    matcher = SequenceMatcher(None, "", first, autojunk=False)
    for at in _worth_a_look(lines, bare):
        words = lines[at].strip()
        matcher.set_seq1(words)
        there = lines[at : at + len(bare)]
        same = sum(other == own.strip() != "" for own, other in zip(there, bare, strict=False))
        if words and matcher.real_quick_ratio() + same > best:
            likeness = matcher.quick_ratio() + same
            best, best_at = (likeness, at) if likeness > best else (best, best_at)
    return best_at


def _worth_a_look(lines: list[str], bare: list[str]) -> list[int]:
    """Where a passage may begin: anywhere at the top of a file, further down where one of its lines stands."""
    offsets = {line: at for at, line in reversed(list(enumerate(bare))) if line}
    rest = ((at, line.strip()) for at, line in enumerate(lines[SEARCHED_LINES:], start=SEARCHED_LINES))
    below = (at - offsets[line] for at, line in rest if line in offsets)
    return [*range(min(len(lines), SEARCHED_LINES)), *islice(below, SEARCHED_LINES)]
