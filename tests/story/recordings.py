"""A tiny repository with a bug that its tests miss, and what a model replies to the issue."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.demo.recorded import Recording

TITLE = "add() loses the sign of negative numbers"
BODY = "`add(-2, 1)` gives `1`; I expected `-1`."

CODE = b"def add(a, b):\n    return abs(a) + b if a < 0 else a + b\n"
FIXED = b"def add(a, b):\n    return a + b\n"
TESTS = b"""\
from unittest import TestCase

from calc import add


class TestAdd(TestCase):
    def test_add(self):
        assert add(1, 2) == 3
"""
NEVER_ENDS = b"""\
import time
from unittest import TestCase


class TestSlow(TestCase):
    def test_slow(self):
        time.sleep(300)
"""
CONFIGURATION = b'test: python3 -m unittest\nsetup: ""\n'
"""A run of unittest takes a fifth of the time that one of pytest takes, and a story has a dozen."""

FOR_PYTEST = {".github/selfcode.yml": b'test: PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python3 -m pytest -q\nsetup: ""\n'}
"""To be laid over the files where a story needs pytest."""

TOGETHER = CONFIGURATION + b"reproduce: together\n"
"""Test and change in one reply are asked for."""

ASK = CONFIGURATION + b"reproduce: ask\n"

NEW_TEST = """\
```python path=test_negative.py
from unittest import TestCase

from calc import add


class TestSign(TestCase):
    def test_add_keeps_the_sign_of_a_negative_number(self):
        assert add(-2, 1) == -1
```
"""
WRONG_FIX = """\
```python path=calc.py
def add(a, b):
    return -abs(a) - b if a < 0 else a + b
```
"""
RIGHT_FIX = """\
```python path=calc.py
def add(a, b):
    return a + b
```
"""


DOCUMENTED = """\
```python path=calc.py
def add(a, b):
    \"\"\"The sum of both.\"\"\"
    return a + b
```
"""


def finish(words: str) -> str:
    return f"```finish\n{words}\n```\n"


def files(**changed: bytes | None) -> dict[str, bytes]:
    """The tiny repository; keyword `calc_py` changes `calc.py`, None leaves a file out."""
    whole: dict[str, bytes | None] = {
        "calc.py": CODE,
        "test_calc.py": TESTS,
        ".github/selfcode.yml": CONFIGURATION,
    }
    named = {name.replace("_py", ".py") if name.endswith("_py") else name: data for name, data in changed.items()}
    return {path: data for path, data in (whole | named).items() if data is not None}


def recording(*iterations: Sequence[str] | str, match: str = TITLE) -> Recording:
    """Replies, iteration by iteration; one reply where the iteration has one."""
    rounds = tuple(
        tuple({"content": reply} for reply in ([given] if isinstance(given, str) else given)) for given in iterations
    )
    return Recording("recorded", match, rounds)


def wrong_then_right(match: str = TITLE) -> Recording:
    """A right test, a wrong fix, then the right fix."""
    return recording(
        f"The sign gets lost.\n\n{NEW_TEST}\n{finish('A test for the sign.')}",
        f"{WRONG_FIX}\n{finish('add() negates.')}",
        f"The second operand must not be negated.\n\n{RIGHT_FIX}\n{finish('add() adds as it is.')}",
        match=match,
    )


def looks_first(match: str = TITLE) -> Recording:
    """The same, but the model looks twice before its wrong fix: at the tests, whose output tells how long they took."""
    test, wrong, right = wrong_then_right(match).iterations
    looks = tuple({"content": f"```sh\n{command}\n```\n"} for command in ("python3 -m unittest", "cat calc.py"))
    return Recording("recorded", match, (test, (*looks, *wrong), right))


def right_at_once(match: str = TITLE) -> Recording:
    """A right test, and the right fix at once."""
    return recording(
        f"{NEW_TEST}\n{finish('A test for the sign.')}",
        f"{RIGHT_FIX}\n{finish('add() adds as it is.')}",
        match=match,
    )


def tool_reply(*calls: tuple[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A reply of native tool calls."""
    return {"content": None, "tool_calls": [{"name": name, "arguments": dict(given)} for name, given in calls]}
