"""The queue as a whole, for operators: what is at work and where, what waits, in which order, and why. Pure."""

from collections.abc import Mapping, Sequence

from bot.records import Trigger
from bot.runs.controls import SeenWorker, Wanted
from bot.runs.deciding import CHEAP, AtOnce, fair, has_room, in_the_way_of, spot_of
from bot.runs.store import RUNS, RunRow, Waiting, run_id_for
from bot.writing.queue import Entry, QueueView, WorkerLine


def overview(
    *,
    waiting: Sequence[Waiting],
    active: Sequence[RunRow],
    workers: Sequence[SeenWorker],
    wanted: Wanted,
    at_once: AtOnce,
) -> QueueView:
    """What there is; the rest waits in the order in which it would get room by now, what asks for no run first."""
    alive = [worker for worker in workers if worker.is_alive]
    names = {worker.id: worker.name if worker.is_alive else f"{worker.name} (gone)" for worker in workers}
    room = at_once.within(sum(worker.places for worker in alive if not worker.drains))
    others = [each for each in waiting if each.trigger.kind not in RUNS]
    in_line = fair([each for each in waiting if each.trigger.kind in RUNS], active)
    shown: list[Entry] = [_request(each, why="" if alive else _NOBODY) for each in others]
    places = 0
    for each in in_line:
        why, is_for_a_place = _why(each.trigger, active, alive, wanted, room)
        places += is_for_a_place
        shown.append(_request(each, why=why, place=places if is_for_a_place else None))
    return QueueView(
        workers=[_worker(worker, active) for worker in alive],
        at_work=[_run(run, names) for run in active],
        waiting=shown,
        paused_at=wanted.paused_at,
    )


_NOBODY = "no worker is alive"


def _why(
    trigger: Trigger, active: Sequence[RunRow], alive: Sequence[SeenWorker], wanted: Wanted, room: AtOnce
) -> tuple[str, bool]:
    """Why a run has not begun, and whether it waits for a place."""
    if run_id_for(trigger) in wanted.cancelled:
        return "is being cancelled", False
    if same_issue := in_the_way_of(trigger, active):
        return f"run {same_issue[0].id} is at work on it", False
    takes_a_place = trigger.kind not in CHEAP
    if wanted.is_paused:
        return "new runs are paused", takes_a_place
    if not alive:
        return _NOBODY, takes_a_place
    if all(worker.drains for worker in alive):
        return "every worker drains", takes_a_place
    return _full(trigger, active, room), takes_a_place


def _full(trigger: Trigger, active: Sequence[RunRow], room: AtOnce) -> str:
    """Which limit leaves no room for it, "" for none: then it begins as soon as GitHub has let in who asked."""
    for most, words in (
        (AtOnce(all=room.all), "all places are taken"),
        (AtOnce(of_installation=room.of_installation), "its account has as many runs at work as it may"),
        (AtOnce(of_repository=room.of_repository), "its repository has as many runs at work as it may"),
    ):
        if not has_room(spot_of(trigger), active, at_once=most):
            return words
    return ""


def _request(each: Waiting, *, why: str, place: int | None = None) -> Entry:
    trigger = each.trigger
    at = trigger.asked_at
    return Entry(
        id=run_id_for(trigger),
        key=trigger.key,
        account=at.repository.owner,
        installation=at.repository.installation_id,
        repository=at.repository.full_name,
        number=at.number,
        kind=trigger.kind,
        since=each.accepted_at,
        place=place,
        why=why,
    )


def _run(run: RunRow, names: Mapping[str, str]) -> Entry:
    at = run.trigger.issue
    return Entry(
        id=run.id,
        key=run.trigger.key,
        account=at.repository.owner,
        installation=at.repository.installation_id,
        repository=at.repository.full_name,
        number=at.number,
        kind=run.trigger.kind,
        since=run.started_at,
        is_at_work=True,
        why=_what_keeps(run),
        worker="" if run.worker_id is None or run.resumes_at is not None else names.get(run.worker_id, "gone"),
    )


def _what_keeps(run: RunRow) -> str:
    if run.stop_because is not None:
        return f"stops: {run.stop_because}"
    if run.resumes_at is not None:
        return f"waits for {run.waits_for or 'a service'}"
    return "waits for a worker" if run.worker_id is None else ""


def _worker(worker: SeenWorker, active: Sequence[RunRow]) -> WorkerLine:
    held = [run for run in active if run.worker_id == worker.id and run.resumes_at is None]
    at_work = sum(run.trigger.kind not in CHEAP for run in held)
    return WorkerLine(worker.name, worker.places, at_work, drains=worker.drains, problem=worker.problem)
