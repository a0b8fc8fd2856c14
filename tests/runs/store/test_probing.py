"""Whether the database would keep what comes in."""

from dataclasses import dataclass

from sqlalchemy import Engine, event, text
from sqlalchemy.exc import OperationalError

from bot.runs.probing import KEPT_S, Probe, try_to_keep
from bot.runs.store import Store


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_write_is_begun_now_and_then_and_each_look_reads(engine: Engine) -> None:
    clock, said = Clock(), list[str]()
    event.listen(engine, "before_cursor_execute", lambda *given: said.append(given[2].split()[0]))
    probe = Probe(engine, clock)

    problems = [probe.problem() for _ in range(3)]
    clock.now += KEPT_S
    problems.append(probe.problem())

    assert problems == ["", "", "", ""]
    assert said == ["UPDATE", "SELECT", "SELECT", "UPDATE"]


def test_to_try_whether_a_trigger_would_be_kept_keeps_none(engine: Engine, store: Store) -> None:
    try_to_keep(engine)

    assert store.waiting() == []


def test_a_database_that_takes_nothing_any_more_is_found_out_within_seconds_and_that_it_does_again_at_once(
    engine: Engine,
) -> None:
    clock = Clock()
    probe = Probe(engine, clock)
    probe.problem()
    shut, open_ = {
        "sqlite": ("PRAGMA query_only = ON", "PRAGMA query_only = OFF"),
        "postgresql": ("SET default_transaction_read_only = on", "SET default_transaction_read_only = off"),
    }[engine.dialect.name]
    with engine.begin() as connection:
        connection.execute(text(shut))

    clock.now += KEPT_S
    shut_problem = probe.problem()
    with engine.connect() as connection:
        connection.execute(text(open_))
        connection.commit()

    assert "read" in shut_problem
    assert probe.problem() == ""


def test_a_database_that_can_not_be_read_is_found_out_at_once(engine: Engine) -> None:
    probe = Probe(engine, Clock())
    probe.problem()

    def refuse(*_: object) -> None:
        raise OperationalError("SELECT", {}, Exception("cut off"))

    event.listen(engine, "before_cursor_execute", refuse)

    assert probe.problem() == "the database does not answer: cut off"
