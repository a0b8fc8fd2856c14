"""What is to become of a trigger that asks for a run, and which goes first. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bot.records import Outcome, Trigger, TriggerKind
from bot.runs.seen import can_be_seen
from bot.runs.store import PROOFS, WORK, RunRow, Waiting
from bot.triggers.checking import PASSED

CHEAP = (TriggerKind.MOVED, TriggerKind.CHECKS)
"""What takes seconds to say, and no place."""

UNASKED = (*CHEAP, TriggerKind.MEND)
"""What nobody asks for: facts, and what the repository's settings ask for."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Start a run for it."""


@dataclass(frozen=True, slots=True)
class Settle:
    """Nothing is to be done; `note` says why."""

    note: str


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell it to the run at work, as a note."""


@dataclass(frozen=True, slots=True)
class Later:
    """Leave it waiting: for a free place alone, or for what is at work on the same issue."""

    for_a_place: bool


def decide(
    waiting: Waiting, *, active: Sequence[RunRow], runs: Sequence[RunRow], free: bool
) -> Begin | Settle | Tell | Later:
    """What is to become of a trigger that asks for a run or an examination. `runs` are all of its issue, oldest first.

    Neither keeps the other waiting; each of them is done once at a time on an issue. Of which commit a proof is asked
    for again is known when its turn comes, not here.
    """
    trigger = waiting.trigger
    same_issue = [run for run in active if same(run.trigger, trigger) and _is_alike(run.trigger, trigger)]
    if trigger.kind is TriggerKind.ANSWER and any(_goes_on_from_an_answer(run) for run in same_issue):
        return Tell()
    if note := _needless(waiting, same_issue, runs):
        return Settle(note)
    if same_issue:
        return Later(for_a_place=False)
    return Begin() if free or trigger.kind in CHEAP else Later(for_a_place=True)


def fair(waiting: Sequence[Waiting], active: Sequence[RunRow]) -> list[Waiting]:
    """The triggers as they get free places: fewest active runs of the installation, of the repository, then age."""
    by_installation = Counter(run.trigger.issue.repository.installation_id for run in active)
    by_repository = Counter(run.trigger.issue.repository.id for run in active)

    def rank(each: Waiting) -> tuple[int, int, int]:
        repository = each.trigger.issue.repository
        return by_installation[repository.installation_id], by_repository[repository.id], each.seq

    return sorted(waiting, key=rank)


def same(one: Trigger, other: Trigger) -> bool:
    """Whether both are about the same issue."""
    return (one.issue.repository.id, one.issue.number) == (other.issue.repository.id, other.issue.number)


def is_before(one: Waiting, other: Waiting) -> bool:
    """By GitHub's clock, which tells seconds alone, and within one second as they came in."""
    return (one.trigger.occurred_at, one.seq) < (other.trigger.occurred_at, other.seq)


def _is_alike(one: Trigger, other: Trigger) -> bool:
    """Whether both are about an issue and its pull request, or both about the repository."""
    return (one.kind in (*WORK, *PROOFS)) == (other.kind in (*WORK, *PROOFS))


def _needless(waiting: Waiting, same_issue: Sequence[RunRow], runs: Sequence[RunRow]) -> str:
    """Why nothing is to be done, or ""."""
    trigger = waiting.trigger
    work = [run for run in runs if run.trigger.kind in WORK]
    last = work[-1] if work else None
    match trigger.kind:
        case TriggerKind.START | TriggerKind.MEND:
            at_work = [run for run in same_issue if run.trigger.kind in WORK and run.stop_because is None]
            if at_work:
                return f"run {at_work[0].id} is at work on the issue already"
            is_late = last is not None and trigger.occurred_at <= last.trigger.occurred_at
            return f"asked for before run {last.id} was" if last is not None and is_late else ""
        case TriggerKind.ANSWER:
            return "" if _is_answer_to(last, waiting) else "nobody waits for an answer"
        case TriggerKind.REVIEW if trigger.issue.number == trigger.pull_request:
            return "no pull request of ours"
        case TriggerKind.CHECKS:
            return _untold(trigger, runs)
        case _:
            return ""


def _goes_on_from_an_answer(run: RunRow) -> bool:
    """Whether a second answer, “and keep the BOM”, is for it."""
    return run.trigger.kind is TriggerKind.ANSWER and run.stop_because is None


def _is_answer_to(last: RunRow | None, waiting: Waiting) -> bool:
    """Whether the issue's newest work has ended with a question, which whoever wrote this can have seen."""
    if last is None or last.outcome is not Outcome.NEEDS_INFORMATION:
        return False
    occurred_at = waiting.trigger.occurred_at
    return can_be_seen(last.finished_at, accepted_at=waiting.accepted_at, occurred_at=occurred_at)


def _untold(trigger: Trigger, runs: Sequence[RunRow]) -> str:
    """Why nobody is to be told of checks: that they passed says something only where it was said that they failed."""
    if not any(run.trigger.kind in WORK for run in runs):
        return "no run of ours"
    told = [run for run in runs if run.trigger.kind is TriggerKind.CHECKS and run.trigger.head_sha == trigger.head_sha]
    return "it was never said that they failed" if trigger.text in PASSED and not told else ""
