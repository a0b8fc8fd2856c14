"""Several programs in one iteration: tests choose."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.agent import Message, Reply, run_agent_with_tests
from bot.errors import Stopped
from bot.records import StopCheck
from sandbox.process import ProcessSandbox
from tests.agent.fakes import ScriptedModel, says

TESTS = "assert size('') == 0\nassert size('a') == 1\nassert size('ab') == 2\n"
RIGHT = "def size(text):\n    return len(text)\n"
NEVER = "def size(text):\n    return 7\n"
ONCE = "def size(text):\n    return 0\n"
TWICE = "def size(text):\n    return 1 if text else 0\n"


def code(text: str) -> Reply:
    return says(f"```python\n{text}```")


def solve(replies: Sequence[Reply], **rest: Any) -> tuple[dict[str, Any], ScriptedModel]:
    model = ScriptedModel(replies)
    return run_agent_with_tests("size(text)", TESTS, 5, model, ProcessSandbox(), **rest), model


def test_no_more_candidates_are_drawn_once_one_passes() -> None:
    result, model = solve([code(NEVER), code(RIGHT), code(ONCE)], candidates=4)

    assert (result["success"], result["iterations"], len(model.asked)) == (True, 1, 2)
    assert result["history"] == [
        "1) 1 of 1 tests failed: … - the tests' top level: AssertionError: size returned 7; 2) passed"
    ]


def test_the_best_candidate_goes_into_the_next_prompt() -> None:
    result, model = solve([code(TWICE), code(NEVER), code(ONCE), code(RIGHT)], candidates=3)

    assert (result["iterations"], result["calls"][3]["iteration"]) == (2, 2)
    assert "2 assertions held before it; size returned 1" in model.asked[3].last
    assert result["tests_passed"] == result["tests_total"] == 1


def test_where_none_passes_the_best_of_all_iterations_is_the_result() -> None:
    result, _ = solve([code(NEVER), code(TWICE), code(ONCE), code(NEVER)], candidates=2)

    assert (result["success"], result["code"], result["checked"]) == (False, TWICE, "")


@dataclass
class Gathering:
    """Answers once `together` callers have come, each with a reply of its own."""

    together: int
    replies: list[Reply]
    name: str = "gathering"
    window_tokens: None = None
    gate: threading.Barrier = field(init=False)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.gate = threading.Barrier(self.together)

    def complete(self, messages: Sequence[Message], **_: Any) -> Reply:
        self.gate.wait(60)
        with self.lock:
            return self.replies.pop(0)


def test_candidates_can_be_asked_for_at_the_same_time() -> None:
    model = Gathering(3, [code(NEVER), code(ONCE), code(RIGHT)])

    result = run_agent_with_tests("size(text)", TESTS, 1, model, ProcessSandbox(), candidates=3, at_once=3)

    assert (result["success"], result["iterations"], result["code"]) == (True, 1, RIGHT)
    assert [(call["approach"], call["temperature"]) for call in result["calls"]] == [
        ("plain", 0.2),
        ("in words", 0.4),
        ("plain", 0.6),
    ]


@dataclass
class Endless:
    """Answers when it is told to stop, and not before."""

    asked: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    name: str = "endless"
    window_tokens: None = None

    def complete(self, messages: Sequence[Message], *, stop: StopCheck, **_: Any) -> Reply:
        self.asked.release()
        while not stop():
            threading.Event().wait(0.01)
        raise Stopped


def test_a_stop_ends_all_calls_and_is_asked_on_the_callers_thread() -> None:
    model, askers = Endless(), set()

    def stop() -> bool:
        askers.add(threading.current_thread())
        return model.asked.acquire(timeout=60)

    with pytest.raises(Stopped):
        run_agent_with_tests("size(text)", TESTS, 1, model, ProcessSandbox(), candidates=2, at_once=2, stop=stop)

    assert askers == {threading.current_thread()}
