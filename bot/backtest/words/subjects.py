"""First lines of commits' messages: of merged pull requests, of commits that take back, of a kind of change. Pure."""

import re

from bot.backtest.words.leaving_out import LeftOut

_PULL_MERGE = re.compile(
    r"(?:Merge pull request #\d+ from \S+|Merge pull request #\d+ in \S+ from \S+ to \S+"
    r"|Merge pull request '(?P<said>.+)' \(#\d+\) from \S+ into \S+|Merged PR \d+: (?P<words>.+)"
    r"|Pull request #\d+: (?P<title>.+)|Merged in \S+ \(pull request #\d+\)|Auto merge of #\d+ - .+"
    r"|Merge branch '[^']+'(?: into \S+)?)\s*"
)
_MERGED_WHAT = re.compile(r"(?:See merge request \S+|Merge in \S+ from \S+ to \S+)\s*")
_FIRST_LINE_CHARS = 1_000
_SORT = re.compile(
    r"^(?:fix|bugfix|hotfix|feat|chore|test|tests|refactor|perf|docs|style|build|ci)(?:\([^()\n]{0,60}\))?!?:\s*"
    r"|^\[(?:fix|bugfix|hotfix|bug)\]:?\s*",
    re.IGNORECASE,
)
_REVERT = re.compile(r'^(?:Revert|Reapply|Back out) "|^This reverts commit ', re.MULTILINE)


def is_of_a_pull(message: str) -> bool:
    """Whether a merge's message is that of a merged pull or merge request, as servers write it."""
    first, _, rest = message.partition("\n")
    found = _pull_merge(first)
    return found is not None and (not first.startswith("Merge branch") or "See merge request" in rest)


def is_taking_back(message: str) -> bool:
    """Whether a commit says that it takes an earlier one back, or puts it back again."""
    return _REVERT.search(message) is not None


def in_a_pulls_words(lines: list[str], out: LeftOut) -> list[str]:
    """The lines of a message; of a merged pull request's, those that its author wrote."""
    found = _pull_merge(lines[0])
    if found is None or not is_of_a_pull("\n".join(lines)):
        return lines
    out.note("who merged what")
    said = found["said"] or found["words"] or found["title"] or ""
    return [said, *(line for line in lines[1:] if not _MERGED_WHAT.fullmatch(line))]


def without_sort(text: str) -> str:
    """Without what says of which sort a commit is: `fix(parser): `."""
    return _SORT.sub("", text)


def _pull_merge(first: str) -> re.Match[str] | None:
    return _PULL_MERGE.fullmatch(first[:_FIRST_LINE_CHARS].strip())
