"""JSON as GitHub writes it: pull requests and commits."""

from bot.demo import git, git_merging, shapes, signing
from bot.demo.shapes import Json, moment, node_id
from bot.demo.shapes_issues import association
from bot.demo.state import Issue, PullRequest, Repository
from bot.demo.world import World


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
        "active_lock_reason": of.lock_reason,
    }


def whole_pull(world: World, of: Issue, detail: PullRequest) -> Json:
    """What the API answers for one pull request, with what is known so far about merging it."""
    mergeable = None if of.state != "open" or detail.tried != _tips(detail) else not detail.has_conflicts
    stat = git.diffstat(of.repository.directory, detail.base_sha, detail.head_sha)
    return pull(world, of, detail) | {
        "merged": detail.merged_at is not None,
        "mergeable": mergeable,
        "rebaseable": mergeable,
        "mergeable_state": _merge_state(of, detail, mergeable),
        "merge_commit_sha": detail.merge_sha,
        "merged_by": shapes.account(world, detail.merged_by) if detail.merged_by else None,
        "comments": len(of.comments),
        "review_comments": sum(len(thread.comments) for thread in detail.threads),
        "maintainer_can_modify": False,
        "commits": len(git.commits(of.repository.directory, detail.base_sha, detail.head_sha)),
        "additions": sum(file.additions for file in stat),
        "deletions": sum(file.deletions for file in stat),
        "changed_files": len(stat),
    }


def try_to_merge(of: Issue, detail: PullRequest) -> None:
    """Find out whether it merges, as GitHub does in the background after it was asked."""
    if of.state == "open" and detail.tried != _tips(detail):
        detail.has_conflicts = git_merging.has_conflicts(of.repository.directory, detail.base_sha, detail.head_sha)
        detail.tried = _tips(detail)


def _tips(detail: PullRequest) -> tuple[str, str]:
    return detail.base_sha, detail.head_sha


def _merge_state(of: Issue, detail: PullRequest, mergeable: bool | None) -> str:
    """Source: https://docs.github.com/en/graphql/reference/enums#mergestatestatus"""
    if mergeable is None:
        return "unknown"
    if not mergeable:
        return "dirty"
    if detail.draft:
        return "draft"
    latest = {(run.app.id, run.name): run for run in of.repository.check_runs if run.head_sha == detail.head_sha}
    return (
        "unstable"
        if any(run.conclusion not in (None, "success", "neutral", "skipped") for run in latest.values())
        else "clean"
    )


def commit(world: World, of: git.Commit, home: Repository) -> Json:
    """A commit; authors are never matched to accounts."""
    url = f"{world.api_url}/repos/{home.full_name}/commits/{of.sha}"
    who = {"name": of.author_name, "email": of.author_email, "date": of.date}
    git_url = f"{world.api_url}/repos/{home.full_name}/git"
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
            "verification": signing.verification(world, home, of.sha),
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


def _side(world: World, home: Repository, branch: str, sha: str) -> Json:
    return {
        "label": f"{home.owner.login}:{branch}",
        "ref": branch,
        "sha": sha,
        "user": shapes.account(world, home.owner),
        "repo": shapes.repository(world, home),
    }
