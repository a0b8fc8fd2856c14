"""The loop that every tutorial has: prompt, code out of the fence, tests, errors into the history, again.

It is what the others are measured against, so it has none of our agent's devices, on purpose.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from bench.solve.judging import Judge
from bench.solve.records import Budget, Endpoint, ProgramTask, Task, Tried, program
from bot.agent import Message, OpenAIModel, Role
from bot.agent.checking import SOLUTION
from bot.backtest.tasks import RepositoryTask, State
from bot.errors import Unavailable
from sandbox.contract import File, clipped

TEMPERATURE = 0.2
SHOWN_CHARS = 24_000
CHARS_OF_A_TOKEN = 1.5
"""So many characters of source are shown for each token of a small window; the rest is for words and replies."""
OUTPUT_CHARS = 6_000
PROGRAM = "{prompt}\n\nAnswer with the whole program in one ```python block."
ISSUE = """Fix this issue in a repository.

# {title}

{body}

The repository's files:
{listing}

{sources}

Answer with every file that you change, whole, each in a fenced block that begins with its path, like this:

```python path/to/file.py
the whole file
```"""
FAILED = "That does not pass:\n\n{problem}\n\nAnswer again, in the same form."
NOTHING = "your answer changed no file"

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FIRST_LINE = re.compile(r"#\s*(\S+\.\w+)\s*\n")


class Plain:
    """The plain loop at a temperature of 0.2, its whole history kept. `window` None: large enough."""

    name = "plain"

    def __init__(self, judge: Judge, window: int | None = None) -> None:
        self._judge = judge
        self._room = min(SHOWN_CHARS, int(CHARS_OF_A_TOKEN * window)) if window else SHOWN_CHARS

    def attempt(self, task: Task, endpoint: Endpoint, *, seed: int, budget: Budget) -> Tried:  # noqa: ARG002 - the meter sends it
        model = OpenAIModel(endpoint.model, base_url=endpoint.base_url, api_key=endpoint.api_key)
        messages = [Message(Role.USER, _prompt(task, self._room))]
        states: list[State | None] = []
        ended = "iterations"
        for _ in range(budget.iterations):
            try:
                reply = _ask(model, messages)
            except Unavailable as away:
                return Tried(tuple(states), str(away), failed=True)
            state = _state(task, states, reply, self._room)
            states.append(state)
            problem = self._problem(task, state)
            if not problem:
                ended = "tests pass"
                break
            messages += [Message(Role.ASSISTANT, reply), Message(Role.USER, FAILED.format(problem=problem))]
        return Tried(tuple(states), ended)

    def _problem(self, task: Task, state: State | None) -> str:
        match task:
            case ProgramTask():
                found = self._judge.check(task, _text(state or {}, SOLUTION))
                return "" if found.passed else found.problem
            case RepositoryTask():
                if state is None or state == task.files:
                    return NOTHING
                report = self._judge.visible(task, state)
                return "" if report.is_green else clipped(report.output, OUTPUT_CHARS)


def _ask(model: OpenAIModel, messages: Sequence[Message]) -> str:
    reply = model.complete(messages, tools=None, temperature=TEMPERATURE, max_tokens=None, stop=lambda: False)
    return reply.text or ""


def _prompt(task: Task, room: int) -> str:
    match task:
        case ProgramTask():
            return PROGRAM.format(prompt=task.prompt)
        case RepositoryTask():
            shown = shown_in(task, room)
            sources = "\n\n".join(f"```python {path}\n{_text(task.files, path)}```" for path in shown)
            listing = "\n".join(sorted(task.files))
            return ISSUE.format(title=task.title, body=task.body, listing=listing, sources=sources)


def shown_in(task: RepositoryTask, room: int) -> Sequence[str]:
    """The files that the issue names or, if none, every source file; one that no longer fits is left out."""
    words = f"{task.title}\n{task.body}"
    sources = [path for path in sorted(task.files) if path.endswith(".py") and not _is_test(path)]
    shown: list[str] = []
    for path in [path for path in sources if _is_named(path, words)] or sources:
        size = len(task.files[path].data)
        if size <= room:
            shown.append(path)
            room -= size
    return shown


def _is_named(path: str, words: str) -> bool:
    """Whether the issue names a file. A package's own name, which most issues hold, does not name its `__init__.py`."""
    name, dotted = PurePosixPath(path).name, _dotted(path)
    if name == "__init__.py":
        return path.removeprefix("src/") in words or ("." in dotted and dotted in words)
    return name in words or dotted in words


def _is_test(path: str) -> bool:
    name = PurePosixPath(path).name
    return name.startswith("test") or name == "conftest.py" or path.startswith(("tests/", "test/"))


def _dotted(path: str) -> str:
    """`src/pkg/mod.py` as `pkg.mod`."""
    return path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _state(task: Task, before: Sequence[State | None], reply: str, room: int) -> State | None:
    """What the reply makes of the files; None where there is nothing in it."""
    blocks = [(info.split(), text) for info, text in _FENCE.findall(reply)]
    match task:
        case ProgramTask():
            return program(blocks[0][1] if blocks else reply)
        case RepositoryTask():
            last = next((state for state in reversed(before) if state is not None), task.files)
            return {**last, **_files(blocks, shown_in(task, room))} or None


def _files(blocks: Sequence[tuple[Sequence[str], str]], shown: Sequence[str]) -> Mapping[str, File]:
    found = {}
    for info, text in blocks:
        commented = _FIRST_LINE.match(text)
        if len(info) > 1:
            path = info[-1].split("=")[-1].strip("\"'")
        elif commented:
            path = commented[1]
        elif len(shown) == 1:
            path = shown[0]
        else:
            continue
        if not path.startswith("/") and ".." not in path.split("/"):
            found[path.removeprefix("./")] = File(text.encode())
    return found


def _text(state: State, path: str) -> str:
    file = state.get(path)
    return file.data.decode("utf-8", "replace") if file else ""
