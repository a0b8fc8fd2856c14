"""What the model is shown before the first iteration: issue, tree, baseline, and the files that seem to matter.

Functions over what a `Workbench` reads; all text that others wrote stands in fences, as data. Everything is bounded.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from bot.agent.edits import fenced
from bot.agent.hands import printable
from bot.agent.reports import baseline_text
from bot.agent.texts import read_source
from bot.records import Task, TestReport, Workbench
from sandbox.contract import clipped

ISSUE_CHARS = 12_000
COMMENT_CHARS = 3_000
COMMENTS = 12
TREE_PATHS = 200
FILES = 6
FILE_CHARS = 7_000
FILES_CHARS = 18_000
IDENTIFIERS = 8
MODULE_DEPTH = 8
SEARCHED_CHARS = 40_000
HITS_AROUND = 25

_KEYWORDS = "def|class|function|func|fn|const|let|var|type|struct|interface"
_WORD = re.compile(r"[\w./+-]{3,200}")
_DOTTED = re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b")
_NAME = re.compile(
    r"`([A-Za-z_]\w{2,})(?:\(\))?`|\b([A-Za-z_]\w{2,})\(|\b([a-z]+(?:_[a-z0-9]+)+)\b|\b([A-Z][a-z]+[A-Z]\w+)\b"
)


def context(task: Task, bench: Workbench, *, baseline: TestReport | None, notes: Sequence[str] = ()) -> str:
    """The opening of every conversation of one run: made once, kept as it is, so that it stays a stable prefix."""
    paths = bench.paths()
    files = relevant_files(task, bench, paths=paths, baseline=baseline)
    parts = [issue_text(task, notes=notes), tree_text(paths)]
    if baseline is not None:
        parts.append(baseline_text(baseline))
    parts += [files] if files else []
    return printable("\n\n".join(parts))


def issue_text(task: Task, *, notes: Sequence[str] = ()) -> str:
    """The issue and what was said of it, each in a fence."""
    number = "" if task.number is None else f" #{task.number}"
    parts = [f"# The issue{number}", fenced(clipped(f"{task.title}\n\n{task.body}".strip(), ISSUE_CHARS), "text")]
    for comment in task.comments[-COMMENTS:]:
        parts += [f"{comment.author.login} commented:", fenced(clipped(comment.body, COMMENT_CHARS), "text")]
    if task.hint:
        parts += ["Whoever started this run adds:", fenced(clipped(task.hint, COMMENT_CHARS), "text")]
    for note in notes:
        parts += ["A note:", fenced(clipped(note, COMMENT_CHARS), "text")]
    return "\n\n".join(parts)


def tree_text(paths: Sequence[str]) -> str:
    """Every path where there are few; else those near the root, and the other folders with how much they hold."""
    if len(paths) <= TREE_PATHS:
        return "# Files\n\n" + fenced("\n".join(paths), "text")
    near = [path for path in paths if path.count("/") <= 1][: TREE_PATHS // 2]
    deep = Counter(str(PurePosixPath(*PurePosixPath(path).parts[:2])) + "/" for path in paths if path.count("/") > 1)
    folders = [f"{folder} ({count} files)" for folder, count in deep.most_common(TREE_PATHS // 2)]
    return f"# Files ({len(paths)} in all)\n\n" + fenced("\n".join(near + folders), "text")


def relevant_files(task: Task, bench: Workbench, *, paths: Sequence[str], baseline: TestReport | None) -> str:
    """The files that the issue, its tracebacks and the failing tests name, or that define what it names."""
    said = "\n".join([task.title, task.body, task.hint, *(comment.body for comment in task.comments)])
    failed = [case for case in baseline.cases if case.id in baseline.failed] if baseline else []
    failing = "\n".join(f"{case.file or ''} {case.message}" for case in failed)
    said, failing = said[:SEARCHED_CHARS], failing[:SEARCHED_CHARS]
    names = identifiers(said)
    chosen = [*named_paths(said, paths), *defining_paths(names, bench), *named_paths(failing, paths)]
    chosen += [test for path in chosen for test in tests_of(path, paths)]
    return files_text(bench, list(dict.fromkeys(chosen))[:FILES], names=names)


def named_paths(text: str, paths: Sequence[str]) -> list[str]:
    """The repository's files that a text names, as a path, by its end, or as a dotted module."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        word = match[0].strip(".").lstrip("/.")
        found += _ending_in(word, paths) if "/" in word or "." in word else []
    for match in _DOTTED.finditer(text):
        parts = match[0].split(".", maxsplit=MODULE_DEPTH)[:MODULE_DEPTH]
        for end in range(len(parts), 0, -1):
            modules = _ending_in("/".join(parts[:end]) + ".py", paths) if end > 1 or len(parts) > 1 else []
            if modules:
                found += modules
                break
    return list(dict.fromkeys(found))


