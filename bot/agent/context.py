"""What the model is shown before the first iteration: issue, tree, baseline, and parts of files that seem to matter.

Functions over what is `Readable`; all text that others wrote stands in fences, as data. All of it fits the budget
of the model's window.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from bot.agent.budget import budget_for
from bot.agent.quoting import fenced, printable
from bot.agent.reports import baseline_text
from bot.agent.texts import read_source
from bot.agent.viewing.pieces import shown
from bot.agent.viewing.ranking import Ranked, ranked
from bot.agent.viewing.reading import symbols_in
from bot.records import Readable, Task, TestReport
from sandbox.contract import clipped

ISSUE_CHARS = 12_000
COMMENT_CHARS = 3_000
COMMENTS = 12
TREE_PATHS = 200
TREE_CHARS = 10_000
FILES_CHARS = 18_000
MORE_FILES = 3
WANTED = 100

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
    window_tokens: int | None = None,
) -> str:
    """The opening of every conversation of one run: made once, kept as it is, so that it stays a stable prefix."""
    chars = budget_for(window_tokens).context_chars
    paths = bench.paths()
    parts = [issue_text(task, notes=notes, chars=chars * 2 // 5), tree_text(paths, chars=chars // 8)]
    parts += [baseline_text(baseline, chars=chars // 6)] if baseline is not None else []
    left = chars - sum(len(part) + 2 for part in parts) - len(_TITLE) - 2
    files = shown(ranked(task, bench, paths=paths, baseline=baseline), left)
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
    issue_chars, comment_chars = min(ISSUE_CHARS, chars * 3 // 4), min(COMMENT_CHARS, chars // 4)
    number = "" if task.number is None else f" #{task.number}"
    parts = [f"# The issue{number}", fenced(clipped(f"{task.title}\n\n{task.body}".strip(), issue_chars), "text")]
    said = [("Whoever started this run adds:", task.hint)] if task.hint else []
    said += [("A note:", note) for note in notes]
    said += [(f"{comment.author.login} commented:", comment.body) for comment in task.comments[-COMMENTS:]]
    for who, words in said:
        told = f"{who}\n\n{fenced(clipped(words, comment_chars), 'text')}"
        parts += [told] if len(told) + sum(map(len, parts)) <= chars else []
    return "\n\n".join(parts)


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
