"""What a turn of the dispatcher costs, by how much waits: with all places taken, and where a place is filled.

    make bench
    python -m bench.dispatch --database SQLite --waiting 10 1000 100000

All that waits was let in and knows its place, in 100 repositories of 20 accounts. GitHub is a fake that answers at
once: what is measured is the dispatcher and its database. Medians; memory is the most that one turn takes beside what
there was before it.
"""

import argparse
import logging
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine, func, insert, select, text

from bench.databases import postgresql
from bot.records import IssueRef, Outcome, Person, RepositoryRef, Trigger, TriggerKind, dump
from bot.runs.database import connect
from bot.runs.deciding import AtOnce
from bot.runs.dispatcher import Dispatcher
from bot.runs.schema import migrate
from bot.runs.shelf import Shelf
from bot.runs.store import Store, run_id_for
from bot.runs.tables import asks, inbox, queue_comments
from tests.github.fake import FakeGitHub, FakeRepository
from tests.runs.fakes import RecordingStarter

LENGTHS = (10, 1_000, 100_000)
INSTALLATIONS, REPOSITORIES, PLACES = 20, 100, 4
TURNS = 15
NEW = 500
_ROWS_AT_ONCE = 5_000
_SORTED_BY = 600.0


@dataclass(frozen=True, slots=True)
class Cost:
    """What was measured at one length. `sort_s` is for one trigger."""

    idle: "Took"
    filling: "Took"
    sort_s: float
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Took:
    """Medians in seconds: on the clock, and of this process alone, which a busy machine does not lengthen."""

    clock_s: float
    cpu_s: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.dispatch", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=("SQLite", "PostgreSQL"), action="append")
    parser.add_argument("--waiting", type=int, nargs="+", default=LENGTHS)
    chosen = parser.parse_args(arguments)
    logging.disable()
    for name in chosen.database or ("SQLite", "PostgreSQL"):
        make = sqlite if name == "SQLite" else postgresql
        print(f"\nA turn of the dispatcher; {name}, {PLACES} places, medians of {TURNS}")
        print(f"{'':>10}{'all places taken':>30}{'a place is filled':>30}{'memory':>10}{'sorting':>10}")
        print(
            f"{'waiting':>10}{'ms':>12}{'CPU, ms':>10}{'':>8}{'ms':>12}{'CPU, ms':>10}{'':>8}{'kB':>10}{'ms each':>10}"
        )
        base: Cost | None = None
        for length in chosen.waiting:
            cost = measured(make, length)
            if cost is None:
                break
            base = base or cost
            print(
                f"{length:>10,}{_columns(cost.idle, base.idle)}{_columns(cost.filling, base.filling)}"
                f"{cost.memory_bytes / 1000:10.0f}{cost.sort_s * 1000:10.2f}"
            )


def _columns(took: Took, base: Took) -> str:
    return f"{took.clock_s * 1000:12.1f}{took.cpu_s * 1000:10.1f}{took.clock_s / base.clock_s:7.1f}×"


def measured(make: Callable[[], AbstractContextManager[str | None]], length: int) -> Cost | None:
    """The costs with so much waiting; None where there is no such database."""
    with make() as url:
        if url is None:
            return None
        engine = connect(url)
        migrate(engine)
        with engine.begin() as connection:
            _fill(connection.execute, length + 2 * PLACES + TURNS)
        if engine.dialect.name == "postgresql":
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(text("ANALYZE"))
        cost = _cost(engine, length)
        engine.dispose()
    return cost


def _cost(engine: Engine, length: int) -> Cost:
    store, starter = Store(engine), RecordingStarter()
    dispatcher = _dispatcher(store, starter)
    begun = time.perf_counter()
    while Shelf.NEW in store.shelves.filled():
        dispatcher.turn()
        assert time.perf_counter() - begun < _SORTED_BY
    sort_s = (time.perf_counter() - begun) / min(length + 2 * PLACES + TURNS, NEW)
    for _ in range(10):
        dispatcher.turn()
    idle = _median([_timed(dispatcher.turn) for _ in range(TURNS)])
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    dispatcher.turn()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    filling = []
    for _ in range(TURNS):
        store.finish(store.unfinished()[0].id, Outcome.UNSOLVED, "")
        started = len(starter.started)
        filling.append(_timed(dispatcher.turn))
        assert len(starter.started) == started + 1
    with engine.connect() as connection:
        waits = connection.execute(select(func.count()).where(inbox.c.state == "waiting")).scalar_one()
    assert waits >= length
    return Cost(idle, _median(filling), sort_s, most - before)


def _timed(work: Callable[[], None]) -> Took:
    begun, cpu = time.perf_counter(), time.process_time()
    work()
    return Took(time.perf_counter() - begun, time.process_time() - cpu)


def _median(took: Sequence[Took]) -> Took:
    return Took(statistics.median(each.clock_s for each in took), statistics.median(each.cpu_s for each in took))


@contextmanager
def sqlite() -> Iterator[str]:
    """A new SQLite file."""
    with tempfile.TemporaryDirectory(prefix="bench-dispatch-") as folder:
        yield f"sqlite:///{Path(folder) / 'selfcode.sqlite'}"


def _dispatcher(store: Store, starter: RecordingStarter) -> Dispatcher:
    github = FakeGitHub()
    for number in range(REPOSITORIES):
        repository = _repository(number)
        github.repositories[repository.id] = FakeRepository(repository, roles={"ada": "write"})
    return Dispatcher(
        store=store,
        github=github,
        starter=starter,
        allowed_owners=frozenset({"octo"}),
        label="selfcode",
        min_permission="write",
        limits=lambda: AtOnce(PLACES),
    )


def _fill(execute: Callable[..., object], count: int) -> None:
    for first in range(0, count, _ROWS_AT_ONCE):
        triggers = [_trigger(number) for number in range(first, min(first + _ROWS_AT_ONCE, count))]
        execute(insert(inbox), [_row(number, trigger) for number, trigger in enumerate(triggers, first)])
        let_in = {"login": "ada", "is_let_in": True, "at": time.time()}
        execute(
            insert(asks),
            [{"key": each.key, "repository_id": each.issue.repository.id, **let_in} for each in triggers],
        )
        execute(
            insert(queue_comments),
            [{"run_id": run_id_for(each), "comment_id": 1, "said": "further back"} for each in triggers],
        )


def _trigger(number: int) -> Trigger:
    return Trigger(
        key=f"start:{number}",
        kind=TriggerKind.START,
        issue=IssueRef(_repository(number % REPOSITORIES), number + 1),
        sender=Person("ada"),
        occurred_at="2026-11-29T10:00:00Z",
        because="label added",
    )


def _row(number: int, trigger: Trigger) -> dict[str, object]:
    """The first are new; of many, the rest lie where the dispatcher lays these."""
    at = trigger.issue.repository
    return {
        "key": trigger.key,
        "kind": str(trigger.kind),
        "installation_id": at.installation_id,
        "repository_id": at.id,
        "number": trigger.issue.number,
        "trigger": dump(trigger),
        "accepted_at": time.time(),
        "state": "waiting",
        "shelf": str(Shelf.PLACES if number >= NEW else Shelf.NEW),
    }


def _repository(number: int) -> RepositoryRef:
    return RepositoryRef(1 + number % INSTALLATIONS, 1 + number, "octo", f"cat-{number}")


if __name__ == "__main__":
    main()
