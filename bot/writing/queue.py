"""The queue as operators see it in a terminal: who works, what is at work, what waits and why."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.records import RunLine, TriggerKind
from bot.writing.columns import aligned, moment
from bot.writing.run_list import standing
from bot.writing.safe import clean

MANY = 100
"""How much of what waits is shown where not all of it is asked for."""

NO_PLACE = "–"
"""What waits for something else than a place."""


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
    """All of it. `paused_at` is set while nothing new is to begin. `ended` are those runs that ended last."""

    workers: Sequence[WorkerLine]
    at_work: Sequence[Entry]
    waiting: Sequence[Entry]
    paused_at: float | None = None
    ended: Sequence[RunLine] = ()


def queue_table(view: QueueView, *, many: int = MANY) -> str:
    """The text: at most so many of those that wait, and how many more there are."""
    lines = [_worker(each) for each in view.workers] or ["No worker is alive: what is asked for waits for one."]
    if view.paused_at is not None:
        lines.append(f"Paused since {moment(view.paused_at)}: nothing new begins until `selfcode queue resume`.")
    lines += _part("At work", view.at_work) + _part("Waiting", view.waiting[:many])
    if more := len(view.waiting) - many if len(view.waiting) > many else 0:
        lines.append(f"… and {more:,} more (--all)")
    lines += _ended(view.ended)
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
    return ["", f"{title}:", *(f"  {line}" for line in aligned([_row(each) for each in entries]))]


def _ended(runs: Sequence[RunLine]) -> list[str]:
    if not runs:
        return []
    rows = [(run.id, standing(run), f"{run.repository}#{run.number}", moment(run.finished_at)) for run in runs]
    return ["", "Ended last (all of them: `selfcode runs`):", *(f"  {line}" for line in aligned(rows))]


def _row(entry: Entry) -> tuple[str, ...]:
    place = NO_PLACE if entry.place is None else f"#{entry.place:,}"
    told = "; ".join(part for part in (entry.worker, entry.why) if part)
    where = f"{entry.repository}#{entry.number}"
    cells = (where, str(entry.kind), moment(entry.since), " ".join(told.split()))
    return (entry.id, *cells) if entry.is_at_work else (entry.id, place, *cells)
