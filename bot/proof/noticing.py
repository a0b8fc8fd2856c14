"""Which hunks of a proven change do the tests notice? Each is taken back alone, as long as the time lasts."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from bot.errors import Stopped
from bot.proof.hunks import Revert, is_everything, reverts_of
from bot.proof.turns import Each, in_turn
from bot.records import ChangedFile, Hunk, HunkCheck, Proof, ReportState, TestReport
from sandbox.contract import File

Without = Callable[[Mapping[str, File | None], float], TestReport]
"""Runs the head's tests on the head with some files replaced, for no longer than so many seconds."""

_AT_LEAST_S = 30.0
_AT_MOST_S = 300.0
_RUNS = 5
_PATIENCE_S = 10.0
_ROOM = 1.5
"""A try begins only where so many runs would fit: not each takes as long as B did."""
_NAMED = 20


class Fate(StrEnum):
    """What became of one hunk."""

    NOTICED = "noticed"
    UNNOTICED = "unnoticed"
    UNTRIED = "untried"


def hunk_budget_s(run_s: float, left_s: float | None = None) -> float:
    """How long the hunks may take: as five runs of the tests, at least 30 s, at most 300 s and what is left of a limit.

    `run_s` is how long run B took, its workspace and build included.
    """
    budget = min(_AT_MOST_S, max(_AT_LEAST_S, _RUNS * run_s))
    return budget if left_s is None else max(0.0, min(budget, left_s))


def check_hunks(
    files: Sequence[ChangedFile],
    proof: Proof,
    run_without: Without,
    *,
    run_s: float,
    budget_s: float,
    each: Each = in_turn,
    clock: Callable[[], float] = time.monotonic,
) -> HunkCheck | None:
    """Take back each changed hunk of the source alone, and run the tests that run B of this proof ran.

    `each` may do so side by side: then more of them have room in the budget.

    Noticed: a test that passed in B, and is not flaky, does not pass; or the tests can't be run, or take many times as
    long as B (`run_s`). A change of one hunk needs no run: A was that. What has no room in the budget is untried, and
    so is a hunk whose results can't be trusted. None where there is nothing to compare with: nothing is red, or the
    head is not green.

    Raises: `Stopped` when a run reports that a person ended it, and whatever `run_without` raises.
    """
    head = proof.head
    if head is None or not _is_fit(proof, head):
        return None
    began = clock()
    reverts = reverts_of(files, (*proof.baseline.cases, *head.cases))
    if len(reverts) == 1 and is_everything(reverts[0], files):
        only = replace(reverts[0].hunk, noticed_by=proof.evidence.red[:_NAMED])
        return HunkCheck(noticed=(only,), budget_s=budget_s)

    def judge(revert: Revert) -> tuple[Hunk, Fate]:
        left_s = budget_s - (clock() - began)
        return _tried(revert, proof, run_without, run_s=run_s, left_s=left_s)

    judged = sorted(each(judge, reverts), key=lambda pair: (pair[0].path, pair[0].start))
    by = {kind: tuple(hunk for hunk, fate in judged if fate is kind) for kind in Fate}
    return HunkCheck(
        noticed=by[Fate.NOTICED],
        unnoticed=by[Fate.UNNOTICED],
        untried=by[Fate.UNTRIED],
        budget_s=budget_s,
        duration_s=clock() - began,
    )


def _fate_of(report: TestReport, steady: frozenset[str], *, is_cut_off: bool = False) -> Fate:
    """What a run without a hunk says of it. `steady` are the ids that must pass; `is_cut_off`: it had too little time.

    Raises: `Stopped`.
    """
    if report.state is ReportState.STOPPED:
        raise Stopped("A person ended the run.")
    if report.state is ReportState.TIMED_OUT and is_cut_off:
        return Fate.UNTRIED
    if not report.could_run:
        return Fate.NOTICED
    if report.tampered:
        return Fate.UNTRIED
    return Fate.UNNOTICED if steady <= report.passed else Fate.NOTICED


def _tried(revert: Revert, proof: Proof, run_without: Without, *, run_s: float, left_s: float) -> tuple[Hunk, Fate]:
    if left_s < _ROOM * run_s or proof.head is None:
        return revert.hunk, Fate.UNTRIED
    patience_s = _PATIENCE_S + _RUNS * run_s
    report = run_without({revert.path: revert.file}, min(patience_s, left_s))
    steady = proof.head.passed - frozenset(proof.evidence.flaky)
    fate = _fate_of(report, steady, is_cut_off=left_s < patience_s)
    if fate is not Fate.NOTICED or not report.cases:
        return revert.hunk, fate
    return replace(revert.hunk, noticed_by=tuple(sorted(steady - report.passed)[:_NAMED])), fate


def _is_fit(proof: Proof, head: TestReport) -> bool:
    failing = head.failed - proof.baseline.failed - frozenset(proof.evidence.flaky)
    return bool(proof.evidence.red) and head.could_run and not failing and not head.tampered
