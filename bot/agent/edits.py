"""Placing what a model wants to change in a file's text: exactly where it says, or not at all. Pure.

Nothing here guesses: a text that is found twice, or only with other white space, is refused with the lines as they are.
"""

import ast
import re
from difflib import SequenceMatcher
from pathlib import PurePosixPath

from bot.agent.actions import Edit, Write
from bot.agent.texts import Unplaced, normalised

NEARBY = 3
SEARCHED_LINES = 5000
PLACEHOLDER_CHARS = 200
SAME = "SEARCH and REPLACE are the same, so nothing would change"

_WORDS = r"\b(?:rest|remaining|remainder|unchanged|existing|same|previous|other|omitted|as before|stays?|goes here)\b"
_STRONG = r"\b(?:rest|remaining|remainder|unchanged|existing|omitted|as before)\b"
_DOTS = r"(?:\.\.\.|…)"
_FREE_DOTS = r"(?:\.\.\.(?![\w$])|…)"
"""Dots that are not JavaScript's spread operator."""
_COMMENT = r"(?:#|//|/\*|<!--|--|;|%|\"\"\"|''')"
_THINGS = r"(?:file|code|class|functions?|methods?|module|implementation|imports?|tests?|content|component)"
_STAY = r"(?:here|unchanged|remains?|stays?|as before|omitted|goe?s?)"
_PLACEHOLDERS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^{_COMMENT}\s*\(?{_DOTS}.*{_WORDS}",
        rf"^{_COMMENT}.*{_STRONG}.*{_DOTS}\W*$",
        rf"^[\[(<{{].*(?:{_FREE_DOTS}.*{_WORDS}|{_WORDS}.*{_FREE_DOTS}).*[\])>}}]$",
        rf"^{_FREE_DOTS}\s*\(?.*{_WORDS}",
        rf"^(?:pass|return|{_DOTS});?\s*(?:#|//)\W*(?:unchanged|(?:same )?as before|rest of|existing)\b",
        rf"^{_COMMENT}\s*[\[(]?(?:unchanged|same as before|as before|snip(?:ped)?|omitted)[\])]?\W*$",
        rf"^{_COMMENT}\s*[\[(]?(?:keep )?(?:the )?(?:rest|remainder) (?:of (?:the |your |this )?{_THINGS}|as is)\b",
        rf"^{_COMMENT}\s*keep (?:the )?existing {_THINGS}\b",
        rf"^{_COMMENT}\s*(?:other|existing|remaining) {_THINGS}\s*(?:{_DOTS}|-->|\*/)$",
        rf"^{_COMMENT}.*\b(?:omitted|snipped|left out) for brevity\b",
        rf"^<(?:the )?rest of (?:the |your |this )?{_THINGS}>$",
        rf"^{_COMMENT}\s*\(?(?:the )?(?:rest|remainder) of (?:the |your |this )?{_THINGS}\b",
        rf"^{_COMMENT}\s*\(?(?:the )?(?:existing|remaining|previous|other) {_THINGS} {_STAY}\b",
        rf"^{_COMMENT}\s*\(?(?:the )?(?:existing|remaining) code\W*$",
    )
)
_ONLY_DOTS = re.compile(rf"^{_COMMENT}\s*{_DOTS}\s*(?:\*/|-->)?$")


def path_refusal(path: str) -> str:
    """Why a path may not be changed, or ""."""
    outside = outside_refusal(path)
    if outside:
        return outside
    if [part.lower() for part in PurePosixPath(path).parts[:2]] == [".github", "workflows"]:
        return f"{path}: workflow files are never changed"
    return ""


def outside_refusal(path: str) -> str:
    """Why a path is not one of the repository's files, or ""."""
    if not path.strip() or "\0" in path or "\n" in path:
        return "a path is needed"
    if path.startswith(("/", "~")) or "\\" in path or re.match(r"[A-Za-z]:", path):
        return f"{path}: paths are relative to the repository, with `/`"
    parts = [part.lower() for part in PurePosixPath(path).parts]
    if ".." in parts:
        return f"{path}: `..` is not allowed"
    if ".git" in parts:
        return f"{path}: git's own folder is not part of the repository's files"
    return ""


