"""A run as it is kept, and how it is read back."""

import json
import time
import uuid
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, select, update

from bot.records import Health, Outcome, Trigger, TriggerKind
from bot.runs.inbox import trigger_of
from bot.runs.listed import of_facts
from bot.runs.tables import runs
from bot.runs.transactions import transaction

_RUN_IDS = uuid.UUID("6f1c0f0e-6d0c-4d6f-9c59-5e1fc0de0001")

WORK = (TriggerKind.START, TriggerKind.RETRY, TriggerKind.REVIEW, TriggerKind.MEND, TriggerKind.ANSWER)
"""What becomes a run: work on an issue."""

PROOFS = (TriggerKind.ACCEPT, TriggerKind.RENEW, TriggerKind.MOVED, TriggerKind.CHECKS)
"""What is about a pull request that is there already, and its proof: like work, one at a time on an issue."""

PROVING = (Outcome.PROVEN, Outcome.UNPROVEN)
"""How a run ends that got to say its proof: another end leaves it kept and unsaid."""

RUNS = (*WORK, *PROOFS, TriggerKind.DOCTOR)
"""What is kept, queued and told as a run: an examination too, which is of the repository and no work on an issue."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as it is kept. Times are seconds since the epoch.

    `worker_id` and `fence` are those of its last lease. One with `resumes_at` has left its place until then, and waits
    for what `waits_for` says.
    """

    id: str
    trigger: Trigger
    is_finished: bool
    started_at: float
    finished_at: float | None
    stop_because: str | None
    outcome: Outcome | Health | None
    reason: str | None
    worker_id: str | None = None
    fence: int = 0
    resumes_at: float | None = None
    waits_for: str | None = None


def run_id_for(trigger: Trigger) -> str:
    """The id of the run that a trigger starts: the same however often it is asked."""
    return run_id_of(trigger.key)


def run_id_of(key: str) -> str:
    """The same, of the trigger with this key."""
    return uuid.uuid5(_RUN_IDS, key).hex[:16]


def read_runs(engine: Engine, condition: ColumnElement[bool]) -> list[RunRow]:
    """The runs that meet the condition, oldest first."""
    with transaction(engine) as connection:
        rows = connection.execute(select(*_OF_A_RUN).where(condition).order_by(runs.c.started_at, runs.c.id)).all()
    return [
        RunRow(
            id=row.id,
            trigger=trigger_of(row.trigger),
            is_finished=row.state == "finished",
            started_at=row.started_at,
            finished_at=row.finished_at,
            stop_because=row.stop_because,
            outcome=outcome_of(row.outcome),
            reason=row.reason,
            worker_id=row.worker_id,
            fence=row.fence,
            resumes_at=row.resumes_at,
            waits_for=row.waits_for,
        )
        for row in rows
    ]


def outcome_of(text: str | None) -> Outcome | Health | None:
    """How a run ended, or an examination; None while it has not."""
    if not text:
        return None
    return Health(text) if text in set(Health) else Outcome(text)


def read_facts(connection: Connection, run_id: str) -> dict[str, Any]:
    """What the steps of a run found out so far."""
    text = connection.execute(select(runs.c.facts).where(runs.c.id == run_id)).scalar_one()
    facts: dict[str, Any] = json.loads(text)
    return facts


def add_facts(connection: Connection, run_id: str, found: dict[str, Any]) -> None:
    """Keep what a step found out. Values are JSON."""
    _lock(connection, run_id)
    known = read_facts(connection, run_id) | found
    connection.execute(
        update(runs).where(runs.c.id == run_id).values(facts=json.dumps(known), **of_facts(found, time.time()))
    )


_OF_A_RUN = (
    runs.c.id,
    runs.c.trigger,
    runs.c.state,
    runs.c.started_at,
    runs.c.finished_at,
    runs.c.stop_because,
    runs.c.outcome,
    runs.c.reason,
    runs.c.worker_id,
    runs.c.fence,
    runs.c.resumes_at,
    runs.c.waits_for,
)
"""What a `RunRow` is made of; `facts`, which may be long, is read by whoever wants it."""


def _lock(connection: Connection, run_id: str) -> None:
    """Take the write lock before what is read is written back: SQLite's transactions begin with their first write."""
    connection.execute(update(runs).where(runs.c.id == run_id).values(state=runs.c.state))
