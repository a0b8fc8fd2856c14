"""How it stands on an issue, from what is kept: for whoever asks."""

from collections.abc import Callable, Sequence
from typing import Any

from bot.records import Caps, Progress, TestReport, load
from bot.runs.deciding import same
from bot.runs.store import RUNS, WORK, RunRow, Store, Waiting
from bot.writing.progress import Phase
from bot.writing.status import AtWork, Ended, InLine, Standing

CapsOf = Callable[[str], Caps]
"""The limits of a run, by its id."""


def standing_on(
    store: Store,
    asked: Waiting,
    waiting: Sequence[Waiting],
    places: Sequence[Waiting],
    caps_of: CapsOf,
    *,
    is_paused: bool = False,
) -> Standing:
    """How it stands on the issue that is asked about. `places` are those that wait for a free place, the next first."""
    issue = asked.trigger.issue
    runs = store.runs_of(issue.repository.id, issue.number)
    work = [run for run in runs if run.is_finished and run.trigger.kind in WORK]
    in_line = [each for each in waiting if each.trigger.kind in RUNS and same(each.trigger, asked.trigger)]
    return Standing(
        at_work=tuple(_at_work(store, run, caps_of) for run in runs if not run.is_finished),
        in_line=tuple(_in_line(each, places) for each in in_line),
        last=_ended(store, work[-1], caps_of) if work else None,
        is_paused=is_paused,
    )


def phase_of(facts: dict[str, Any], progress: Progress) -> Phase:
    """Where a run is, by what its steps have found out."""
    if facts.get("head_sha"):
        return Phase.PUBLISHING
    if progress.verdict is not None:
        return Phase.PROVING
    if facts.get("baseline"):
        return Phase.WORKING
    return Phase.BASELINE if facts.get("plan") else Phase.PREPARING


def _at_work(store: Store, run: RunRow, caps_of: CapsOf) -> AtWork:
    facts, progress = store.facts(run.id), store.progress(run.id)
    return AtWork(
        run_id=run.id,
        kind=run.trigger.kind,
        phase=phase_of(facts, progress),
        iteration=len(progress.iterations) + 1,
        caps=caps_of(run.id),
        progress=progress,
        baseline=load(TestReport, facts["baseline"]) if facts.get("baseline") else None,
        is_stopping=run.stop_because is not None,
        waits_for=run.waits_for or "",
    )


def _in_line(each: Waiting, places: Sequence[Waiting]) -> InLine:
    place = next((number for number, other in enumerate(places, 1) if other.seq == each.seq), None)
    return InLine(each.trigger.kind, place, len(places))


def _ended(store: Store, run: RunRow, caps_of: CapsOf) -> Ended | None:
    if run.outcome is None:
        return None
    facts = store.facts(run.id)
    return Ended(
        run_id=run.id,
        outcome=run.outcome,
        reason=run.reason or "",
        pull_request=facts.get("pull_request"),
        progress=store.progress(run.id),
        caps=caps_of(run.id),
    )
