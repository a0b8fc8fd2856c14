"""A commit's message as the issue that it mends: without what gives the answer away. Pure.

Taken out are the fix's own lines, diffs, the paths that it changes, names that nobody knew before it, links, commits'
ids, numbers of issues, trailers. A name that the fix brings stays where its tests ask for it: without it nobody could
give them what they want. The time that it takes grows with the text and the fix, not with their product.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from bot.backtest.sides import is_of_tests
from bot.proof import FileKind, kind_of
from bot.records import ChangedFile
from bot.repository.changes import printable

WORDS_AT_LEAST = 3
NAMED_AT_MOST = 20
TITLE_CHARS = 200
CHARS_AT_MOST = 65_536
"""Of a longer message the beginning is taken. Source: GitHub takes no longer body of an issue."""

NAMES_ASKED_AT_MOST = 200
"""Of so many names it is asked whether the base knows them; of a message with more, the others are taken as new."""

_LINE_CHARS = 8
"""A shorter line, such as `return x`, is anybody's."""
_PIECE_CHARS = 200
"""So much of a line, within another one, is the line."""
_PATH_CHARS = 4_096
_NOTE_CHARS = 80
_MARKERS = 6
_OMITTED = "[…]"

_IDENTIFIER = re.compile(r"(?<![\w$])(?:[^\W\d]|\$)[\w$]*")
_LOOKS_LIKE_CODE = re.compile(r"_|[a-z0-9][A-Z]|^[A-Z]{3,}$")
_CALLED = re.compile(r"`((?:[^\W\d]|\$)[\w$]*)`|(?<![\w$])((?:[^\W\d]|\$)[\w$]*)\(")
_LINE_IS_CODE = re.compile(r"[()\[\]{}=<>;_$@|\\&%#^~\"`]|\w[.:]\w|\s[-+*/]\s")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_DIFF_BEGINS = re.compile(r"^\s*(diff --git |--- \S|\+\+\+ \S|@@ )")
_DIFF_LINE = re.compile(r"^\s*([+\- @]|diff --git |index |$)")
_MARKER = re.compile(r"^(?:[>+*•`-]|\d{1,3}[.)](?=\s))\s*")
_TRAILER = re.compile(
    r"[ \t]*(?:[a-z]+(?:-[a-z]+){0,3}-by|(?:Reviewed|Acked|Tested) by|Change-Id|Cc|Reviewed-on|Reviewers|Subscribers"
    r"|Test[- ]Plan|git-svn-id|PiperOrigin-RevId|Differential Revision|Gerrit-\w+|Upstream-commit|fb-gh-sync-id)[ \t]*:"
    r"|[ \t]*\(?(?:cherry[- ]picked|backported) from commit\b",
    re.IGNORECASE,
)
_NAMING = re.compile(
    r"[ \t]*(?:Bugs?|Bug-Id|Issues?|Tickets?|Links?|PR|Pull[- ]request|Fix(?:es)?|Close[sd]?|Resolve[sd]?|Refs?|See"
    r"|See[- ]also|Backports?|R|TBR|TEST)[ \t]*[:=](.*)",
    re.IGNORECASE,
)
"""These are trailers where what they name are ids and addresses; else a sentence begins so."""

