"""What is to become of a trigger that asks for a run, and which goes first. Pure."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.records import Outcome, Trigger, TriggerKind
from bot.runs.seen import can_be_seen
from bot.runs.store import PROOFS, WORK, RunRow, Waiting
from bot.triggers.checking import PASSED

CHEAP = (TriggerKind.MOVED, TriggerKind.CHECKS)
"""What takes seconds to say, and no place."""

CHEAP_AT_ONCE = 8
CHEAP_OF_AN_ACCOUNT = 2
"""How much of that is under way at once, in all and of one account, which may have to wait for GitHub long."""

UNASKED = (*CHEAP, TriggerKind.MEND)
"""What nobody asks for: facts, and what the repository's settings ask for."""


@dataclass(frozen=True, slots=True)
class AtOnce:
    """How many runs may be at work at once: in all, of a repository, of an installation. None: no such limit.

    `is_paused`: nothing is to begin, whatever room there is.
    """

    all: int | None = None
    of_repository: int | None = None
    of_installation: int | None = None
    is_paused: bool = False

    def within(self, places: int) -> "AtOnce":
        """The same, where there are so many places."""
        return replace(self, all=places if self.all is None else min(self.all, places))

    def with_one_less(self) -> "AtOnce":
        """The same, where a place is kept for somebody."""
        return self if self.all is None else replace(self, all=self.all - 1)


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
    """Leave it waiting for what is at work on the same issue."""


@dataclass(frozen=True, slots=True)
class Ear:
    """How the issue's newest work listens to comments without a command.

    `asked_at` is when the question that it ends with was shown, None while it has asked none; `is_open` says that its
    model is asked still.
    """

    asked_at: float | None = None
    is_open: bool = False


DEAF = Ear()
"""Where nothing works, or ever did."""


def decide(
    waiting: Waiting, *, active: Sequence[RunRow], runs: Sequence[RunRow], ear: Ear = DEAF
) -> Begin | Settle | Tell | Later:
    """What is to become of a trigger that asks for a run or an examination, where there is room.

    `runs` are all of its issue, oldest first.

    Neither keeps the other waiting; each of them is done once at a time on an issue. Of which commit a proof is asked
    for again is known when its turn comes, not here.
    """
    trigger = waiting.trigger
    same_issue = in_the_way_of(trigger, active)
    if trigger.kind is TriggerKind.ANSWER and ear.is_open and any(map(_goes_on_from_an_answer, same_issue)):
        return Tell()
    if note := _needless(waiting, same_issue, runs, ear):
        return Settle(note)
    return Later() if same_issue else Begin()


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a run is at work, or would be; `is_cheap`: it takes no place."""

    installation_id: int
    repository_id: int
    is_cheap: bool = False


def spot_of(trigger: Trigger) -> Spot:
    """Where the run would be at work that the trigger asks for."""
    repository = trigger.issue.repository
    return Spot(repository.installation_id, repository.id, trigger.kind in CHEAP)


def has_room(here: Spot, active: Sequence[RunRow], *, at_once: AtOnce) -> bool:
    """Whether one more may begin: what is cheap has room beside the places, and of that no account has all.

    What waits for a service has left its place.
    """
    if at_once.is_paused:
        return False
    alike = [run for run in active if (run.trigger.kind in CHEAP) == here.is_cheap]
    if here.is_cheap:
        of_account = sum(run.trigger.issue.repository.installation_id == here.installation_id for run in alike)
        return sum(run.resumes_at is None for run in alike) < CHEAP_AT_ONCE and of_account < CHEAP_OF_AN_ACCOUNT
    working = [run.trigger.issue.repository for run in alike if run.resumes_at is None]
    return all(
        most is None or count < most
        for count, most in (
            (len(working), at_once.all),
            (sum(each.id == here.repository_id for each in working), at_once.of_repository),
            (sum(each.installation_id == here.installation_id for each in working), at_once.of_installation),
        )
    )


def ranks(active: Sequence[RunRow]) -> Callable[[Spot], tuple[int, int]]:
    """Which spot has room first: that of the fewest active runs of the installation, then of the repository.

    What is cheap and what takes a place don't count for each other.
    """
    at_work = [spot_of(run.trigger) for run in active]
    by_installation = Counter((spot.is_cheap, spot.installation_id) for spot in at_work)
    by_repository = Counter((spot.is_cheap, spot.repository_id) for spot in at_work)
    return lambda spot: (
        by_installation[spot.is_cheap, spot.installation_id],
        by_repository[spot.is_cheap, spot.repository_id],
    )


def fair(waiting: Sequence[Waiting], active: Sequence[RunRow]) -> list[Waiting]:
    """The triggers as they get room: by the rank of their spots, then by age."""
    rank = ranks(active)
    return sorted(waiting, key=lambda each: (*rank(spot_of(each.trigger)), each.seq))


def same(one: Trigger, other: Trigger) -> bool:
    """Whether both are about the same issue."""
    return (one.issue.repository.id, one.issue.number) == (other.issue.repository.id, other.issue.number)


def in_the_way_of(trigger: Trigger, active: Sequence[RunRow]) -> list[RunRow]:
    """What is at work on the same issue and of the same sort: about it with its pull request, or the repository."""
    return [run for run in active if same(run.trigger, trigger) and _is_alike(run.trigger, trigger)]


def is_before(one: Waiting, other: Waiting) -> bool:
    """By GitHub's clock, which tells seconds alone, and within one second as they came in."""
    return (one.trigger.occurred_at, one.seq) < (other.trigger.occurred_at, other.seq)


def _needless(waiting: Waiting, same_issue: Sequence[RunRow], runs: Sequence[RunRow], ear: Ear) -> str:
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
        case TriggerKind.REVIEW | TriggerKind.ANSWER if trigger.issue.number == trigger.pull_request:
            return "no pull request of ours"
        case TriggerKind.ANSWER:
            return "" if _is_answer_to(last, waiting, ear) else "nobody waits for an answer"
        case TriggerKind.CHECKS:
            return _untold(trigger, runs)
        case _:
            return ""


def _is_alike(one: Trigger, other: Trigger) -> bool:
    return (one.kind in (*WORK, *PROOFS)) == (other.kind in (*WORK, *PROOFS))


def _goes_on_from_an_answer(run: RunRow) -> bool:
    """Whether a second answer, “and keep the BOM”, is for it."""
    return run.trigger.kind is TriggerKind.ANSWER and run.stop_because is None


def _is_answer_to(last: RunRow | None, waiting: Waiting, ear: Ear) -> bool:
    """Whether the issue's newest work has asked a question, which whoever wrote this can have seen.

    It is shown before the run is at its end: who is quick answers in between.
    """
    if last is None or last.outcome not in (None, Outcome.NEEDS_INFORMATION):
        return False
    asked_at = last.finished_at if ear.asked_at is None else ear.asked_at
    return can_be_seen(asked_at, accepted_at=waiting.accepted_at, occurred_at=waiting.trigger.occurred_at)


def _untold(trigger: Trigger, runs: Sequence[RunRow]) -> str:
    """Why nobody is to be told of checks: that they passed says something only where it was said that they failed."""
    if not any(run.trigger.kind in WORK for run in runs):
        return "no run of ours"
    told = [run for run in runs if run.trigger.kind is TriggerKind.CHECKS and run.trigger.head_sha == trigger.head_sha]
    return "it was never said that they failed" if trigger.text in PASSED and not told else ""
