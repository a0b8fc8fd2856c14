"""Which worker acts on what waits."""

from dataclasses import dataclass, field
from typing import cast

import pytest
from sqlalchemy import Engine

from bot.runs.desk import APART_S, Desk
from bot.runs.dispatcher import Dispatcher
from bot.runs.offices import Office
from tests.runs.fellows import Fellow

among_several = pytest.mark.parametrize("address", ["postgresql"], indirect=True)


@dataclass
class Log:
    """Who acted, by the number of the office; a dispatcher is as new as that."""

    turns: list[tuple[str, int]] = field(default_factory=list)

    def open(self, office: Office) -> Dispatcher:
        return cast("Dispatcher", _Acts(self, office))


@dataclass
class _Acts:
    log: Log
    office: Office

    def turn(self) -> None:
        self.log.turns.append((self.office.worker_id, self.office.fence))

    def wait(self, _: float) -> None:
        """There is nothing to wait for."""


@pytest.fixture
def log() -> Log:
    return Log()


def desk_of(worker: Fellow, log: Log) -> Desk:
    return Desk(worker.offices, log.open, worker.clock)


@among_several
def test_one_worker_at_a_time_acts_on_what_waits_and_another_where_it_is_silent(engine: Engine, log: Log) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")
    first, second = desk_of(ann, log), desk_of(bob, log)

    for desk in (first, second, first):
        desk.turn()
    ann.is_silent()
    for desk in (second, first):
        desk.turn()

    assert log.turns == [("ann", 1), ("ann", 1), ("bob", 2)]


@among_several
def test_a_worker_that_meets_a_bug_leaves_the_desk_to_others_for_a_while(engine: Engine, log: Log) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")
    first, second = desk_of(ann, log), desk_of(bob, log)
    first.turn()

    first.let_others()
    first.turn()
    second.turn()
    bob.offices.leave()
    ann.clock.now += APART_S
    first.turn()

    assert [who for who, _ in log.turns] == ["ann", "bob", "ann"]


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_where_there_is_one_worker_alone_it_goes_on_after_a_bug(engine: Engine, log: Log) -> None:
    desk = desk_of(Fellow(engine), log)
    desk.turn()

    desk.let_others()
    desk.turn()

    assert log.turns == [("ann", 1)] * 2
