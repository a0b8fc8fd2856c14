"""A run of the agent as its callers make it: each iteration in a fresh copy of the tree, from what was stored."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.agent import Agent, Dialect, Model, nobody
from bot.agent.probing import Remembered
from bot.records import Caps, Change, Note, Progress, Reproduce, StopCheck, Task, TestReport, dump, load
from tests.agent.fakes import FakeWorkbench, a_task, green, never, red

CALC = b"def add(a, b):\n    return a - b\n"


def fix(body: str, test: str = "test_add") -> str:
    """A whole reply in fenced blocks: the change, a test, and the end."""
    return f"{change(body)}\n{a_test(test)}\n```finish\nadd() adds now.\n```\n"


def change(body: str) -> str:
    """A block that writes calc.py."""
    return f"```python path=calc.py\ndef add(a, b):\n    return {body}\n```\n"


def a_test(name: str = "test_add", expected: int = 3) -> str:
    """A block that writes a test file."""
    code = f"from calc import add\n\n\ndef {name}():\n    assert add(1, 2) == {expected}\n"
    return f"```python path=tests/{name}.py\n{code}```\n"


def a_bench(**rest: object) -> FakeWorkbench:
    return FakeWorkbench({"calc.py": CALC, "README.md": b"# calc\n"}, **rest)  # type: ignore[arg-type]


def a_start(**files: str) -> Change:
    """What a branch holds already; `calc_py="…"` writes `calc.py`, `tests_test_add_py` a file below `tests`."""
    bench = a_bench()
    for name, text in files.items():
        path = name.removesuffix("_py") + ".py"
        bench.write(path.replace("tests_", "tests/", 1), text.encode())
    return bench.change()


def judge(files: Mapping[str, bytes]) -> TestReport:
    return green() if b"a + b" in files["calc.py"] else red()


def run(
    model: Model,
    bench: FakeWorkbench,
    *,
    caps: Caps | None = None,
    task: Task | None = None,
    baseline: TestReport | None = None,
    reproduce: Reproduce = Reproduce.TOGETHER,
    progress: Progress | None = None,
    times: int = 20,
    stop: StopCheck = never,
    said: Callable[[], Sequence[Note]] = nobody,
    **rest: Any,
) -> Progress:
    """Iterate until there is a verdict, with an agent and a workbench of its own each time."""
    stored = dump(progress or Progress())
    for _ in range(times):
        before = load(Progress, stored)
        agent = Agent(model, **{"dialect": Dialect.FENCED, "habits": Remembered(), **rest})
        after = agent.iterate(
            task or a_task(),
            before,
            bench.reopened(before.change),
            caps=caps or Caps(),
            baseline=baseline,
            reproduce=reproduce,
            stop=stop,
            said=said,
        )
        stored = dump(after)
        if after.verdict:
            break
    return load(Progress, stored)
