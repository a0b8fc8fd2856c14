"""The queue as operators see it in a terminal: who works, what is at work, what waits and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.records import TriggerKind
from bot.writing.safe import clean

MANY = 100
"""How much of what waits is shown where not all of it is asked for."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A run at work, or a request that waits. `id` is that of the run that it is, or would become.

    `place` is set for what waits for a free place, from 1 on. `why` says what it waits for, "" where it need not.
    Moments are seconds since the epoch.
    """

    id: str
    key: str
    account: str
    installation: int
    repository: str
    number: int
    kind: TriggerKind
    since: float | None
    is_at_work: bool = False
    place: int | None = None
    why: str = ""
    worker: str = ""


@dataclass(frozen=True, slots=True)
class WorkerLine:
    """A worker that is alive. `at_work` of its `places` are taken."""

    name: str
    places: int
    at_work: int
    drains: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class QueueView:
    """All of it. `paused_at` is set while nothing new is to begin."""

    workers: Sequence[WorkerLine]
    at_work: Sequence[Entry]
    waiting: Sequence[Entry]
    paused_at: float | None = None


def queue_table(view: QueueView, *, many: int = MANY) -> str:
    """The text: at most so many of those that wait, and how many more there are."""
    lines = [_worker(each) for each in view.workers] or ["No worker is alive: what is asked for waits for one."]
    if view.paused_at is not None:
        lines.append(f"Paused since {_moment(view.paused_at)}: nothing new begins until `selfcode queue resume`.")
    lines += _part("At work", view.at_work) + _part("Waiting", view.waiting[:many])
    if more := len(view.waiting) - many if len(view.waiting) > many else 0:
        lines.append(f"… and {more:,} more (--all)")
    return clean("\n".join(lines))


def _worker(worker: WorkerLine) -> str:
    parts = [f"worker {worker.name}: {worker.at_work} of {worker.places} places taken"]
    if worker.drains:
        parts.append("drains: it ends with the last of its runs")
    if worker.problem:
        parts.append(worker.problem)
    return "; ".join(parts)


def _part(title: str, entries: Sequence[Entry]) -> list[str]:
    if not entries:
        return ["", f"{title}: nothing"]
    rows = [_row(each) for each in entries]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    aligned = (
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    )
    return ["", f"{title}:", *(f"  {line.rstrip()}" for line in aligned)]


def _row(entry: Entry) -> tuple[str, ...]:
    place = "" if entry.place is None else f"#{entry.place:,}"
    told = "; ".join(part for part in (entry.worker, entry.why) if part)
    where = f"{entry.repository}#{entry.number}"
    return entry.id, place, where, str(entry.kind), _moment(entry.since), " ".join(told.split())


def _moment(seconds: float | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
