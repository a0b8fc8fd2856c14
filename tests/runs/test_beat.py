"""How a worker shows that it lives, and how well."""

import time
from pathlib import Path

import pytest

from bot.runs.beat import BEAT, STUCK_S, Pulse, beat_text, last_beat
from tests.runs.fakes import Clock


def test_a_home_that_no_worker_was_ever_at_has_no_beat(tmp_path: Path) -> None:
    assert last_beat(tmp_path) is None


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (beat_text(worker="", sandbox=""), {}),
        (beat_text(worker="it hangs", sandbox="no\nengine"), {"worker": "it hangs", "sandbox": "no\nengine"}),
        ("the sandbox: no engine", {"sandbox": "the sandbox: no engine"}),
    ],
)
def test_a_beat_says_when_it_was_given_and_what_ails_which_part(
    tmp_path: Path, text: str, problems: dict[str, str]
) -> None:
    before = time.time()
    (tmp_path / BEAT).write_text(text)

    found = last_beat(tmp_path)

    assert found is not None
    assert found.problems == problems
    assert found.at >= before - 1


def test_a_worker_that_comes_through_is_well_and_one_that_does_not_is_stuck_after_a_while() -> None:
    clock = Clock()
    pulse = Pulse(clock)
    clock.now += STUCK_S - 1
    early = pulse.problem()
    clock.now += 2
    late = pulse.problem()
    pulse.came_through()

    assert (early, pulse.problem()) == ("", "")
    assert late == f"the worker has not come through what waits for {STUCK_S + 1:.0f} s: its log has the reason"
