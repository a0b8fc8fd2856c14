"""A commit's message as the issue that it mends: without what gives the answer away. Pure.

Taken out are the fix's own lines, diffs, the paths that it changes, names that nobody knew before it, links, commits'
ids, numbers of issues, trailers. A name that the fix brings stays where its tests ask for it: without it nobody could
give them what they want.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from bot.backtest.sides import is_of_tests
from bot.records import ChangedFile
from bot.repository.changes import printable

WORDS_AT_LEAST = 3
NAMED_AT_MOST = 20
TITLE_CHARS = 200

_LINE_CHARS = 8
"""A shorter line, such as `return x`, is anybody's."""
_OMITTED = "[…]"

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_LOOKS_LIKE_CODE = re.compile(r"_|[a-z0-9][A-Z]|^[A-Z]{3,}$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_DIFF_BEGINS = re.compile(r"^\s*(diff --git |--- \S|\+\+\+ \S|@@ )")
_DIFF_LINE = re.compile(r"^\s*([+\- @]|diff --git |index |$)")
_TRAILER = re.compile(
    r"^[ \t]*(?:[A-Z][A-Za-z]*(?:-[A-Za-z]+)*-by|Change-Id|Cc|CC|Bug|BUG|Ticket|Reviewed-on|Link|Issue|PR|Test-Plan|"
    r"git-svn-id|Co-Authored-By|PiperOrigin-RevId|Differential Revision|Backport|cherry picked from)\s*[:(]?.*$"
)
_LAST_TRAILER = re.compile(r"^[A-Z][A-Za-z]*(?:-[A-Za-z]+)+: \S")
_CLOSING = re.compile(
    r"\(?\b(?:(?:close|fix|resolve)(?:[sd]|es|ed)?|see(?: also)?|refs?|references|re|issue|part of|ticket|bug|gh)"
    r"\s*:?\s*"
    r"(?:[\w.-]+/[\w.-]+)?(?:#|GH-)\d+(?:\s*(?:,|and|&)\s*(?:#|GH-)\d+)*\)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\(?(?:\b[\w.-]+/[\w.-]+)?(?<![\w&])(?:#|\bGH-)\d+\b\)?")
_LINK = re.compile(r"\[([^\]\n]*)\]\(\s*https?://[^)\s]*\s*\)|<?\bhttps?://[^\s<>)\]]+>?")
_SHA = re.compile(r"(?<![\w./#-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w/-])")
_PULL_MERGE = re.compile(
    r"^(?:Merge pull request #\d+ from \S+|Merged in \S+ \(pull request #\d+\)|Merge branch '[^']+'(?: into \S+)?)\s*$"
)
_KIND = re.compile(
    r"^(?:fix|bugfix|feat|chore|test|tests|refactor|perf|docs|style|build|ci)(?:\([^)]*\))?!?:\s*", re.IGNORECASE
)
_EMPTY = """
a an and are as at be by for from in into is it its more of on or some that the this to up with add added adds branch
bug bugs change changed changes cleanup close closed closes code commit correct corrected error errors fix fixed fixes
fixing fixup hotfix issue issues main master merge minor misc patch pr problem problems pull request
resolve resolved resolves
small test testing tests tweak tweaks typo update updated updates wip
"""
_EMPTY_WORDS = frozenset(_EMPTY.split())


@dataclass(frozen=True, slots=True)
class Told:
    """An issue's words, and for people what was taken out of them. `is_enough`: somebody could begin with them."""

    title: str
    body: str
    left_out: tuple[str, ...]

    @property
    def is_enough(self) -> bool:
        words = re.findall(r"[^\W\d_]{2,}", f"{self.title}\n{self.body}".replace(_OMITTED, " "))
        return sum(word.lower() not in _EMPTY_WORDS for word in words) >= WORDS_AT_LEAST


@dataclass(frozen=True, slots=True)
class Given:
    """What a fix gives away: its files, and whether somebody knew a name before (asked of the whole base)."""

    files: Sequence[ChangedFile]
    is_known: Callable[[str], bool]


def is_of_a_pull(message: str) -> bool:
    """Whether a merge's message is that of a merged pull or merge request, as servers write it."""
    first, _, rest = message.partition("\n")
    found = _PULL_MERGE.match(first.strip())
    return found is not None and (not first.startswith("Merge branch") or "See merge request" in rest)


def told_by_message(message: str, fix: Given) -> Told:
    """What a commit's message says of the fault."""
    out = _LeftOut()
    lines = message.replace("\r\n", "\n").strip("\n").split("\n")
    if is_of_a_pull(message):
        out.note("who merged what")
        lines = _without_blank(lines[1:])
    lines = [line for line in lines if not line.startswith("See merge request")]
    title, *rest = lines or [""]
    text = _without_trailers("\n".join(rest), out)
    answer = _Answer.of(fix.files)
    text = _without_code(text, answer.lines, out)
    title = _KIND.sub("", title.strip())
    said = [_plain(each, answer, fix, out) for each in (title, text)]
    return Told(_title(said[0]), _tidy(said[1]), out.told())


def told_by_issue(title: str, body: str, fix: Given, *, hints: Collection[str]) -> Told:
    """What an issue says, as it is, but for the fix itself: its lines, and links to it (`hints`: addresses, ids)."""
    out = _LeftOut()
    text = _without_code(body.replace("\r\n", "\n"), _Answer.of(fix.files).lines, out)
    for hint in sorted(filter(None, hints), key=len, reverse=True):
        pattern = re.compile(rf"(?<![\w/]){re.escape(hint)}(?![\w])[^\s)\]>]*")
        for each in (title, text):
            if pattern.search(each):
                out.note("a link to the fix")
        title, text = pattern.sub(_OMITTED, title), pattern.sub(_OMITTED, text)
    return Told(_title(title), text.strip(), out.told())


class _LeftOut:
    """What was taken out, in the order in which it was met, each once."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def note(self, what: str) -> None:
        self._found[what] = None

    def told(self) -> tuple[str, ...]:
        names = tuple(self._found)
        rest = len(names) - NAMED_AT_MOST
        return (*names[:NAMED_AT_MOST], f"and {rest} more") if rest > 0 else names


@dataclass(frozen=True, slots=True)
class _Answer:
    """The fix's own lines, the names that it writes into source, those that its tests ask by, and its paths."""

    lines: frozenset[str]
    names: frozenset[str]
    asked: frozenset[str]
    paths: tuple[str, ...]

    @staticmethod
    def of(files: Sequence[ChangedFile]) -> "_Answer":
        added = {file.path: _added(file) for file in files}
        tests = [path for path in added if is_of_tests(path)]
        source = [line for path, lines in added.items() if path not in tests for line in lines]
        asked = [line for path in tests for line in added[path]]
        return _Answer(
            lines=frozenset(line for lines in added.values() for line in lines if len(line) >= _LINE_CHARS),
            names=_identifiers(source),
            asked=_identifiers(asked),
            paths=tuple(sorted(added, key=len, reverse=True)),
        )


def _added(file: ChangedFile) -> list[str]:
    """The lines that were not there before, without white space around them."""
    before, after = (_text(side).split("\n") for side in (file.before, file.after))
    had = frozenset(line.strip() for line in before)
    return [said for line in after if (said := line.strip()) and said not in had]


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace").replace("\r\n", "\n")


def _identifiers(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(name for line in lines for name in _IDENTIFIER.findall(line))


def _without_blank(lines: Sequence[str]) -> list[str]:
    kept = list(lines)
    while kept and not kept[0].strip():
        kept.pop(0)
    return kept


def _without_trailers(text: str, out: _LeftOut) -> str:
    said = [line for line in text.split("\n") if line.strip()]
    lines = [line for line in text.split("\n") if not _TRAILER.match(line)]
    while lines and (not lines[-1].strip() or _LAST_TRAILER.match(lines[-1])):
        lines.pop()
    if sum(bool(line.strip()) for line in lines) < len(said):
        out.note("trailers")
    return "\n".join(lines)


def _without_code(text: str, answer: Collection[str], out: _LeftOut) -> str:
    """Without fenced blocks that hold a line of the fix, diffs, and lines of the fix that stand alone."""
    kept: list[str] = []
    for part, is_block in _parts(text):
        if is_block and any(line.strip() in answer or _DIFF_BEGINS.match(line) for line in part):
            out.note("a block of the fix's code")
        elif is_block:
            kept += part
        else:
            kept += _lines_without_code(part, answer, out)
    return "\n".join(kept)


def _parts(text: str) -> Iterator[tuple[list[str], bool]]:
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


def _lines_without_code(lines: Sequence[str], answer: Collection[str], out: _LeftOut) -> Iterator[str]:
    in_diff = False
    for line in lines:
        in_diff = bool(_DIFF_BEGINS.match(line)) or (in_diff and bool(_DIFF_LINE.match(line)) and bool(line.strip()))
        bare = line.strip().removeprefix("> ").lstrip("+-").strip()
        if in_diff:
            out.note("a diff")
        elif bare in answer or bare.strip("`") in answer:
            out.note("a line of the fix")
        else:
            yield line


def _plain(text: str, answer: _Answer, fix: Given, out: _LeftOut) -> str:
    """A message's words without links, ids, paths of the fix, and names that only the fix brings."""
    text = _gone(_LINK, text, lambda found: found[1] or "", out, lambda _: "a link")
    text = _gone(_CLOSING, text, lambda _: "", out, lambda found: f"“{found[0].strip('() ')}”")
    text = _gone(_NUMBER, text, lambda _: "", out, lambda found: f"“{found[0].strip('() ')}”")
    text = _gone(_SHA, text, lambda _: _OMITTED, out, lambda _: "a commit's id")
    for path in answer.paths:
        for name in (path, path.rpartition("/")[2]):
            if len(name) > 3 and ("." in name or "/" in name):
                pattern = re.compile(rf"(?<![\w./-])(?:\./)?{re.escape(name)}(?![\w/-])")
                text = _gone(pattern, text, lambda _: _OMITTED, out, partial(_the_path, path))
    return _IDENTIFIER.sub(lambda found: _name(found[0], text, answer, fix, out), text)


def _the_path(path: str, _: re.Match[str]) -> str:
    return f"the path {printable(path)}"


def _gone(
    pattern: re.Pattern[str],
    text: str,
    instead: Callable[[re.Match[str]], str],
    out: _LeftOut,
    said: Callable[[re.Match[str]], str],
) -> str:
    def replaced(found: re.Match[str]) -> str:
        out.note(said(found))
        return instead(found)

    return pattern.sub(replaced, text)


def _name(name: str, text: str, answer: _Answer, fix: Given, out: _LeftOut) -> str:
    """The name, or what stands in its place where only the fix brings it."""
    is_code = _LOOKS_LIKE_CODE.search(name) or f"`{name}`" in text or re.search(rf"\b{re.escape(name)}\(", text)
    if not is_code or name not in answer.names or name in answer.asked or fix.is_known(name):
        return name
    out.note(f"the name {name}")
    return _OMITTED


def _title(text: str) -> str:
    one_line = re.sub(r"\s+([.,;:!?])", r"\1", " ".join(text.split())).strip(" -–—:;,")
    return one_line[:TITLE_CHARS]


def _tidy(text: str) -> str:
    """Without lines of which nothing is left, and with one empty line at most."""
    lines = [line.rstrip() for line in text.split("\n")]
    kept = [line if re.search(r"\w", line) or not line.strip() or _FENCE.match(line) else "" for line in lines]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