def identifiers(text: str) -> list[str]:
    """The names that look like code, those named most often first."""
    counted = Counter(next(group for group in match.groups() if group) for match in _NAME.finditer(text))
    return [name for name, _ in counted.most_common(IDENTIFIERS)]


def defining_paths(names: Iterable[str], bench: Workbench) -> list[str]:
    """The files in which the names are defined, most definitions first; source before tests."""
    wanted = "|".join(names)
    if not wanted:
        return []
    pattern = rf"({_KEYWORDS})[[:space:]]+({wanted})([^[:alnum:]_]|$)|^({wanted})[[:space:]]*="
    counted = Counter(line.split(":", 1)[0].removeprefix("./") for line in bench.search(pattern))
    return sorted(counted, key=lambda path: (is_test(path), -counted[path], path))


def tests_of(path: str, paths: Sequence[str]) -> list[str]:
    """The test files that are named after a source file."""
    stem = PurePosixPath(path).stem
    return [
        one
        for one in paths
        if is_test(one) and PurePosixPath(one).stem in (f"test_{stem}", f"{stem}_test", f"{stem}.test")
    ]


def is_test(path: str) -> bool:
    """Whether a path looks like a test's."""
    name = PurePosixPath(path).name
    return (
        "tests/" in path or path.startswith("test/") or name.startswith("test_") or "_test." in name or ".test." in name
    )


def files_text(
    bench: Workbench, paths: Sequence[str], *, names: Sequence[str] = (), title: str = "Files that may matter"
) -> str:
    """The files' contents within the budget, each in a fence; of a long one the parts round the names."""
    parts: list[str] = []
    left = FILES_CHARS
    for path in paths:
        data = bench.read(path)
        source = read_source(data) if data is not None else None
        if source is None or left <= 0:
            continue
        text = source.text
        shown, whole = (
            (text, True)
            if len(text) <= min(FILE_CHARS, left)
            else (excerpts(text, names, min(FILE_CHARS, left)), False)
        )
        left -= len(shown)
        parts.append(
            f"{path}{'' if whole else f' (parts of its {len(source.lines)} lines)'}:\n\n{fenced(shown, 'text')}"
        )
    return f"# {title}\n\n" + "\n\n".join(parts) if parts else ""


def excerpts(text: str, names: Sequence[str], limit: int) -> str:
    """The parts of a long file round the lines that hold the names; its head where none does."""
    lines = text.split("\n")
    wanted = re.compile(r"\b(?:" + "|".join(map(re.escape, names)) + r")\b") if names else None
    hits = [at for at, line in enumerate(lines) if wanted and wanted.search(line)]
    kept = sorted(
        {near for at in hits[:12] for near in range(max(0, at - HITS_AROUND), min(len(lines), at + HITS_AROUND))}
    )
    if not kept:
        return text[:limit] + "\n[…]"
    parts: list[str] = []
    before = -1
    for at in kept:
        parts += [f"[… line {at + 1} …]"] if at != before + 1 else []
        parts.append(lines[at])
        before = at
    return "\n".join(parts)[:limit] + "\n[…]"


def _ending_in(name: str, paths: Sequence[str]) -> list[str]:
    """The paths that are the name or end in it as whole components; none where that is too many to tell."""
    if not name:
        return []
    found = [path for path in paths if path == name or path.endswith(f"/{name}") or name.endswith(f"/{path}")]
    return found if len(found) <= 3 else []
