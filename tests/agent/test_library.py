"""docs/library.md says what is so: its examples run as they stand."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from bot.agent import run_agent, run_agent_with_tests
from sandbox.process import ProcessSandbox
from tests.agent.fakes import FakeWorkbench, ScriptedModel, says

PAGE = (Path(__file__).parents[2] / "docs" / "library.md").read_text(encoding="utf-8")
ALONE, AGENT = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(ALONE, "docs/library.md", "exec"), {})

    assert capsys.readouterr().out.splitlines() == [
        "1 of 1 tests failed: … - the tests' top level: AssertionError: add returned -1",
        "passed",
        "True 2 240 True",
    ]


def test_the_agents_example_runs_on_any_workbench(capsys: pytest.CaptureFixture[str]) -> None:
    fix = (
        "```python path=calc.py\ndef add(a, b):\n    return a + b\n```\n"
        "```python path=tests/test_add.py\nfrom calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n```\n"
        "```finish\nadd() adds now\n```"
    )
    bench = FakeWorkbench({"calc.py": b"def add(a, b):\n    return a - b\n"})

    exec(compile(AGENT, "docs/library.md", "exec"), {"bench": bench, "model": ScriptedModel([says(fix)])})

    assert capsys.readouterr().out.startswith("solved diff --git a/calc.py b/calc.py")


def test_every_argument_and_every_key_of_the_result_is_on_the_page() -> None:
    model = ScriptedModel([says("assert f() == 1"), says("1: keep"), says("def f():\n    return 1\n")])

    result = run_agent("f", 5, model, ProcessSandbox(), generate_tests=True)

    arguments = {*inspect.signature(run_agent).parameters, *inspect.signature(run_agent_with_tests).parameters}
    assert named_in_tables() >= {*result, *arguments}


def named_in_tables() -> set[Any]:
    firsts = re.findall(r"^\| (`[^|]+) \|", PAGE, re.MULTILINE)
    return {name for first in firsts for name in re.findall(r"`(\w+)`", first)}