_NAMED = re.compile(r"\S*[\d@]|https?:|none$")
_NAMED_FIRST = re.compile(r"[0-9a-f]{7,40}$|#\d|https?:")
_LAST_TRAILER = re.compile(r"[A-Z][A-Za-z]*(?:-[A-Za-z]+)+: \S")
_NUMBERED = (
    r"(?:(?<![\w./-])[\w.-]{1,100}/[\w.-]{1,100}[#!]|(?<![\w&/#])#|(?<![\w&/!])!(?=\d{2})|(?<![\w-])GH-)"
    r"\d{1,12}\b(?!\.\d)"
)
_CLOSED = (
    r"\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|see(?: also)?|refs?|references?|re|issues?|part of"
    rf"|tickets?|bugs?|gh|pr|pull request)(?:[ \t]{{0,4}}:?\s{{0,4}}{_NUMBERED}|#\d{{1,12}}\b)"
    rf"(?:\s{{0,4}}(?:,|and|&|\+)\s{{0,4}}{_NUMBERED})*"
)
_CLOSING = re.compile(rf"\({_CLOSED}\)|{_CLOSED}", re.IGNORECASE)
_NUMBER = re.compile(rf"\({_NUMBERED}\)|{_NUMBERED}")
_LINK = re.compile(
    r"\[([^\[\]\n]*)\]\([ \t]{0,4}https?://[^()\[\]\s]*(?:[ \t][^()\[\]\n]{0,200})?\)|<?\bhttps?://[^\s<>)\]]+>?"
)
_SHA = re.compile(r"(?<![\w./#-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w/-])")
_ID = re.compile(r"[0-9a-f]{7,40}")
_TRACE = re.compile(
    r"https?://[^\s<>)\]]+|(?<![\w/])[\w.-]{1,100}/[\w.-]{1,100}#\d+|(?<![\w&/])#\d+|\b[0-9a-f]{7,40}\b"
)
_PULL_ADDRESS = re.compile(r"([\w.-]+/[\w.-]+)/(?:pull|-/merge_requests)/(\d+)$")
_PATH = re.compile(r"[\w./\\@+~-]+")
_PULL_MERGE = re.compile(
    r"(?:Merge pull request #\d+ from \S+|Merge pull request #\d+ in \S+ from \S+ to \S+"
    r"|Merge pull request '(?P<said>.+)' \(#\d+\) from \S+ into \S+|Merged PR \d+: (?P<words>.+)"
    r"|Pull request #\d+: (?P<title>.+)|Merged in \S+ \(pull request #\d+\)|Auto merge of #\d+ - .+"
    r"|Merge branch '[^']+'(?: into \S+)?)\s*"
)
_MERGED_WHAT = re.compile(r"(?:See merge request \S+|Merge in \S+ from \S+ to \S+)\s*")
_FIRST_LINE_CHARS = 1_000
_KIND = re.compile(
    r"^(?:fix|bugfix|hotfix|feat|chore|test|tests|refactor|perf|docs|style|build|ci)(?:\([^()\n]{0,60}\))?!?:\s*"
    r"|^\[(?:fix|bugfix|hotfix|bug)\]:?\s*",
    re.IGNORECASE,
)
_REVERT = re.compile(r'^(?:Revert|Reapply|Back out) "|^This reverts commit ', re.MULTILINE)
_RUN = re.compile(r"[^\W\d_]{2,}")
_WITHOUT_SPACES = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Signs of scripts that write no spaces between words."""

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
        words = _RUN.findall(f"{self.title}\n{self.body}".replace(_OMITTED, " "))
        count = sum(
            len(word) // 2 if _WITHOUT_SPACES.search(word) else word.lower() not in _EMPTY_WORDS for word in words
        )
        return count >= WORDS_AT_LEAST


@dataclass(frozen=True, slots=True)
class Given:
    """What a fix gives away: its files, and whether somebody knew a name before (asked of the whole base)."""

    files: Sequence[ChangedFile]
    is_known: Callable[[str], bool]


def is_of_a_pull(message: str) -> bool:
    """Whether a merge's message is that of a merged pull or merge request, as servers write it."""
    first, _, rest = message.partition("\n")
    found = _pull_merge(first)
    return found is not None and (not first.startswith("Merge branch") or "See merge request" in rest)


def is_taking_back(message: str) -> bool:
    """Whether a commit says that it takes an earlier one back, or puts it back again."""
    return _REVERT.search(message) is not None


def told_by_message(message: str, fix: Given) -> Told:
    """What a commit's message says of the fault."""
    out = _LeftOut()
    lines = _in_lines(message).strip("\n").split("\n")
    if is_of_a_pull(message) and (found := _pull_merge(lines[0])):
        out.note("who merged what")
        lines = [found["said"] or found["words"] or found["title"] or "", *lines[1:]]
        lines = [line for line in lines if not _MERGED_WHAT.fullmatch(line)]
    answer = _Answer.of(fix.files, with_tests=True)
    text = _without_trailers("\n".join(lines), out)
    text = _without_code(text, answer, out)
    title, _, body = _KIND.sub("", text.strip()).partition("\n")
    names = _names_of_the_fix((title, body), answer, fix)
    said = [_plain(each, answer, names, out) for each in (title, body)]
    return _told(said[0], _tidy(said[1]), out)


