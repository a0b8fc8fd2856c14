"""Checks on our branches: “Re-run” on our own renews the proof, others may fail where the proof is green. Pure."""

from bot.records import TriggerKind
from bot.triggers.answers import Accept, Ignore, Ours, asked, issue_of_branch, issue_of_head
from bot.triggers.events import CheckRunEvent, CheckSuiteEvent, iso
from bot.triggers.payloads import CheckSuite

FAILED = ("failure", "timed_out")
PASSED = ("success", "neutral", "skipped")
"""Source: https://docs.github.com/en/rest/checks/runs (`conclusion`); all else is somebody's doing."""


def on_check_run(event: CheckRunEvent, ours: Ours) -> Accept | Ignore:
    """One check: ours that is asked for again, or another's that failed.

    The first failure of a suite is told at once, what else there is with the suite's end.
    """
    run, suite = event.check_run, event.check_run.check_suite
    if suite is None:
        return Ignore("a check of no suite asks for nothing")
    is_ours = ours.is_our_app(run.app.slug)
    match event.action:
        case "rerequested" if is_ours:
            return _renewed(event, suite, at=iso(run.started_at) if run.started_at else "", ours=ours)
        case "completed" if not is_ours and run.conclusion in FAILED:
            at = iso(run.completed_at) if run.completed_at else ""
            key = f"{TriggerKind.CHECKS}:{event.repository.id}/{suite.id}@{run.head_sha}"
            return _told(event, suite, at=at, key=key, ours=ours, head_sha=run.head_sha)
        case _:
            return Ignore("a check that neither failed nor is asked for again starts nothing")


def on_check_suite(event: CheckSuiteEvent, ours: Ours) -> Accept | Ignore:
    """All checks of an App on a commit. That they passed counts where they had failed before: it is told once more."""
    suite = event.check_suite
    is_ours = ours.is_our_app(suite.app.slug)
    at = iso(suite.updated_at) if suite.updated_at else ""
    match event.action:
        case "rerequested" if is_ours:
            return _renewed(event, suite, at=at, ours=ours)
        case "completed" if not is_ours and suite.conclusion in (*FAILED, *PASSED):
            key = f"{TriggerKind.CHECKS}:{event.repository.id}/{suite.id}@{at}"
            return _told(event, suite, at=at, key=key, ours=ours, head_sha=suite.head_sha)
        case _:
            return Ignore("checks that neither ended by themselves nor are asked for again start nothing")


def _renewed(event: CheckRunEvent | CheckSuiteEvent, suite: CheckSuite, *, at: str, ours: Ours) -> Accept | Ignore:
    """“Re-run” on our check. Nothing in the payload tells two of them apart: hence the delivery in the key."""
    if not ours.hears(event.sender):
        return Ignore("sent by a bot")
    key = f"{TriggerKind.RENEW}:{event.repository.id}/{suite.id}@{ours.delivery_id}"
    return _about(event, suite, TriggerKind.RENEW, ours, key=key, occurred_at=at, because="Re-run on the check")


def _told(
    event: CheckRunEvent | CheckSuiteEvent, suite: CheckSuite, *, at: str, key: str, ours: Ours, head_sha: str
) -> Accept | Ignore:
    """Whoever sends it: GitHub names who pushed, and that may be ourselves. The trigger's text is the conclusion."""
    conclusion = suite.conclusion if isinstance(event, CheckSuiteEvent) else event.check_run.conclusion
    because = "checks failed" if conclusion in FAILED else "checks passed"
    return _about(
        event,
        suite,
        TriggerKind.CHECKS,
        ours,
        key=key,
        occurred_at=at,
        because=because,
        text=conclusion,
        head_sha=head_sha,
    )


def _about(
    event: CheckRunEvent | CheckSuiteEvent, suite: CheckSuite, kind: TriggerKind, ours: Ours, **fields: str
) -> Accept | Ignore:
    issue = _issue_of_check(event, suite)
    if issue is None:
        return Ignore("the check is on no branch of ours")
    return Accept((asked(event, ours, kind=kind, number=issue, **fields),))


def _issue_of_check(event: CheckRunEvent | CheckSuiteEvent, suite: CheckSuite) -> int | None:
    """The issue that a check is for. A commit may be on several branches, and the suite names but one of them.

    Of a branch that is called like ours, a pull request with that very head says whose it is: a fork may have one too.
    """
    of_run = event.check_run.pull_requests if isinstance(event, CheckRunEvent) else ()
    heads = [pull.head for pull in (*of_run, *suite.pull_requests)]
    named = [head for head in heads if head.ref == suite.head_branch]
    others = (issue_of_head(event, head) for head in heads if head not in named)
    of_branch = [issue_of_head(event, head) for head in named] if named else [issue_of_branch(suite.head_branch)]
    return next((issue for issue in (*of_branch, *others) if issue is not None), None)
