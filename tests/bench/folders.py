"""Two tiny tasks as folders: a function to write, and one to repair."""

import textwrap
from pathlib import Path

RIGHT = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a - b\n"
JUDGE = "from solution import add\n\n\ndef test_add():\n    assert add(1, 2) == 3, 'one and two'\n"
VISIBLE = """\
from unittest import TestCase

from calc import add


class TestVisible(TestCase):
    def test_nothing(self):
        assert add(0, 0) == 0
"""
HIDDEN = """\
from unittest import TestCase

from calc import add


class TestHidden(TestCase):
    def test_two_numbers(self):
        assert add(2, 3) == 5
"""


def write(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder


def program_task(folder: Path) -> Path:
    described = 'kind = "program"\ntitle = "add"\nprompt = "Write add(a, b)."\n'
    return write(folder / "adder", {"task.toml": described, "judge.py": JUDGE, "solution.py": RIGHT})


def repository_task(folder: Path, *, test: str = "python3 -m unittest") -> Path:
    """`test`, where there is one, is the test command: unittest starts five times as fast as pytest."""
    described = 'kind = "repository"\ntitle = "add() subtracts"\nbody = "add(2, 3) in calc.py gives -1."\n'
    described += f'test = "{test}"\n' if test else ""
    files = {
        "task.toml": described,
        "repository/calc.py": WRONG,
        "repository/test_calc.py": VISIBLE,
        "judge/test_judge.py": HIDDEN,
        "solution/calc.py": RIGHT,
    }
    return write(folder / "subtracting", files)


def tasks(folder: Path) -> Path:
    program_task(folder)
    repository_task(folder)
    return folder
