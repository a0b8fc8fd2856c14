"""Whether what a model is shown at first holds the lines that a known solution changes, by the size of its window."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

from bot.agent.context import context
from bot.backtest.tasks import RepositoryTask
from bot.records import Task

WINDOWS = (4_096, 8_192, 16_384, 32_768, 131_072)
AROUND = 1
SEARCH_LINES = 200


@dataclass(frozen=True, slots=True)
class Viewed:
    """One window: in how many of the tasks every line to change was in view, and the mean length of what was shown."""

    window_tokens: int
    in_view: int
    count: int
    mean_chars: int


def viewed(tasks: Sequence[RepositoryTask], window_tokens: int) -> Viewed:
    """Look at the first message for each task that has a solution."""
    known = [task for task in tasks if task.solution]
    texts = [
        context(Task(title=task.title, body=task.body), _Base(task), baseline=None, window_tokens=window_tokens)
        for task in known
    ]
    in_view = sum(all(part in text for part in _to_change(task)) for task, text in zip(known, texts, strict=True))
    return Viewed(window_tokens, in_view, len(known), sum(map(len, texts)) // max(len(texts), 1))


def _to_change(task: RepositoryTask) -> Iterator[str]:
    """Each run of lines that the solution changes, with a line on both sides."""
    for path, file in task.solution.items():
        before = task.files[path].data.decode().split("\n") if path in task.files else []
        after = file.data.decode().split("\n")
        for kind, first, last, _, _ in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if kind != "equal":
                yield "\n".join(before[max(first - AROUND, 0) : max(last, first) + AROUND])


class _Base:
    """The base of a task, to look at."""

    def __init__(self, task: RepositoryTask) -> None:
        self._files = {path: file.data for path, file in task.files.items()}

    def paths(self) -> Sequence[str]:
        return sorted(self._files)

    def read(self, path: str) -> bytes | None:
        return self._files.get(path)

    def read_many(self, paths: Collection[str]) -> Mapping[str, bytes]:
        return {path: self._files[path] for path in paths if path in self._files}

    def search(self, pattern: str, path: str = ".") -> Sequence[str]:  # noqa: ARG002 - everything is searched
        wanted = re.compile(pattern.replace("[[:space:]]", r"\s"))
        found = (
            f"{name}:{number}:{line}"
            for name, data in sorted(self._files.items())
            for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1)
            if wanted.search(line)
        )
        return list(islice(found, SEARCH_LINES))
