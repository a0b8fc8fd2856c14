"""What the model is shown before the first iteration: issue, tree, baseline, and parts of files that seem to matter.

Functions over what is `Readable`; all text that others wrote stands in fences, as data. All of it fits the budget
of the model's window.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from bot.agent.budget import budget_for
from bot.agent.conflicts import unsolved
from bot.agent.diff_reading import touched_lines
from bot.agent.follow_ups import checks_text, conflicts_text, is_follow_up, requests_text, start_text
from bot.agent.quoting import fenced, printable
from bot.agent.reports import baseline_text
from bot.agent.starting import NOTHING
from bot.agent.texts import read_source
from bot.agent.viewing.mentions import Frame, frames
from bot.agent.viewing.pieces import shown
from bot.agent.viewing.ranking import Ranked, ranked
from bot.agent.viewing.reading import symbols_in
from bot.agent.wishes import wishes_text
from bot.records import Change, Readable, Task, TestReport
from sandbox.contract import clipped

ISSUE_CHARS = 12_000
COMMENT_CHARS = 3_000
COMMENTS = 12
TREE_PATHS = 200
TREE_CHARS = 10_000
FILES_CHARS = 18_000
MORE_FILES = 3
WANTED = 100
COMMENT_HEAD = 40
SHORTEST_WORDS = 120
POINTED = 40
POINTED_LINES = 5

_TITLE = "# Files that may matter\n\n"
_HEADING = re.compile(
    r"^([^\s`]+)(?: \(parts of its \d+ lines\))?:\n\n(?:(?:from line|lines) [\d-]+:\n\n)?```+text$", re.MULTILINE
)


def context(
    task: Task,
    bench: Readable,
    *,
    baseline: TestReport | None,
    notes: Sequence[str] = (),
    start: Change = NOTHING,
    window_tokens: int | None = None,
) -> str:
    """The opening of every conversation of one run: made once, kept as it is, so that it stays a stable prefix.

    `start` is the change that the tree holds already. The nearer a part is to the end, the more it is about what is to
    be done now; in a run that goes on from a change the issue itself is the background.
    """
    chars = budget_for(window_tokens).context_chars
    paths = bench.paths()
    follows = is_follow_up(task, start)
    left_open = unsolved(bench, task.conflicts)
    parts = [issue_text(task, notes=notes, chars=chars // 4 if follows else chars * 2 // 5)]
    parts += [wishes_text(task.wishes, chars=chars // 12)]
    parts += [tree_text(paths, chars=chars // (16 if follows else 8))]
    parts += [baseline_text(baseline, chars=chars // (12 if follows else 6))] if baseline is not None else []
    parts += [start_text(start, chars=chars // 5)]
    parts += [checks_text(task.checks, chars=chars // 6), requests_text(task.requests, chars=chars // 4)]
    parts += [conflicts_text(left_open, task.conflicts, chars=chars // 8)]
    parts = [part for part in parts if part]
    left = chars - sum(len(part) + 2 for part in parts) - len(_TITLE) - 2
    pointed = _pointed(task, start, paths, left_open)
    files = shown(ranked(task, bench, paths=paths, baseline=baseline, pointed=pointed), left)
    parts += [_TITLE + files] if files else []
    return printable("\n\n".join(parts))


def more_context(
    task: Task,
    bench: Readable,
    seen: Collection[str],
    *,
    baseline: TestReport | None,
    window_tokens: int | None = None,
) -> str:
    """The next files in rank that were not shown yet, for a model that is stuck; "" where there are none.

    `seen` are paths; `paths_shown` reads them out of earlier texts.
    """
    files = ranked(task, bench, paths=bench.paths(), baseline=baseline, known=tuple(seen))[:MORE_FILES]
    text = shown(files, budget_for(window_tokens).answer_chars)
    return printable(f"# Other files that may matter\n\n{text}") if text else ""


def paths_shown(text: str) -> tuple[str, ...]:
    """The files that a text made here shows, whole or in part."""
    return tuple(dict.fromkeys(match[1] for match in _HEADING.finditer(text)))


def issue_text(task: Task, *, notes: Sequence[str] = (), chars: int = ISSUE_CHARS) -> str:
    """The issue and what was said of it, each in a fence."""
    issue_chars = min(ISSUE_CHARS, chars * 3 // 4, chars // (1 + bool(task.hint) + bool(task.asked)))
    comment_chars = min(COMMENT_CHARS, chars // 4)
    number = "" if task.number is None else f" #{task.number}"
    parts = [f"# The issue{number}", fenced(clipped(f"{task.title}\n\n{task.body}".strip(), issue_chars), "text")]
    parts += _question(task, chars=chars // 4)
    said = [("Whoever started this run adds:", task.hint)] if task.hint else []
    said += [("A note:", note) for note in notes]
    said += [(f"{comment.author.login} commented:", comment.body) for comment in task.comments[-COMMENTS:]]
    for who, words in said:
        told = f"{who}\n\n{fenced(clipped(words, comment_chars), 'text')}"
        parts += [told] if len(told) + sum(map(len, parts)) <= chars else []
    return "\n\n".join(parts)


def _question(task: Task, *, chars: int) -> list[str]:
    """What an earlier run asked, and what people said to it."""
    if not task.asked:
        return []
    most = max(min(chars // (SHORTEST_WORDS + 2 * COMMENT_HEAD) - 1, COMMENTS), 1)
    answered = task.answered[-most:]
    share = max(chars // (len(answered) + 1) - COMMENT_HEAD, SHORTEST_WORDS)
    said = [("An earlier run of yours asked:", task.asked)]
    said += [(f"{note.author} answered:", note.text) for note in answered]
    return [f"{who}\n\n{fenced(clipped(words, share), 'text')}" for who, words in said]


def _pointed(
    task: Task, start: Change, paths: Sequence[str], left_open: Mapping[str, Sequence[int]]
) -> tuple[Frame, ...]:
    """The places that a run is about which goes on from a change, what is asked of it first."""
    found = [Frame(path, line) for path, lines in left_open.items() for line in lines[:POINTED_LINES]]
    found += [Frame(one.path, _line(one.lines)) for one in task.requests if one.path in paths]
    found += [frame for check in task.checks for frame in frames(check.log, paths)[:POINTED_LINES]]
    touched = touched_lines(start.patch) if start.patch else {}
    found += [Frame(path, line) for path, lines in touched.items() for line in lines[:POINTED_LINES]]
    return tuple(dict.fromkeys(found))[:POINTED]


def _line(lines: str) -> int:
    """The first line that words such as “12–14” name; 1 for the whole file."""
    found = re.search(r"\d{1,7}", lines)
    return max(int(found[0]), 1) if found else 1


def tree_text(paths: Sequence[str], *, chars: int = TREE_CHARS) -> str:
    """Every path where there are few; else those near the root, and the other folders with how much they hold."""
    if len(paths) <= TREE_PATHS and sum(len(path) + 1 for path in paths) <= chars:
        return "# Files\n\n" + fenced("\n".join(paths), "text")
    near = [path for path in paths if path.count("/") <= 1][: TREE_PATHS // 2]
    deep = Counter(str(PurePosixPath(*PurePosixPath(path).parts[:2])) + "/" for path in paths if path.count("/") > 1)
    folders = [f"{folder} ({count} files)" for folder, count in deep.most_common(TREE_PATHS // 2)]
    return f"# Files ({len(paths)} in all)\n\n" + fenced(clipped("\n".join(folders + near), chars), "text")


def files_text(
    bench: Readable,
    paths: Sequence[str],
    *,
    lines: Mapping[str, Sequence[int]],
    title: str,
    chars: int = FILES_CHARS,
) -> str:
    """The files' contents within the budget, each in a fence; of a long one the definitions that the lines are in."""
    read = bench.read_many(paths)
    sources = {path: read_source(read[path]) for path in paths if path in read}
    texts = {path: source.text for path, source in sources.items() if source is not None}
    symbols = symbols_in(texts)
    files = []
    for at, (path, text) in enumerate(texts.items()):
        around = [symbols[path].innermost(line) for line in lines.get(path, ())]
        wanted = {one: WANTED - at for one in around if one is not None}
        files.append(Ranked(path, text, symbols[path], WANTED - at, wanted, tuple(lines.get(path, ()))))
    text = shown(files, chars)
    return f"# {title}\n\n{text}" if text else ""
