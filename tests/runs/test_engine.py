"""How one lease's telling of a run goes on behind another's, and what is never taken over from it."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from bot.runs.engine import Engine
from bot.runs.leases import Lease, LeaseLost
from bot.runs.steps import step

PROMPT_S = 30.0
STEPS = ("admit", "fetch", "proof", "result")


@dataclass
class Teller:
    """Tells a run of four steps by these leases, one engine after the other; `loses` is where the lease is lost."""

    folder: Path
    loses: str = ""
    version: str = "1"
    did: list[str] = field(default_factory=list)
    values: list[object] = field(default_factory=list)
    _is_over: threading.Event = field(default_factory=threading.Event)

    def tells(self, lease: Lease) -> Sequence[str]:
        """What was done under this lease, and not before."""
        self.did, self.values = [], []
        self._is_over.clear()
        url = f"sqlite:///{self.folder / 'steps.sqlite'}"
        with Engine(url, lease.worker_id, self._tell, version=self.version, rest_s=0.0) as engine:
            engine.start(lease)
            assert self._is_over.wait(PROMPT_S)
            self.is_to_start_again = engine.is_to_start_again(lease.run_id)
        return self.did

    def _tell(self, lease: Lease) -> None:
        try:
            for name in STEPS:
                self.values.append(step(name, partial(self._do, name, lease), stop=lambda: False))
        finally:
            self._is_over.set()

    def _do(self, name: str, lease: Lease) -> str:
        if name == self.loses:
            raise LeaseLost
        self.did.append(name)
        return f"{name} under {lease.fence}"


@pytest.fixture
def teller(tmp_path: Path) -> Teller:
    return Teller(tmp_path)


def test_a_run_that_is_taken_over_goes_on_behind_the_last_step_that_was_done(teller: Teller) -> None:
    teller.loses = "proof"
    assert teller.tells(Lease("run", "ann", 1)) == ["admit", "fetch"]
    teller.loses = ""

    assert teller.tells(Lease("run", "bob", 2)) == ["proof", "result"]
    assert teller.values == ["admit under 1", "fetch under 1", "proof under 2", "result under 2"]
    assert teller.tells(Lease("run", "cyd", 3)) == []


def test_a_step_in_which_the_run_was_lost_is_not_kept_and_its_story_is_not_told_again_here(teller: Teller) -> None:
    teller.loses = "admit"

    assert teller.tells(Lease("run", "ann", 1)) == []
    assert not teller.is_to_start_again


def test_what_brings_a_run_to_a_home_is_done_again_in_another_one(teller: Teller) -> None:
    teller.loses = "proof"
    teller.tells(Lease("run", "ann", 1, home_since=1))

    assert teller.tells(Lease("run", "bob", 2, home_since=2)) == ["fetch"]
    assert teller.tells(Lease("run", "bill", 3, home_since=2)) == []
    assert teller.values == ["admit under 1", "fetch under 2"]


def test_a_result_that_was_told_is_told_again_in_another_home_where_fetching_says_that_the_run_is_being_prepared(
    teller: Teller,
) -> None:
    teller.tells(Lease("run", "ann", 1, home_since=1))

    assert teller.tells(Lease("run", "bob", 2, home_since=2)) == ["fetch", "result"]


def test_what_a_worker_does_late_that_has_lost_the_run_is_nothing_to_the_one_that_has_it(teller: Teller) -> None:
    teller.tells(Lease("run", "bob", 2))

    late = teller.tells(Lease("run", "ann", 1))

    assert list(late) == [*STEPS]
    assert teller.tells(Lease("run", "cyd", 3)) == []
    assert teller.values == [f"{name} under 2" for name in STEPS]


def test_what_was_done_by_other_steps_counts_for_nothing(teller: Teller) -> None:
    teller.tells(Lease("run", "ann", 1))
    teller.version = "11"

    assert teller.tells(Lease("run", "bob", 2)) == [*STEPS]