def told_by_issue(title: str, body: str, fix: Given, *, hints: Collection[str]) -> Told:
    """What an issue says, as it is, but for the fix itself: its source, and links to it (`hints`: addresses, ids).

    What its tests say stays: it may be from the issue that they have it.
    """
    out = _LeftOut()
    answer = _Answer.of(fix.files, with_tests=False)
    traces = _Traces.of(hints)
    said = [_gone(_TRACE, _without_code(_in_lines(each), answer, out), traces.omitted, out) for each in (title, body)]
    return _told(said[0], said[1].strip(), out)


class _LeftOut:
    """What was taken out, in the order in which it was met, each once."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def note(self, what: str) -> None:
        self._found[" ".join(what.split())[:_NOTE_CHARS]] = None

    def told(self) -> tuple[str, ...]:
        rest = len(self._found) - NAMED_AT_MOST
        names = tuple(islice(self._found, NAMED_AT_MOST))
        return (*names, f"and {rest} more") if rest > 0 else names


@dataclass(frozen=True, slots=True)
class _Answer:
    """The fix's own lines, the names that it writes into source, those that its tests ask by, and its paths.

    `pieces` are lines of its source by their first characters, as they stand within other lines: how long they are.
    """

    lines: frozenset[str]
    pieces: Mapping[str, Sequence[int]]
    source: frozenset[str]
    names: frozenset[str]
    asked: frozenset[str]
    paths: Mapping[str, str]
    odd_paths: tuple[str, ...]

    @staticmethod
    def of(files: Sequence[ChangedFile], *, with_tests: bool) -> "_Answer":
        tests = [line for file in files if is_of_tests(file.path) for line in _added(file)]
        source = [line for file in files if _is_source(file.path) for line in _added(file)]
        pieces = frozenset(line[:_PIECE_CHARS] for line in source if len(line) >= _LINE_CHARS)
        lengths: dict[str, set[int]] = {}
        for piece in pieces:
            lengths.setdefault(piece[:_LINE_CHARS], set()).add(len(piece))
        paths = [file.path for file in files]
        return _Answer(
            lines=frozenset(line for line in [*source, *(tests if with_tests else ())] if len(line) >= _LINE_CHARS),
            pieces={begun: sorted(found, reverse=True) for begun, found in lengths.items()},
            source=pieces,
            names=_identifiers(source),
            asked=_identifiers(tests),
            paths={name: path for path in paths for name in _names_of(path)},
            odd_paths=tuple(path for path in paths if not _PATH.fullmatch(path) and len(path) >= _LINE_CHARS),
        )

    def is_line(self, line: str) -> bool:
        """Whether a line is one of the fix's, or quotes one."""
        flat = _flat(line)
        for _ in range(_MARKERS):
            if flat in self.lines or flat.rstrip("`") in self.lines:
                return True
            barer = _MARKER.sub("", flat, count=1)
            if barer == flat:
                return False
            flat = barer
        return False

    def without_pieces(self, line: str) -> str:
        """The line without what of the fix's source stands in it; the same one where nothing does."""
        flat = _flat(line)
        kept, done, at = [], 0, 0
        while at <= len(flat) - _LINE_CHARS:
            end = self._piece_at(flat, at)
            if end:
                kept += [flat[done:at], _OMITTED]
                done = at = end
            else:
                at += 1
        return "".join([*kept, flat[done:]]) if kept else line

    def _piece_at(self, flat: str, at: int) -> int:
        """Where the piece that stands there ends; 0 where there is none."""
        for length in self.pieces.get(flat[at : at + _LINE_CHARS], ()):
            end = at + length
            piece = flat[at:end]
            if piece in self.source and _stands_alone(flat, at, end):
                return len(flat) if length == _PIECE_CHARS else end
        return 0


