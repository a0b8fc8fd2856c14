"""The proof of a pull request of ours as it is kept: by the run that took it, whichever kind of run that was."""

from dataclasses import dataclass, replace

from bot.records import (
    Change,
    FailedCheck,
    IssueRef,
    Outcome,
    Proof,
    RunResult,
    TestPlan,
    TestReport,
    TriggerKind,
    load,
)
from bot.runs.house import House
from bot.runs.known import Known
from bot.runs.results import result_of_run
from bot.runs.solving import outcome_of_proof
from bot.runs.store import Store

PATCH_KEPT = 200_000
"""Characters of a person's change that are kept beside its proof, for what is said of its lines."""


@dataclass(frozen=True, slots=True)
class FailedOn:
    """The checks of the repository's own that failed on a commit."""

    head: str
    checks: tuple[FailedCheck, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The newest proof of a pull request: taken by `run_id`, of the commit `head`. `origin` is the run that worked."""

    run_id: str
    origin: str
    pull_request: int
    proof: Proof
    base: str
    head: str


def newest_judgement(store: Store, repository_id: int, pull_request: int, *, told: bool = False) -> Judgement | None:
    """The newest proof of a pull request; None where none is kept here. `told`: of those that were said to people."""
    run = store.proven_for(repository_id, pull_request, told=told)
    if run is None:
        return None
    facts = store.facts(run.id)
    proof = load(Proof, facts["proof"])
    made = proof.provenance
    return Judgement(
        run_id=run.id,
        origin=facts.get("origin", run.id),
        pull_request=pull_request,
        proof=proof,
        base=(made.base if made else "") or facts.get("base", ""),
        head=(made.head if made else "") or facts.get("judged", facts.get("head_sha", "")),
    )


def failed_on(store: Store, at: IssueRef, head: str) -> tuple[FailedCheck, ...]:
    """The checks that are known to have failed on a commit of an issue's branch, as they were told last."""
    told = [run.id for run in store.runs_of(at.repository.id, at.number) if run.trigger.kind is TriggerKind.CHECKS]
    found = [load(FailedOn, text) for run_id in told if (text := store.facts(run_id).get("failed"))]
    return next((each.checks for each in reversed(found) if each.head == head), ())


def result_of(house: House, judgement: Judgement) -> RunResult:
    """All that there is to say of the pull request: the work as it was, and the newest proof of it."""
    facts = house.store.facts(judgement.run_id)
    outcome, reason = outcome_of_proof(judgement.proof)
    origin = Known(house, judgement.origin)
    worked = result_of_run(origin, outcome, reason)
    worked = replace(worked, checks=failed_on(house.store, origin.at, judgement.head))
    if judgement.run_id == judgement.origin:
        return worked
    return replace(
        worked,
        plan=load(TestPlan, facts["plan"]),
        baseline=load(TestReport, facts["baseline"]),
        proof=judgement.proof,
        base_sha=judgement.base,
        head_sha=judgement.head,
        pull_request=judgement.pull_request,
        blocked=tuple(facts.get("blocked", ())),
        conflicts=worked.conflicts if judgement.base == worked.base_sha else (),
        base_moved_to=worked.base_moved_to if judgement.base == worked.base_sha else "",
        not_ready=facts.get("not_ready", "") if outcome is Outcome.PROVEN else "",
        not_draft=facts.get("not_draft", ""),
        is_draft_again=facts.get("is_draft_again", False),
        branch_change=load(Change, facts["change"]) if facts.get("change") else None,
    )
