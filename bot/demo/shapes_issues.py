"""JSON as GitHub writes it: issues, comments, pull requests, commits, check runs."""

from typing import Any

from bot.demo import git, shapes
from bot.demo.shapes import Json, moment, node_id
from bot.demo.state import Account, CheckRun, Comment, Issue, PullRequest, Repository, World


def association(repository: Repository, author: Account) -> str:
    """How the author belongs to the repository. Never proof of a permission."""
    if author is repository.owner:
        return "OWNER"
    return "COLLABORATOR" if author.login.lower() in repository.roles else "NONE"


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
        "active_lock_reason": "resolved" if of.locked else None,
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


def pull(world: World, of: Issue, detail: PullRequest) -> Json:
    """A pull request as lists show it."""
    home = of.repository
    url = f"{world.api_url}/repos/{home.full_name}/pulls/{of.number}"
    as_issue = f"{world.api_url}/repos/{home.full_name}/issues/{of.number}"
    web = f"{world.base_url}/{home.full_name}/pull/{of.number}"
    statuses = f"{world.api_url}/repos/{home.full_name}/statuses/{detail.head_sha}"
    links = {
        "self": url,
        "html": web,
        "issue": as_issue,
        "comments": f"{as_issue}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{world.api_url}/repos/{home.full_name}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": statuses,
    }
    return {
        "url": url,
        "id": detail.id,
        "node_id": node_id("PullRequest", detail.id),
        "html_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "issue_url": as_issue,
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": statuses,
        "number": of.number,
        "state": of.state,
        "locked": of.locked,
        "title": of.title,
        "user": shapes.account(world, of.author),
        "body": of.body,
        "created_at": moment(of.created_at),
        "updated_at": moment(of.updated_at),
        "closed_at": moment(of.closed_at),
        "merged_at": moment(detail.merged_at),
        "assignees": [],
        "requested_reviewers": [shapes.account(world, reviewer) for reviewer in detail.reviewers],
        "requested_teams": [],
        "labels": [shapes.label(world, label, home) for label in of.labels],
        "milestone": None,
        "draft": detail.draft,
        "head": _side(world, home, detail.head, detail.head_sha),
        "base": _side(world, home, detail.base, detail.base_sha),
        "_links": {name: {"href": href} for name, href in links.items()},
        "author_association": association(home, of.author),
        "auto_merge": None,
        "active_lock_reason": "resolved" if of.locked else None,
    }


def whole_pull(world: World, of: Issue, detail: PullRequest) -> Json:
    """What the API answers for one pull request."""
    stat = git.diffstat(of.repository.directory, detail.base_sha, detail.head_sha)
    return pull(world, of, detail) | {
        "merged": detail.merged_at is not None,
        "mergeable": True if of.state == "open" else None,
        "rebaseable": True if of.state == "open" else None,
        "mergeable_state": "clean" if of.state == "open" else "unknown",
        "merged_by": shapes.account(world, detail.merged_by) if detail.merged_by else None,
        "comments": len(of.comments),
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": len(git.commits(of.repository.directory, detail.base_sha, detail.head_sha)),
        "additions": sum(file.additions for file in stat),
        "deletions": sum(file.deletions for file in stat),
        "changed_files": len(stat),
    }


def commit(world: World, of: git.Commit, home: Repository) -> Json:
    """A commit; authors are never matched to accounts."""
    url = f"{world.api_url}/repos/{home.full_name}/commits/{of.sha}"
    who = {"name": of.author_name, "email": of.author_email, "date": of.date}
    git_url = f"{world.api_url}/repos/{home.full_name}/git"
    unverified = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}
    return {
        "sha": of.sha,
        "node_id": node_id("Commit", home.id) + of.sha,
        "commit": {
            "author": who,
            "committer": who,
            "message": of.message,
            "tree": {"sha": of.tree, "url": f"{git_url}/trees/{of.tree}"},
            "url": f"{git_url}/commits/{of.sha}",
            "comment_count": 0,
            "verification": unverified,
        },
        "url": url,
        "html_url": f"{world.base_url}/{home.full_name}/commit/{of.sha}",
        "comments_url": f"{url}/comments",
        "author": None,
        "committer": None,
        "parents": [
            {
                "sha": sha,
                "url": f"{world.api_url}/repos/{home.full_name}/commits/{sha}",
                "html_url": f"{world.base_url}/{home.full_name}/commit/{sha}",
            }
            for sha in of.parents
        ],
    }


def check_run(world: World, of: CheckRun, home: Repository) -> Json:
    """A check run as the API answers it."""
    url = f"{world.api_url}/repos/{home.full_name}/check-runs/{of.id}"
    return {
        "id": of.id,
        "node_id": node_id("CheckRun", of.id),
        "name": of.name,
        "head_sha": of.head_sha,
        "external_id": of.external_id,
        "url": url,
        "html_url": f"{world.base_url}/{home.full_name}/runs/{of.id}",
        "details_url": of.details_url,
        "status": of.status,
        "conclusion": of.conclusion,
        "started_at": moment(of.started_at),
        "completed_at": moment(of.completed_at),
        "output": {
            "title": of.title,
            "summary": of.summary,
            "text": of.text,
            "annotations_count": len(of.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": of.suite_id},
        "app": shapes.app(world, of.app),
        "pull_requests": [],
    }


def check_run_told(world: World, of: CheckRun, home: Repository) -> Json:
    """A check run as deliveries show it: with the branch that its suite is of."""
    heads = [issue.pull for issue in home.issues.values() if issue.pull and issue.pull.head_sha == of.head_sha]
    run = check_run(world, of, home)
    suite = {
        "id": of.suite_id,
        "node_id": node_id("CheckSuite", of.suite_id),
        "head_branch": heads[0].head if heads else None,
        "head_sha": of.head_sha,
        "status": of.status,
        "conclusion": of.conclusion,
        "url": f"{world.api_url}/repos/{home.full_name}/check-suites/{of.suite_id}",
        "before": None,
        "after": of.head_sha,
        "pull_requests": [],
        "app": run["app"],
        "created_at": run["started_at"],
        "updated_at": run["completed_at"] or run["started_at"],
    }
    return run | {"check_suite": suite, "details_url": run["details_url"] or run["html_url"]}


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


def _side(world: World, home: Repository, branch: str, sha: str) -> Json:
    return {
        "label": f"{home.owner.login}:{branch}",
        "ref": branch,
        "sha": sha,
        "user": shapes.account(world, home.owner),
        "repo": shapes.repository(world, home),
    }