def clean_path(path: str) -> str:
    """The path in its one spelling: no `./`, no double slash."""
    return str(PurePosixPath(path.strip()))


def whole_file(old: str | None, write: Write) -> str | Unplaced:
    """The file's new text, if the answer really is the whole file."""
    new = normalised(write.content)
    if write.fenced and old and not old.endswith("\n") and new.splitlines()[-1:] == old.splitlines()[-1:]:
        new = new.removesuffix("\n")
    if not new and old:
        return Unplaced(f"{write.path}: an empty answer would empty the file; delete it if that is meant")
    return elided(old or "", new, path=write.path) or new


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
    if edit.whole_lines:
        whole = _lines_replaced(old, search.rstrip("\n"), replace.rstrip("\n"), edit.path)
        if whole is not None:
            return whole
    return _substring_replaced(old, search, replace, edit.path)


def elided(old: str, new: str, *, path: str) -> Unplaced | None:
    """Refuse a text that leaves code out behind a placeholder which was not there before."""
    known = {line.strip() for line in old.split("\n")}
    for number, line in enumerate(new.split("\n"), start=1):
        words = line.strip()
        if words not in known and is_placeholder(words, may_be_dots=bool(old)):
            return Unplaced(
                f"{path}: line {number} ({words!r}) stands for code that was left out. Nothing was written. "
                "Write every line, or change only the lines concerned with SEARCH and REPLACE"
            )
    return None


def is_placeholder(words: str, *, may_be_dots: bool) -> bool:
    """Whether a line says “the rest stays as it is” in place of the rest."""
    if len(words) > PLACEHOLDER_CHARS:
        return False
    if words.startswith("{/*") and words.endswith("*/}"):
        words = words[1:-1]
    if may_be_dots and _ONLY_DOTS.match(words):
        return True
    return any(pattern.search(words) for pattern in _PLACEHOLDERS)


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


def fenced(text: str, info: str = "") -> str:
    """The text in a fence longer than any that it holds."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{info}\n{text.removesuffix(chr(10))}\n{fence}"


def is_broken_python(path: str, text: str) -> bool:
    """Whether a Python file does not parse."""
    if not path.endswith((".py", ".pyi")):
        return False
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
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
    new = replace.split("\n") if replace else []
    return "\n".join(lines[: places[0]] + new + lines[places[0] + len(wanted) :])


def _substring_replaced(old: str, search: str, replace: str, path: str) -> str | Unplaced:
    if search not in old and search.endswith("\n") and old.endswith(search[:-1]):
        search, replace = search[:-1], replace.removesuffix("\n")
    places = [match.start() for match in re.finditer(f"(?={re.escape(search)})", old)]
    if not places:
        return not_found(old, search, path=path)
    if len(places) > 1:
        return ambiguous(path, [old.count("\n", 0, place) + 1 for place in places])
    return old[: places[0]] + replace + old[places[0] + len(search) :]


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _nearest(lines: list[str], wanted: list[str]) -> int | None:
    """Where the file is most like the passage: by the lines that are the same, then by how like the first one is."""
    bare = [line.strip() for line in wanted]
    first = next((line for line in bare if line), "")
    best, best_at = 0.3, None
    matcher = SequenceMatcher(None, "", first, autojunk=False)
    for at, line in enumerate(lines[:SEARCHED_LINES]):
        words = line.strip()
        matcher.set_seq1(words)
        same = sum(other == own.strip() != "" for own, other in zip(lines[at:], bare, strict=False))
        if words and matcher.real_quick_ratio() + same > best:
            likeness = matcher.quick_ratio() + same
            best, best_at = (likeness, at) if likeness > best else (best, best_at)
    return best_at
