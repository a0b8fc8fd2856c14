"""What earlier runs on the same issue left: a question, a test that a person was asked about, attempts."""

from collections.abc import Sequence
from itertools import takewhile

from bot.records import Attempt, Iteration, Outcome, TriggerKind, Verdict
from bot.runs.asked import asked_about
from bot.runs.store import WORK, RunRow, Store

ANSWERING = (TriggerKind.ANSWER, TriggerKind.RETRY)
"""What may be the answer to the question that the run before ended with."""


QUESTION_SHOWN_AT = "question_shown_at"
"""The fact that says when a run's question was shown, in seconds since the epoch."""


def question_shown_at(store: Store, run_id: str) -> float | None:
    """When the question that a run ends with was shown; None where it has asked none."""
    found: float | None = store.facts(run_id).get(QUESTION_SHOWN_AT)
    return found


def question_before(store: Store, run_id: str) -> RunRow | None:
    """The run whose question this one is the answer to, if it is one."""
    earlier = _asking_before(store, run_id)
    return earlier if earlier is not None and store.progress(earlier.id).verdict is Verdict.QUESTION else None


def asked_test(store: Store, run_id: str) -> tuple[Iteration, str] | None:
    """The test that a person was asked about, where this run is the answer, and the base that it was written on."""
    earlier = _asking_before(store, run_id)
    asked = asked_about(store.progress(earlier.id)) if earlier else None
    if earlier is None or asked is None:
        return None
    return asked, str(store.facts(earlier.id).get("base", ""))


def attempts_up_to(store: Store, run_id: str) -> tuple[Attempt, ...]:
    """Every run that worked on the issue, oldest first, up to this one and with it."""
    earlier = [*_work_before(store, run_id), store.run(run_id)]
    return tuple(_attempt(store, run, number) for number, run in enumerate(earlier, start=1))


def _attempt(store: Store, run: RunRow, number: int) -> Attempt:
    facts = store.facts(run.id)
    return Attempt(
        number=number,
        run_id=run.id,
        because=run.trigger.because,
        outcome=str(run.outcome) if run.outcome else None,
        head_sha=facts.get("head_sha", ""),
        log_url=facts.get("log_url", ""),
    )


def _asking_before(store: Store, run_id: str) -> RunRow | None:
    """The run of work before this one, where it waits for an answer that this one may be."""
    if store.run(run_id).trigger.kind not in ANSWERING:
        return None
    earlier = _work_before(store, run_id)
    return earlier[-1] if earlier and earlier[-1].outcome is Outcome.NEEDS_INFORMATION else None


def _work_before(store: Store, run_id: str) -> Sequence[RunRow]:
    """The runs of work on the issue before this one, oldest first."""
    issue = store.run(run_id).trigger.issue
    runs = [run for run in store.runs_of(issue.repository.id, issue.number) if run.trigger.kind in WORK]
    return list(takewhile(lambda run: run.id != run_id, runs))
