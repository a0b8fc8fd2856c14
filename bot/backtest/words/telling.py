"""An issue's words, of a commit's message or of an issue that was closed. Pure."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from bot.backtest.words.answers import Answer
from bot.backtest.words.blocks import parts, without_code
from bot.backtest.words.leaving_out import OMITTED, LeftOut, gone
from bot.backtest.words.subjects import in_a_pulls_words, without_sort
from bot.backtest.words.traces import TRACE, Traces, names_of_the_fix, plain
from bot.backtest.words.trailers import without_trailers
from bot.records import ChangedFile

WORDS_AT_LEAST = 3
TITLE_CHARS = 200
CHARS_AT_MOST = 65_536
"""Of a longer message the beginning is taken. Source: GitHub takes no longer body of an issue."""

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
        words = _RUN.findall(f"{self.title}\n{self.body}".replace(OMITTED, " "))
        count = sum(
            len(word) // 2 if _WITHOUT_SPACES.search(word) else word.lower() not in _EMPTY_WORDS for word in words
        )
        return count >= WORDS_AT_LEAST


@dataclass(frozen=True, slots=True)
class Given:
    """What a fix gives away: its files, and whether somebody knew a name before (asked of the whole base)."""

    files: Sequence[ChangedFile]
    is_known: Callable[[str], bool]


def told_by_message(message: str, fix: Given) -> Told:
    """What a commit's message says of the fault."""
    out = LeftOut()
    lines = in_a_pulls_words(_in_lines(message).strip("\n").split("\n"), out)
    answer = Answer.of(fix.files, with_tests=True)
    text = without_trailers("\n".join(lines), out)
    text = without_code(text, answer, out)
    title, _, body = without_sort(text.strip()).partition("\n")
    names = names_of_the_fix((title, body), answer, fix.is_known)
    said = [plain(each, answer, names, out) for each in (title, body)]
    return _told(said[0], _tidy(said[1]), out)


def told_by_issue(title: str, body: str, fix: Given, *, hints: Collection[str]) -> Told:
    """What an issue says, as it is, but for the fix itself: its source, and links to it (`hints`: addresses, ids).

    What its tests say stays: it may be from the issue that they have it.
    """
    out = LeftOut()
    answer = Answer.of(fix.files, with_tests=False)
    traces = Traces.of(hints)
    said = [gone(TRACE, without_code(_in_lines(each), answer, out), traces.omitted, out) for each in (title, body)]
    return _told(said[0], said[1].strip(), out)


def _in_lines(text: str) -> str:
    return text[:CHARS_AT_MOST].replace("\r\n", "\n").replace("\r", "\n")


def _told(title: str, body: str, out: LeftOut) -> Told:
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
    for part, is_block in parts(text):
        for line in map(str.rstrip, part):
            is_left = is_block or re.search(r"\w", line)
            if is_left or (kept and kept[-1]):
                kept.append(line if is_left else "")
    return "\n".join(kept).strip()
