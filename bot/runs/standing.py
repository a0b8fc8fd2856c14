"""How it stands on an issue, from what is kept: for whoever asks."""

from collections.abc import Callable, Sequence
from typing import Any

from bot.records import Caps, Progress, TestReport, load
from bot.runs.store import WORK, RunRow, Store, Waiting
from bot.writing.progress import Phase
from bot.writing.status import AtWork, Ended, InLine, Standing

CapsOf = Callable[[str], Caps]
"""The limits of a run, by its id."""


def standing_on(
    store: Store,
    asked: Waiting,
    in_line: Sequence[InLine],
    caps_of: CapsOf,
    *,
    is_paused: bool = False,
) -> Standing:
    """How it stands on the issue that is asked about. `in_line` is what waits on it."""
    issue = asked.trigger.issue
    runs = store.runs_of(issue.repository.id, issue.number)
    work = [run for run in runs if run.is_finished and run.trigger.kind in WORK]
    return Standing(
        at_work=tuple(_at_work(store, run, caps_of) for run in runs if not run.is_finished),
        in_line=tuple(in_line),
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
