"""What a look at the queue costs, by how much waits in it."""

import statistics
import tempfile
import time
from pathlib import Path

from sqlalchemy import Engine, insert

from bot.records import IssueRef, Person, RepositoryRef, Trigger, TriggerKind, dump
from bot.runs.database import connect
from bot.runs.deciding import AtOnce
from bot.runs.dispatcher import Dispatcher
from bot.runs.schema import migrate
from bot.runs.store import Store
from bot.runs.tables import inbox
from tests.github.fake import FakeGitHub, FakeRepository
from tests.runs.fakes import RecordingStarter

LENGTHS = (10, 1_000, 100_000)
INSTALLATIONS, REPOSITORIES = 20, 100
TURNS = 15
_ROWS_AT_ONCE = 5_000


def cost_of_a_turn(waiting: int) -> float:
    """Seconds that the dispatcher looks at so many triggers, all places being taken: the median, on SQLite."""
    with tempfile.TemporaryDirectory(prefix="bench-flood-") as folder:
        engine = connect(f"sqlite:///{Path(folder) / 'selfcode.sqlite'}")
        migrate(engine)
        _fill(engine, waiting)
        dispatcher = _dispatcher(engine)
        for _ in range(3):
            dispatcher.turn()
        took = []
        for _ in range(TURNS):
            begun = time.perf_counter()
            dispatcher.turn()
            took.append(time.perf_counter() - begun)
        engine.dispose()
    return statistics.median(took)


def _dispatcher(engine: Engine) -> Dispatcher:
    github = FakeGitHub()
    for number in range(REPOSITORIES):
        repository = _repository(number)
        github.repositories[repository.id] = FakeRepository(repository, roles={"ada": "write"})
    return Dispatcher(
        store=Store(engine),
        github=github,
        starter=RecordingStarter(),
        allowed_owners=frozenset({"octo"}),
        label="selfcode",
        min_permission="write",
        limits=lambda: AtOnce(0),
        send=lambda _line, _work: True,  # whatever is to be asked and said waits for GitHub
    )


def _fill(engine: Engine, count: int) -> None:
    for first in range(0, count, _ROWS_AT_ONCE):
        rows = [_row(number) for number in range(first, min(first + _ROWS_AT_ONCE, count))]
        with engine.begin() as connection:
            connection.execute(insert(inbox), rows)


def _row(number: int) -> dict[str, object]:
    trigger = Trigger(
        key=f"start:{number}",
        kind=TriggerKind.START,
        issue=IssueRef(_repository(number % REPOSITORIES), number + 1),
        sender=Person("ada"),
        occurred_at="2026-11-29T10:00:00Z",
        because="label added",
    )
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
    }


def _repository(number: int) -> RepositoryRef:
    return RepositoryRef(1 + number % INSTALLATIONS, 1 + number, "octo", f"cat-{number}")
