"""All that there is to say of a run by now, as one value."""

from dataclasses import replace

from bot.records import Change, Outcome, RunResult, load
from bot.runs.earlier import attempts_up_to
from bot.runs.heard import unheard
from bot.runs.known import Known


def result_of_run(known: Known, outcome: Outcome, reason: str) -> RunResult:
    """What a run has come to: its work, its proof, and what it went on from."""
    facts, footing, joined = known.facts, known.footing_or_none, known.joined
    *earlier, this = attempts_up_to(known.house.store, known.run_id)
    theirs = joined.theirs if joined else ()
    return RunResult(
        outcome=outcome,
        reason=reason,
        plan=known.plan_or_none,
        baseline=known.report_or_none,
        progress=known.progress,
        proof=known.proof,
        base_sha=facts.get("base", ""),
        head_sha=facts.get("head_sha", ""),
        model=known.shown_crew.model,
        critic=known.shown_crew.critic,
        sandbox=known.house.sandbox.name,
        pull_request=facts.get("pull_request"),
        blocked=tuple(facts.get("blocked", ())),
        not_ready=facts.get("not_ready", ""),
        not_draft=facts.get("not_draft", ""),
        is_draft_again=facts.get("is_draft_again", False),
        branch_change=load(Change, facts["change"]) if facts.get("change") else None,
        attempts=(*earlier, replace(this, outcome=str(outcome))),
        built_on=footing.built_on if footing else "",
        by_people=(*footing.by_people, *theirs) if footing else (),
        conflicts=tuple(facts.get("unmerged", footing.unmerged if footing else ())),
        base_moved_to=facts.get("base_moved_to", ""),
        solved=known.solved,
        is_labelled=facts.get("is_labelled", True),
        branch_left=facts.get("branch_left", ""),
        unsigned=facts.get("unsigned", ""),
        unheard=unheard(known.house.store, known.run_id) if outcome is not Outcome.STOPPED else (),
    )
