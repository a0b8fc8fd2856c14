"""Builders of payloads and of what comes out of them. A test states only the difference that matters."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bot.records import IssueRef, RepositoryRef, Trigger
from bot.triggers.decide import Accept, Decision, decide
from bot.triggers.events import parse

BOT = "selfcode[bot]"
NOW = "2026-11-29T10:00:00Z"
REPOSITORY = RepositoryRef(installation_id=5, id=71, owner="octo", name="cat")
ISSUE = IssueRef(REPOSITORY, 7)


def a_person(login: str = "alice", kind: str = "User") -> dict[str, Any]:
    return {"login": login, "id": 11, "type": kind}


def an_envelope(**fields: Any) -> dict[str, Any]:
    return {
        "installation": {"id": 5},
        "repository": {"id": 71, "name": "cat", "full_name": "octo/cat", "owner": a_person("octo", "Organization")},
        "sender": a_person(),
    } | fields


def an_issue(**fields: Any) -> dict[str, Any]:
    return {"number": 7, "title": "It breaks", "body": None, "labels": [], "updated_at": NOW} | fields


def labels(*names: str) -> list[dict[str, Any]]:
    return [{"id": number, "name": name} for number, name in enumerate(names)]


def an_issue_event(action: str = "labeled", *, label: str | None = None, **fields: Any) -> dict[str, Any]:
    named = {"label": {"name": label}} if label else {}
    return an_envelope(action=action, issue=an_issue()) | named | fields


def a_comment_event(body: str | None = "/selfcode retry", **fields: Any) -> dict[str, Any]:
    comment = {"id": 900, "body": body, "user": fields.get("sender", a_person()), "created_at": NOW}
    return an_envelope(action="created", issue=an_issue(), comment=comment) | fields


def a_pull(branch: str = "selfcode/issue-7", *, from_repository: int = 71) -> dict[str, Any]:
    head = {"ref": branch, "sha": "2a9b", "repo": {"id": from_repository}}
    return {"number": 9, "updated_at": NOW, "head": head}


def a_review_event(
    state: str = "changes_requested", body: str | None = None, *, pull: Mapping[str, Any] | None = None, **fields: Any
) -> dict[str, Any]:
    """A submitted review of our pull request #9."""
    review = {
        "id": 400,
        "node_id": "PRR_400",
        "state": state,
        "body": body,
        "user": fields.get("sender", a_person()),
        "commit_id": "2a9b",
        "submitted_at": NOW,
    }
    return an_envelope(action="submitted", pull_request=pull or a_pull(), review=review) | fields


def a_review_comment_event(
    body: str | None = "@selfcode please rename it",
    *,
    pull: Mapping[str, Any] | None = None,
    review_id: int | None = 400,
    in_reply_to: int | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """A comment on lines of it, submitted with that review, or in reply to another."""
    comment = {
        "id": 500,
        "node_id": "PRRC_500",
        "body": body,
        "user": fields.get("sender", a_person()),
        "commit_id": "2a9b",
        "created_at": NOW,
        "pull_request_review_id": review_id,
    } | ({"in_reply_to_id": in_reply_to} if in_reply_to else {})
    return an_envelope(action="created", pull_request=pull or a_pull(), comment=comment) | fields


def a_pull_request_event(
    branch: str = "selfcode/issue-7", *, from_repository: int = 71, **fields: Any
) -> dict[str, Any]:
    return an_envelope(action="closed", pull_request=a_pull(branch, from_repository=from_repository)) | fields


def a_check_event(
    name: str = "check_run",
    *,
    branch: str | None = "selfcode/issue-7",
    slug: str = "selfcode",
    pulls: Sequence[Mapping[str, Any]] | None = (),
    conclusion: str | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """“Re-run” on a check, or on all of an App's; with the `action` completed, their end."""
    app = {"id": 1, "slug": slug}
    ended = {"conclusion": conclusion, "head_sha": "2a9b"}
    suite = {"id": 31, "head_branch": branch, "app": app, "updated_at": NOW, "pull_requests": pulls} | ended
    run = {"id": 30, "name": "tests", "app": app, "check_suite": suite, "started_at": NOW, "completed_at": NOW} | ended
    return an_envelope(action="rerequested", **{name: run if name == "check_run" else suite}) | fields


def a_checked_pull(branch: str = "selfcode/issue-7", *, from_repository: int | None = 71) -> dict[str, Any]:
    """A pull request as a check names it."""
    repo = {"id": from_repository, "name": "cat"} if from_repository else None
    return {"number": 9, "head": {"ref": branch, "sha": "2a9b", "repo": repo}}


def an_installation_event(action: str, *repositories: str, **fields: Any) -> dict[str, Any]:
    listed = [{"id": 70 + number, "full_name": name} for number, name in enumerate(repositories, start=1)]
    installation = {"id": 5, "account": a_person("octo", "Organization"), "updated_at": 1764410400}
    return {"action": action, "installation": installation, "repositories": listed, "sender": a_person()} | fields


def decision(
    event_name: str, payload: object, *, delivery_id: str = "d-1", trusted_bots: Collection[str] = ()
) -> Decision:
    event = parse(event_name, json.dumps(payload).encode(), "application/json")
    return decide(event, label="selfcode", bot_login=BOT, delivery_id=delivery_id, trusted_bots=trusted_bots)


def the_trigger(event_name: str, payload: object, *, trusted_bots: Collection[str] = ()) -> Trigger:
    """The one trigger that a delivery is accepted as."""
    answer = decision(event_name, payload, trusted_bots=trusted_bots)
    assert isinstance(answer, Accept), answer
    (trigger,) = answer.triggers
    return trigger
