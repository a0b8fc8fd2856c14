"""How a run ends."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from bot.records.changes import Change
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


@dataclass(frozen=True, slots=True)
class RunResult:
    """Everything that there is to say about a run at its end. `reason` is one or two sentences for people.

    `blocked` are the hosts that setup was refused, a line each. `critic` is the second model, "" for none. `not_ready`
    is why GitHub did not let the draft of a proven change be marked as ready, or "". `branch_change` is what the proof
    is of where that is not the agent's own change: what the branch holds after a person's push.
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