def _is_source(path: str) -> bool:
    return not is_of_tests(path) and kind_of(path) is not FileKind.DOCS


def _added(file: ChangedFile) -> list[str]:
    """The lines that were not there before, with one space for each white space."""
    before, after = (map(_flat, _text(side).split("\n")) for side in (file.before, file.after))
    had = frozenset(before)
    return [line for line in after if line and line not in had]


def _flat(line: str) -> str:
    return " ".join(line.split())


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _identifiers(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(name for line in lines for name in _IDENTIFIER.findall(line))


def _names_of(path: str) -> Iterator[str]:
    """What a path is called by: itself, and the file's own name where that is no ordinary word."""
    name = path.rpartition("/")[2]
    for each in (path, name):
        if len(each) > 3 and ("." in each or "/" in each):
            yield each


def _stands_alone(flat: str, at: int, end: int) -> bool:
    """Whether a piece of a line begins and ends with words of its own, and is no prose, or is marked as code."""
    around = (flat[at - 1 : at], flat[end : end + 1])
    if around == ("`", "`"):
        return True
    is_whole = not (around[0].isalnum() and flat[at].isalnum()) and not (
        around[1].isalnum() and flat[end - 1].isalnum()
    )
    return is_whole and _LINE_IS_CODE.search(flat, at, end) is not None


def _pull_merge(first: str) -> re.Match[str] | None:
    return _PULL_MERGE.fullmatch(first[:_FIRST_LINE_CHARS].strip())


def _in_lines(text: str) -> str:
    return text[:CHARS_AT_MOST].replace("\r\n", "\n").replace("\r", "\n")


def _without_trailers(text: str, out: _LeftOut) -> str:
    """Without trailers, wherever they stand; the first line is none."""
    first, *rest = text.split("\n")
    lines = [line for line in rest if not _is_trailer(line)]
    while lines and (not lines[-1].strip() or _LAST_TRAILER.match(lines[-1])):
        lines.pop()
    if sum(bool(line.strip()) for line in lines) < sum(bool(line.strip()) for line in rest):
        out.note("trailers")
    return "\n".join([first, *lines])


def _is_trailer(line: str) -> bool:
    if _TRAILER.match(line):
        return True
    found = _NAMING.fullmatch(line)
    named = found[1].split() if found else []
    return bool(named) and (_NAMED_FIRST.match(named[0]) is not None or all(map(_NAMED.match, named)))


def _without_code(text: str, answer: _Answer, out: _LeftOut) -> str:
    """Without fenced blocks that hold code of the fix, diffs, and lines of the fix, alone or within others."""
    kept: list[str] = []
    for part, is_block in _parts(text):
        if is_block and any(_is_code_of(answer, line) for line in part):
            out.note("a block of the fix's code")
        elif is_block:
            kept += part
        else:
            kept += _lines_without_code(part, answer, out)
    return "\n".join(kept)


def _is_code_of(answer: _Answer, line: str) -> bool:
    return bool(_DIFF_BEGINS.match(line)) or answer.is_line(line) or answer.without_pieces(line) != line


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


def _lines_without_code(lines: Sequence[str], answer: _Answer, out: _LeftOut) -> Iterator[str]:
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


def _names_of_the_fix(texts: Sequence[str], answer: _Answer, fix: Given) -> frozenset[str]:
    """The names in the texts that are code, and that only the fix's source brings."""
    called = {name for text in texts for found in _CALLED.findall(text) for name in found}
    said = dict.fromkeys(name for text in texts for name in _IDENTIFIER.findall(text))
    asked = [
        name
        for name in said
        if name in answer.names and name not in answer.asked and (name in called or _LOOKS_LIKE_CODE.search(name))
    ]
    rest = asked[NAMES_ASKED_AT_MOST:]
    return frozenset([*(name for name in asked[:NAMES_ASKED_AT_MOST] if not fix.is_known(name)), *rest])


def _plain(text: str, answer: _Answer, names: Collection[str], out: _LeftOut) -> str:
    """A message's words without links, ids, paths of the fix, and names that only the fix brings."""
    text = _gone(_LINK, text, lambda found: (found[1] or "", "a link"), out)
    for pattern in (_CLOSING, _NUMBER):
        text = _gone(pattern, text, lambda found: ("", f"“{found[0].strip('() ')}”"), out)
    text = _gone(_SHA, text, lambda _: (_OMITTED, "a commit's id"), out)
    for path in answer.odd_paths:
        if path in text:
            out.note(f"the path {printable(path)}")
            text = text.replace(path, _OMITTED)
    text = _gone(_PATH, text, lambda found: _without_path(found[0], answer), out)
    return _gone(_IDENTIFIER, text, lambda found: _without_name(found[0], names), out)


def _without_path(said: str, answer: _Answer) -> tuple[str, str]:
    """What stands in the place of what may be a path of the fix, or end with one."""
    bare = said.rstrip(".").removeprefix("./").replace("\\", "/")
    if len(bare) > _PATH_CHARS:
        return said, ""
    path = answer.paths.get(bare)
    at = bare.find("/")
    while path is None and at >= 0:
        rest = bare[at + 1 :]
        path = answer.paths.get(rest) if "/" in rest else None
        at = bare.find("/", at + 1)
    if path is None:
        return said, ""
    return _OMITTED + said[len(said.rstrip(".")) :], f"the path {printable(path)}"


def _without_name(name: str, names: Collection[str]) -> tuple[str, str]:
    return (_OMITTED, f"the name {name}") if name in names else (name, "")


def _gone(
    pattern: re.Pattern[str], text: str, instead: Callable[[re.Match[str]], tuple[str, str]], out: _LeftOut
) -> str:
    """The text with what is found replaced, and with what was taken out said; "" is said where nothing was."""

    def replaced(found: re.Match[str]) -> str:
        words, what = instead(found)
        if what:
            out.note(what)
        return words

    return pattern.sub(replaced, text)


@dataclass(frozen=True, slots=True)
class _Traces:
    """What leads to the fix: addresses, short names of pull requests, and beginnings of commits' ids."""

    names: tuple[str, ...]
    ids: frozenset[str]

    @staticmethod
    def of(hints: Collection[str]) -> "_Traces":
        ids = frozenset(hint[:7] for hint in hints if _ID.fullmatch(hint))
        addresses = [hint for hint in hints if hint and not _ID.fullmatch(hint)]
        short = [
            name for each in addresses if (found := _PULL_ADDRESS.search(each)) for name in _short(*found.groups())
        ]
        return _Traces((*addresses, *short), ids)

    def omitted(self, found: re.Match[str]) -> tuple[str, str]:
        said = found[0]
        leads = any(said.startswith(name) and not said[len(name) :][:1].isalnum() for name in self.names)
        if leads or any(each[:7] in self.ids for each in _ID.findall(said)):
            return _OMITTED, "a link to the fix"
        return said, ""


def _short(repository: str, number: str) -> tuple[str, str]:
    return f"{repository}#{number}", f"#{number}"


def _told(title: str, body: str, out: _LeftOut) -> Told:
    """The title and the rest; where nothing is left of the title, the first line of the rest takes its place."""
    one_line = _title(title)
    if not re.search(r"\w", one_line):
        first, _, rest = body.partition("\n")
        return Told(_title(first), rest.strip(), out.told())
    return Told(one_line, body, out.told())


def _title(text: str) -> str:
    one_line = re.sub(r"(?<=\S) ([.,;:!?])(?=\s|$)", r"\1", " ".join(text.split())).strip(" -–—:;,")
    return one_line[:TITLE_CHARS]


def _tidy(text: str) -> str:
    """Without lines of which nothing is left, and with one empty line at most; blocks stay as they are."""
    kept: list[str] = []
    for part, is_block in _parts(text):
        for line in map(str.rstrip, part):
            is_left = is_block or re.search(r"\w", line)
            if is_left or (kept and kept[-1]):
                kept.append(line if is_left else "")
    return "\n".join(kept).strip()
