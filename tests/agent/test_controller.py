"""The agent's loop, against a workbench in memory and a model that follows a script."""

from bot.agent import Agent, Dialect
from bot.records import Caps, Progress, Task, TestReport, Verdict, dump, load
from tests.agent.fakes import FakeWorkbench, ScriptedModel, a_task, calls, green, never, red, says

CALC = b"def add(a, b):\n    return a - b\n"
FIX = """The sign is wrong.

```python path=calc.py
<<<<<<< SEARCH
    return a - b
=======
    return a + b
>>>>>>> REPLACE
```

```python path=tests/test_add.py
from calc import add


def test_add() -> None:
    assert add(1, 2) == 3
```

```finish
add() adds now.
```
"""
WRONG = FIX.replace("return a + b", "return a * b")


def a_bench(**rest: object) -> FakeWorkbench:
    return FakeWorkbench({"calc.py": CALC, "README.md": b"# calc\n"}, **rest)  # type: ignore[arg-type]


def work(
    model: ScriptedModel,
    bench: FakeWorkbench,
    *,
    caps: Caps | None = None,
    task: Task | None = None,
    baseline: TestReport | None = None,
    dialect: Dialect = Dialect.AUTO,
    times: int = 9,
) -> Progress:
    """Iterate as a run does: each time from what was stored, with an agent of its own."""
    stored = dump(Progress())
    for _ in range(times):
        progress = Agent(model, dialect=dialect).iterate(
            task or a_task(), load(Progress, stored), bench, caps=caps or Caps(), baseline=baseline, stop=never
        )
        stored = dump(progress)
        if progress.verdict:
            break
    return load(Progress, stored)


def test_a_reply_with_edits_and_finish_is_one_iteration_and_one_call() -> None:
    model, bench = ScriptedModel([says(FIX)]), a_bench()

    progress = work(model, bench)

    assert progress.verdict is Verdict.SOLVED
    assert progress.why == "add() adds now."
    assert bench.files["calc.py"] == b"def add(a, b):\n    return a + b\n"
    assert (len(model.asked), bench.tests_run) == (1, 1)


def test_native_tool_calls_do_the_same() -> None:
    edit = {"path": "calc.py", "search": "a - b", "replace": "a + b"}
    model = ScriptedModel(
        [calls(("read", {"path": "calc.py"})), calls(("edit", edit), ("finish", {"summary": "adds"}))]
    )
    bench = a_bench()

    progress = work(model, bench)

    assert progress.verdict is Verdict.SOLVED
    assert "return a - b" in model.asked[1].last
    assert bench.files["calc.py"] == b"def add(a, b):\n    return a + b\n"


def test_a_failing_test_opens_the_next_iteration() -> None:
    model, bench = ScriptedModel([says(WRONG), says(FIX.replace("a - b", "a * b"))]), a_bench(reports=[red(), green()])

    progress = work(model, bench)

    assert progress.verdict is Verdict.SOLVED
    assert model.asked[0].opening.startswith("Iteration 1 of 5.\n")
    assert model.asked[1].opening.startswith("Iteration 2 of 5.\n")
    assert "assert -1 == 3" in model.asked[1].opening
    assert [iteration.number for iteration in progress.iterations] == [1, 2]
