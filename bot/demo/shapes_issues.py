"""JSON as GitHub writes it: issues, and what is said on them."""

from typing import Any

from bot.demo import shapes
from bot.demo.shapes import Json, moment, node_id
from bot.demo.state import Account, Comment, Issue, Labelling, Repository
from bot.demo.world import World


def association(repository: Repository, author: Account) -> str:
    """How the author belongs to the repository. Never proof of a permission."""
    if author is repository.owner:
        return "OWNER"
    return "COLLABORATOR" if repository.is_collaborator(author) else "NONE"


def issue(world: World, of: Issue) -> Json:
    """An issue as the API and deliveries show it; a pull request is one too."""
    home = of.repository
    url = f"{world.api_url}/repos/{home.full_name}/issues/{of.number}"
    kind = "pull" if of.pull else "issues"
    body = {
        "url": url,
        "repository_url": f"{world.api_url}/repos/{home.full_name}",
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": f"{world.base_url}/{home.full_name}/{kind}/{of.number}",
        "id": of.id,
        "node_id": node_id("Issue", of.id),
        "number": of.number,
        "title": of.title,
        "user": shapes.account(world, of.author),
        "labels": [shapes.label(world, label, home) for label in of.labels],
        "state": of.state,
        "locked": of.locked,
        "assignees": [],
        "milestone": None,
        "comments": len(of.comments),
        "created_at": moment(of.created_at),
        "updated_at": moment(of.updated_at),
        "closed_at": moment(of.closed_at),
        "author_association": association(home, of.author),
        "active_lock_reason": of.lock_reason,
        "body": of.body,
        "reactions": shapes.rollup(of.reactions, url),
        "timeline_url": f"{url}/timeline",
        "performed_via_github_app": shapes.app(world, of.app) if of.app else None,
        "state_reason": of.state_reason,
    }
    return body | (_pull_links(world, of) if of.pull else {})


def whole_issue(world: World, of: Issue) -> Json:
    """What the API answers for one issue."""
    return issue(world, of) | {"closed_by": shapes.account(world, of.closed_by) if of.closed_by else None}


def comment(world: World, of: Comment) -> Json:
    """A comment of an issue or pull request."""
    home = of.issue.repository
    url = f"{world.api_url}/repos/{home.full_name}/issues/comments/{of.id}"
    kind = "pull" if of.issue.pull else "issues"
    return {
        "url": url,
        "html_url": f"{world.base_url}/{home.full_name}/{kind}/{of.issue.number}#issuecomment-{of.id}",
        "issue_url": f"{world.api_url}/repos/{home.full_name}/issues/{of.issue.number}",
        "id": of.id,
        "node_id": node_id("IssueComment", of.id),
        "user": shapes.account(world, of.author),
        "created_at": moment(of.created_at),
        "updated_at": moment(of.updated_at),
        "author_association": association(home, of.author),
        "body": of.body,
        "reactions": shapes.rollup(of.reactions, url),
        "performed_via_github_app": shapes.app(world, of.app) if of.app else None,
    }


def labelling(world: World, of: Labelling, on: Issue) -> Json:
    """What the list of an issue's events shows of a label."""
    return {
        "id": of.id,
        "node_id": node_id("LabeledEvent" if of.event == "labeled" else "UnlabeledEvent", of.id),
        "url": f"{world.api_url}/repos/{on.repository.full_name}/issues/events/{of.id}",
        "actor": shapes.account(world, of.by),
        "event": of.event,
        "commit_id": None,
        "commit_url": None,
        "created_at": moment(of.at),
        "label": {"name": of.label.name, "color": of.label.color},
        "performed_via_github_app": None,
    }


def _pull_links(world: World, of: Issue) -> dict[str, Any]:
    assert of.pull
    web = f"{world.base_url}/{of.repository.full_name}/pull/{of.number}"
    return {
        "draft": of.pull.draft,
        "pull_request": {
            "url": f"{world.api_url}/repos/{of.repository.full_name}/pulls/{of.number}",
            "html_url": web,
            "diff_url": f"{web}.diff",
            "patch_url": f"{web}.patch",
            "merged_at": moment(of.pull.merged_at),
        },
    }
