"""One go at one issue, step by step, without a word of where it came from: used by the App and by `selfcode run`."""

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from bot.agent import Agent
from bot.errors import Refused
from bot.proof import (
    Arrangement,
    B,
    HiddenTests,
    Plant,
    Side,
    check_hunks,
    hunk_budget_s,
    missing_of_hidden,
    overlay,
    plant_that_shows,
    protected,
    prove,
)
from bot.records import (
    Caps,
    Change,
    Note,
    Outcome,
    Progress,
    Proof,
    ReportState,
    Reproduce,
    Task,
    TestReport,
    Verdict,
)
from bot.runs.ground import Ground
from bot.runs.hidden import confirmed_hidden
from bot.runs.lanes import Lanes, Places, far_from_limit
from bot.runs.provenance import provenance_of, versions_in
from bot.runs.workbench import Bench
from bot.writing.leaks import leaking
from sandbox.contract import File


@dataclass(frozen=True, slots=True)
class Baseline:
    """The untouched base under its own test command, and the plant that this command is seen to report, if any.

    `byproducts` are the files that setup, build and tests leave in a workspace by themselves; `versions` are of the
    programs in it.
    """

    report: TestReport
    plant: Plant | None
    byproducts: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be done, the same in every iteration. `hidden` tests are the operator's; `notes` are for the model.

    `held` is the tree of what was there before, "" for the base: all since is the run's doing, and judged as such.
    """

    task: Task
    caps: Caps
    baseline: Baseline
    reproduce: Reproduce = Reproduce.FIRST
    hidden: HiddenTests | None = None
    notes: tuple[str, ...] = ()
    held: str = ""


@dataclass(frozen=True, slots=True)
class Author:
    """Who commits."""

    name: str
    email: str


def take_baseline(ground: Ground) -> Baseline:
    """Run the test command on the base, and find where a planted test is noticed."""
    with ground.workspace(ground.base) as workspace:
        report = ground.test_in(workspace)
        byproducts = Bench(ground, workspace).untracked()
        versions = versions_in(workspace, ground.plan, report.reader)
    plant = plant_that_shows(report, secrets.token_hex(8), lambda plant: ground.test(ground.base, plant=plant))
    return Baseline(report, plant, byproducts, versions)


def iterate(
    ground: Ground,
    agent: Agent,
    job: Job,
    progress: Progress,
    *,
    tell: Callable[[str], None],
    said: Callable[[], Sequence[Note]] = tuple,
    repeats: bool = False,
) -> Progress:
    """One iteration in a fresh workspace that holds the base and the change so far. `said` gives people's notes.

    `repeats` is as in `Agent.iterate`.
    """
    with bench_for(ground, job, progress.change, tell) as bench:
        return agent.iterate(
            job.task,
            progress,
            bench,
            caps=job.caps,
            baseline=job.baseline.report,
            reproduce=job.reproduce,
            notes=job.notes,
            stop=ground.stop,
            tell=tell,
            said=said,
            repeats=repeats,
        )


@contextmanager
def bench_for(ground: Ground, job: Job, change: Change, tell: Callable[[str], None]) -> Iterator[Bench]:
    """A bench in a fresh workspace that holds the base with a change."""
    tree = ground.tree(change)
    with ground.workspace(tree) as workspace:
        yield Bench(
            ground,
            workspace,
            tree=tree,
            held=job.held,
            byproducts=frozenset(job.baseline.byproducts) - set(change.paths),
            baseline=job.baseline.report,
            issue=words_of(job.task),
            wants_test=job.reproduce is not Reproduce.OFF,
            hidden=job.hidden,
            tell=tell,
        )


def words_of(task: Task) -> str:
    """All that people say of the issue, and of the change that is there already."""
    comments = (comment.body for comment in task.comments)
    asked_for = (text for request in task.requests for _, text in request.said)
    return "\n".join([task.title, task.body, *comments, task.hint, *asked_for, *(note.text for note in task.answered)])


def take_proof(
    ground: Ground,
    progress: Progress,
    baseline: Baseline,
    hidden: HiddenTests | None = None,
    *,
    minutes: float | None = None,
) -> Proof:
    """Judge the change in clean workspaces, from its patch alone; the operator's acceptance tests have to pass too.

    `minutes` is the run's limit, where it has one.
    """
    left_s = None if minutes is None else 60 * minutes - progress.spend.seconds
    return prove_tree(ground, ground.tree(progress.change), baseline, hidden=hidden, left_s=left_s)


def prove_tree(
    ground: Ground,
    tree: str,
    baseline: Baseline,
    *,
    hidden: HiddenTests | None = None,
    accepted_by: str = "",
    left_s: float | None = None,
) -> Proof:
    """Judge what a tree or commit of the mirror changes over the ground's base, from the repository alone.

    `accepted_by` is the login of the maintainer who accepted what the change does to existing tests, or "". `left_s` is
    how much time the run has left, where it is limited: the check of single hunks keeps to it. What does not depend on
    each other runs side by side, as far as the ground's places go.
    """
    files = ground.mirror.changed_files(ground.base, tree)
    most = far_from_limit(ground.limits.wall_s, baseline.report.duration_s)
    lanes = Lanes(ground.places, most, ground.stop)
    in_lane = replace(ground, stop=lanes.is_ending, places=Places())  # the lanes count what goes on in them
    took_s: dict[Arrangement, float] = {}

    def run(arrangement: Arrangement) -> TestReport:
        side, replaced = overlay(files, arrangement)
        began = time.monotonic()
        plant = baseline.plant if arrangement.planted else None
        report = in_lane.test(ground.base if side is Side.BASE else tree, replaced, plant=plant)
        took_s[arrangement] = time.monotonic() - began
        return report

    def run_without(replaced: Mapping[str, File | None], timeout_s: float) -> TestReport:
        try:
            return in_lane.test(tree, replaced, plant=baseline.plant, timeout_s=timeout_s)
        except Refused:  # without the hunk the workspace ran full
            return TestReport(ground.plan.test, ReportState.CRASHED)

    planted_file = baseline.plant is not None and not baseline.plant.injected
    proof = prove(
        files,
        baseline.report,
        run,
        accepted_tests=bool(accepted_by),
        planted_file=planted_file,
        each=lanes.each if ground.sandbox.isolated else None,
    )
    run_s = took_s.get(B, 0.0)
    budget_s = hunk_budget_s(run_s, left_s)
    proof = replace(
        proof,
        accepted_by=accepted_by,
        hunks=check_hunks(files, proof, run_without, run_s=run_s, budget_s=budget_s, each=lanes.each),
        provenance=provenance_of(
            ground.base,
            "",
            plan=ground.plan,
            sandbox=ground.sandbox.name,
            image=ground.identity,
            versions=baseline.versions,
        ),
    )
    if hidden is None or not hidden.feedback:
        return proof
    results = confirmed_hidden(ground, tree, hidden, plant=baseline.plant)
    return replace(
        proof,
        missing=(*proof.missing, *missing_of_hidden(results)),
        acceptance_passed=None if results.unusable else results.passed,
        acceptance_failed=len(results.failing),
    )


def needs_proof(progress: Progress) -> bool:
    """Whether there is something to prove: green tests and a change."""
    return progress.verdict is Verdict.SOLVED and not progress.change.is_empty


def outcome_of(progress: Progress, proof: Proof | None) -> tuple[Outcome, str]:
    """How the run ended, and why, in words for people."""
    match progress.verdict:
        case Verdict.SOLVED if proof is not None:
            return outcome_of_proof(proof)
        case Verdict.NOTHING_TO_DO | Verdict.ANSWERED:
            return Outcome.NOTHING_TO_DO, progress.why
        case Verdict.STOPPED:
            return Outcome.STOPPED, progress.why
        case Verdict.NOT_REPRODUCED:
            return Outcome.NOT_REPRODUCED, progress.why
        case Verdict.ASKING | Verdict.QUESTION:
            return Outcome.NEEDS_INFORMATION, progress.why
        case Verdict.LIMIT | Verdict.STUCK | Verdict.GAVE_UP | Verdict.SOLVED | None:
            return Outcome.UNSOLVED, progress.why


def outcome_of_proof(proof: Proof) -> tuple[Outcome, str]:
    """What a proof comes to, and why."""
    return (Outcome.PROVEN, "") if proof.holds else (Outcome.UNPROVEN, " ".join(proof.missing))


def refuse_forbidden(
    ground: Ground, progress: Progress, *, protect: Sequence[str], secrets: Sequence[str], since: str = ""
) -> None:
    """Raise `Refused` where the change touches workflows or what is protected, or brings what looks like a secret.

    `since`: judged is what was done since this tree, for what a branch held already is not the run's doing.
    """
    files = ground.mirror.changed_files(since or ground.base, ground.tree(progress.change))
    touched = protected(files, protect)
    if touched:
        raise Refused(f"The change touches what is protected: {', '.join(f'`{path}`' for path in touched)}.")
    if found := leaking(files, secrets):
        named = ", ".join(f"`{path}`" for path in found)
        raise Refused(f"The change holds what looks like a key or token, in {named}. Nothing was pushed.")
