"""What two tellings of one step can't repeat makes no other request of it; all else does."""

from dataclasses import replace

import pytest

from bot.agent.asking import LITTLE_LEFT
from bot.agent.llm import ToolSpec, user
from bot.agent.prompts import prompt
from bot.runs.alike import alike, digest
from bot.runs.wrapped_model import Request


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("1 failed, 1 passed in 0.58s", "1 failed, 1 passed in 10.41s"),
        ("=== 2 failed in 59.9s ==========", "==== 2 failed in 61.20s (0:01:01) ==="),
        ("Ran 3 tests in 0.001s", "Ran 3 tests in 0.012s"),
        ("  ✓ adds", "  ✓ adds (2 ms)"),
        ("ok  \tcalc\t0.003s", "ok  \tcalc\t0.011s"),
        ("real\t0m0.123s", "real\t0m1.002s"),
        ("<calc.Thing object at 0x7f0c0f340310>", "<calc.Thing object at 0x7fbd0110a050>"),
        ("in '/tmp/tmpuvmk1j5h'", "in '/tmp/tmpt104o0z3'"),
        ("/srv/tmp/selfcode-worker-1a2b3c/x/calc.py:3", "/srv/tmp/selfcode-worker-9f8e7d/y/calc.py:3"),
        ("test 0123456789abcdef", "test fedcba9876543210"),
        ("on d4cfe56d2dfc", "on 2cc2ab7d4595"),
        ("UUID('4d36b527-35e8-485a-a725-4ec9f425a583')", "UUID('df3b9f2e-a913-4ee4-b5c7-23b9800b6a02')"),
        ("listening at ('127.0.0.1', 60411)", "listening at ('127.0.0.1', 42343)"),
        ("http://localhost:60411/x", "http://localhost:42343/x"),
        ("2026-05-04T12:00:00Z", "2026-05-05 13:01:09.25"),
        ("Mon Nov 30 20:55:07 UTC 2026", "Tue Dec  1 01:02:03 UTC 2026"),
        ("datetime.datetime(2026, 11, 30, 20, 55)", "datetime.datetime(2026, 11, 30, 20, 55, 6, 12)"),
        ("at 1796072106.695594", "at 1796072153.8647337"),
        ("Randomized with seed 12345", "Randomized with seed 9"),
        ("passed", f"passed\n\n{LITTLE_LEFT}9 more minutes. {prompt('little_left')}"),
        (
            "a\nit took [1,\n[… 113 characters left out …]\n 2]\nz",
            "a\nit took [\n[… 115 characters left out …]\n1, 2]\nz",
        ),
    ],
)
def test_what_no_telling_can_repeat_is_alike(then: str, now: str) -> None:
    assert alike(then) == alike(now)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2 failed, 1 passed", "1 failed, 2 passed"),
        ("calc.py:12: in add", "calc.py:13: in add"),
        ("assert 1 == 3", "assert -1 == 3"),
        ("/workspace/calc.py", "/workspace/cash.py"),
        ("Iteration 2 of 5.", "Iteration 3 of 5."),
        ("passed", f"passed\n\n{LITTLE_LEFT}900 more tokens. {prompt('little_left')}"),
    ],
)
def test_what_else_differs_is_another_request(one: str, other: str) -> None:
    assert alike(one) != alike(other)


def test_a_text_of_any_shape_is_read_in_time() -> None:
    for odd in ("/a", "1.2", "= ", "a\n[… 1", "datetime.date(", "dead", "Mon "):
        alike(odd * 20_000)


def test_a_request_is_known_by_all_that_is_asked() -> None:
    tool = ToolSpec("run", "Run it.", {"type": "object"})

    usual = Request([user("Mend it. 1 failed in 0.1s")], None, None, 0.2, 100)

    others = (
        replace(usual, messages=[user("Mend it. 2 failed in 0.1s")]),
        replace(usual, tools=[tool]),
        replace(usual, schema={}),
        replace(usual, temperature=0.3),
        replace(usual, max_tokens=9),
    )
    digests = [digest("small", usual), digest("large", usual), *(digest("small", each) for each in others)]

    assert digest("small", replace(usual)) == digests[0]
    assert len(set(digests)) == 7
