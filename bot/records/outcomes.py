"""How a run ends."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from bot.records.changes import Change
from bot.records.conversation import Attempt, FailedCheck, Note
from bot.records.plans import TestPlan
from bot.records.proof import Proof
from bot.records.reports import TestReport
from bot.records.work import Progress

StopCheck = Callable[[], bool]
"""True once a person has ended the run. Cheap enough to be asked every second."""


class Outcome(StrEnum):
    """How a run ended."""

    PROVEN = "proven"
    UNPROVEN = "unproven"
    UNSOLVED = "unsolved"
    NOT_REPRODUCED = "not_reproduced"
    NEEDS_INFORMATION = "needs_information"
    BASELINE_BROKEN = "baseline_broken"
    REFUSED = "refused"
    NOTHING_TO_DO = "nothing_to_do"
    STOPPED = "stopped"
    ERROR = "error"


class Kept(StrEnum):
    """What became of a file that the branch and its base had changed in ways that don't fit.

    BRANCH, BASE: it is as that side had it, which may be not at all. BOTH: as neither had it.
    """

    BRANCH = "branch"
    BASE = "base"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class SolvedConflict:
    """A conflict that a run has solved, and how; `is_there`: whether the file is."""

    path: str
    kept: Kept
    is_there: bool


@dataclass(frozen=True, slots=True)
class RunResult:
    """Everything that there is to say about a run at its end. `reason` is one or two sentences for people.

    `blocked` are the hosts that setup was refused, a line each. `critic` is the second model, "" for none.
    `not_ready` is why GitHub did not let the draft of a proven change be marked as ready, or ""; `not_draft` why the
    pull request of an unproven one is no draft, or ""; `is_draft_again` says that it was ready, by an earlier proof,
    and was made a draft. `unheard` are people's notes that came after the model's last call. `branch_change` is
    what the proof is of where that is not the agent's own change: what the branch holds after a person's push.
    `attempts` are all runs of the issue up to this one, oldest first. `built_on` is the commit of the branch that
    this run went on from, "" where it made the branch; `by_people` are the commits there that are not selfcode's.
    `conflicts` are the files that don't merge with the base as it is now. `checks` are the repository's own that
    failed on the head. `base_moved_to` is where the base branch was at the end, "" where the proof's base is the
    newest. `solved` are the conflicts with the base that the run was to solve, and solved.
    `unsigned` says why the commits are not verified, where the repository wants them so; "" where they are.
    `is_labelled`: the issue had the label when the run began, so that plain comments there are heard.
    `branch_left` is the branch that holds what was pushed where no pull request tells of it, or "".
    """

    outcome: Outcome
    reason: str
    plan: TestPlan | None = None
    baseline: TestReport | None = None
    progress: Progress = field(default_factory=Progress)
    proof: Proof | None = None
    base_sha: str = ""
    head_sha: str = ""
    model: str = ""
    sandbox: str = ""
    pull_request: int | None = None
    blocked: tuple[str, ...] = ()
    critic: str = ""
    not_ready: str = ""
    branch_change: Change | None = None
    attempts: tuple[Attempt, ...] = ()
    built_on: str = ""
    by_people: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    checks: tuple[FailedCheck, ...] = ()
    base_moved_to: str = ""
    not_draft: str = ""
    is_draft_again: bool = False
    unheard: tuple[Note, ...] = ()
    solved: tuple[SolvedConflict, ...] = ()
    branch_left: str = ""
    is_labelled: bool = True
    unsigned: str = ""
