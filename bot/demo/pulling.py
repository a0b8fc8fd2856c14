"""What can happen to a pull request: opened, pushed to, asked for review, merged.

The caller has checked permissions.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.demo import git, git_merging, shapes
from bot.demo.answers import ApiError, invalid
from bot.demo.changes import Changes
from bot.demo.state import Account, App, Issue, PullRequest, Repository

_CLOSING = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:https?://\S+?/)?([\w.-]+/[\w.-]+)?(?:#|/issues/)(\d+)\b",
    re.IGNORECASE,
)
"""Source: GitHub, “Linking a pull request to an issue”."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A pull request that somebody wants to open."""

    title: str
    body: str | None
    head: str
    base: str
    draft: bool = False


def open_pull(
    changes: Changes, repository: Repository, by: Account, wanted: Wanted, *, app: App | None = None
) -> Issue:
    """Open a pull request. Raises 422 where a branch is missing, has nothing new, or has an open one already."""
    head, base = wanted.head, wanted.base
    base_sha, head_sha = git.head(repository.directory, base), git.head(repository.directory, head)
    if base_sha is None:
        raise invalid("PullRequest", "invalid", "base")
    if head_sha is None:
        raise invalid("PullRequest", "invalid", "head")
    _require_only_one(repository, head, base)
    if not git.commits(repository.directory, base_sha, head_sha):
        raise invalid("PullRequest", "custom", message=f"No commits between {base} and {head}")
    if wanted.draft and not repository.rules.drafts:
        raise ApiError(422, "Draft pull requests are not supported in this repository.")
    issue = changes.new_issue(repository, by, title=wanted.title, body=wanted.body, app=app)
    issue.pull = PullRequest(changes.world.new_id(), base, head, base_sha, head_sha, wanted.draft)
    git.point(repository.directory, _pull_ref(issue), head_sha)
    changes.tell_pull(issue, "opened", by)
    return issue


def set_draft(changes: Changes, issue: Issue, by: Account, *, draft: bool) -> None:
    """Make a draft ready for review, or the other way; nothing happens where it is so already."""
    assert issue.pull
    if issue.pull.draft != draft:
        issue.pull.draft = draft
        changes.tell_pull(issue, "converted_to_draft" if draft else "ready_for_review", by)


def set_state(changes: Changes, issue: Issue, by: Account, state: str) -> None:
    """Close or reopen a pull request. Raises 422 where it was merged, its branch is gone, or that has an open one."""
    assert issue.pull
    pull = issue.pull
    if state == "open" and git.head(issue.repository.directory, pull.head) is None:
        gone = f"state cannot be changed. The {pull.head} branch was deleted."
        raise invalid("PullRequest", "invalid", "state", gone)
    if state == "open" and pull.merged_at is not None:
        raise invalid("PullRequest", "invalid", "state", "state cannot be changed. The pull request was merged.")
    if state == "open" and issue.state != "open":
        _require_only_one(issue.repository, pull.head, pull.base)
    changes.set_state(issue, by, state)
    follow_branches(changes, issue.repository, by)


def retarget(changes: Changes, issue: Issue, by: Account, base: str) -> None:
    """Let a pull request go into another branch. Raises 422 where that is not there, or one of its branch does so."""
    assert issue.pull
    pull, sha = issue.pull, git.head(issue.repository.directory, base)
    if sha is None:
        raise invalid("PullRequest", "invalid", "base", f"Proposed base branch '{base}' was not found")
    if base != pull.base:
        if issue.state == "open":
            _require_only_one(issue.repository, pull.head, base)
        before = {"ref": {"from": pull.base}, "sha": {"from": pull.base_sha}}
        pull.base, pull.base_sha = base, sha
        changes.tell_pull(issue, "edited", by, changes={"base": before})


def request_reviews(changes: Changes, issue: Issue, by: Account, logins: list[str]) -> None:
    """Ask for reviews: all or none. Raises 422 for the author and for people without access."""
    assert issue.pull
    accounts = [_reviewer(changes, issue, login) for login in logins]
    for account in accounts:
        if account not in issue.pull.reviewers:
            issue.pull.reviewers.append(account)
            changes.tell_pull(issue, "review_requested", by, requested_reviewer=shapes.account(changes.world, account))


def withdraw_requests(changes: Changes, issue: Issue, by: Account, logins: list[str]) -> None:
    """Ask no longer; whoever was not asked is passed over."""
    assert issue.pull
    for account in [
        found for found in issue.pull.reviewers if found.login.lower() in {name.lower() for name in logins}
    ]:
        issue.pull.reviewers.remove(account)
        asked = shapes.account(changes.world, account)
        changes.tell_pull(issue, "review_request_removed", by, requested_reviewer=asked)


def follow_branches(changes: Changes, repository: Repository, by: Account) -> None:
    """Bring open pull requests up to their branches after a push.

    One of whose branches is gone is closed; one whose commits are all in its base now counts as merged.
    """
    for issue in list(repository.issues.values()):
        if issue.pull is None or issue.state != "open":
            continue
        pull = issue.pull
        head, base = git.head(repository.directory, pull.head), git.head(repository.directory, pull.base)
        if head is None or base is None:
            changes.set_state(issue, by, "closed")
            continue
        before, pull.head_sha = pull.head_sha, head
        if base != pull.base_sha and not git.commits(repository.directory, base, head):
            _merged(changes, issue, by, base)
            continue
        pull.base_sha = base
        if before != head:
            git.point(repository.directory, _pull_ref(issue), head)
            changes.tell_pull(issue, "synchronize", by, before=before, after=head)


def merge(
    changes: Changes, issue: Issue, by: Account, *, method: str = "merge", message: str = "", sha: str | None = None
) -> str:
    """Merge a pull request: `method` is merge, squash or rebase. Returns the base's new commit.

    Raises 405 where it is no open one, is a draft, has conflicts or lacks approval; 409 where its head is not `sha`.
    """
    assert issue.pull
    pull, home = issue.pull, issue.repository
    _require_mergeable(issue, method)
    if sha not in (None, pull.head_sha):
        raise ApiError(409, "Head branch was modified. Review and try the merge again.")
    title = f"{issue.title} (#{issue.number})" if method == "squash" else f"Merge pull request #{issue.number}"
    said = message or f"{title}\n\n{issue.title}"
    match method:
        case "squash":
            made = git_merging.squash(home.directory, pull.base_sha, pull.head_sha, said, by=by.login)
        case "rebase":
            made = git_merging.rebase(home.directory, pull.base_sha, pull.head_sha, by=by.login)
        case _:
            made = git_merging.merge(home.directory, pull.base_sha, pull.head_sha, said, by=by.login)
    if made is None:
        raise ApiError(405, "Pull Request is not mergeable")
    git.point(home.directory, f"refs/heads/{pull.base}", made)
    _merged(changes, issue, by, made)
    follow_branches(changes, home, by)
    return made


def delete_branch(changes: Changes, repository: Repository, by: Account, branch: str) -> None:
    """Delete a branch. Raises 422 where there is none."""
    if git.head(repository.directory, branch) is None:
        raise ApiError(422, "Reference does not exist")
    git.delete_branch(repository.directory, branch)
    follow_branches(changes, repository, by)


def rename_branch(changes: Changes, repository: Repository, by: Account, old: str, new: str) -> None:
    """Give a branch another name. Pull requests into it go into the new one; those from it are closed.

    Source: GitHub, “Renaming a branch”.
    """
    git.rename_branch(repository.directory, old, new)
    repository.renamed_branches[old] = new
    if repository.default_branch == old:
        repository.default_branch = new
        fields = {"changes": {"default_branch": {"from": old}}}
        changes.tell_home(repository, "edited", by, **fields)
    for issue in repository.issues.values():
        if issue.pull and issue.state == "open" and issue.pull.base == old:
            retarget(changes, issue, by, new)
    follow_branches(changes, repository, by)


def moved_branches(repository: Repository, before: Mapping[str, str]) -> dict[str, str]:
    """The branches that are new or elsewhere than `before`, with their commits."""
    return {branch: sha for branch, sha in git.heads(repository.directory).items() if before.get(branch) != sha}


def _require_only_one(repository: Repository, head: str, base: str) -> None:
    """Raise 422 where an open pull request goes from the one branch into the other already."""
    for issue in repository.issues.values():
        if issue.pull and issue.state == "open" and (issue.pull.head, issue.pull.base) == (head, base):
            message = f"A pull request already exists for {repository.owner.login}:{head}."
            raise invalid("PullRequest", "custom", message=message)


def _require_mergeable(issue: Issue, method: str) -> None:
    assert issue.pull
    pull, rules = issue.pull, issue.repository.rules
    if pull.draft:
        raise ApiError(405, "Pull Request is still a draft")
    if issue.state != "open":
        raise ApiError(405, "Pull Request is not mergeable")
    if method not in rules.merge_methods:
        raise ApiError(405, f"{method.capitalize()} merges are not allowed on this repository.")
    latest = {review.author: review for review in pull.reviews if review.state in ("APPROVED", "CHANGES_REQUESTED")}
    approved = sum(1 for review in latest.values() if review.state == "APPROVED")
    if approved < rules.reviews_needed:
        needed = f"At least {rules.reviews_needed} approving review is required by reviewers with write access."
        raise ApiError(405, needed)


def _merged(changes: Changes, issue: Issue, by: Account, sha: str) -> None:
    """Note the merge, and close what the pull request says it closes, where it went into the default branch."""
    assert issue.pull
    pull = issue.pull
    pull.merged_at, pull.merged_by, pull.merge_sha = changes.world.now(), by, sha
    changes.set_state(issue, by, "closed")
    for closed in closed_by(issue):
        changes.set_state(closed, by, "closed")


def closed_by(issue: Issue) -> Iterator[Issue]:
    """The issues that a pull request closes as it says, or its commits say; none but into the default branch."""
    assert issue.pull
    pull, home = issue.pull, issue.repository
    if pull.base != home.default_branch:
        return
    said = [issue.body or "", *(commit.message for commit in git.commits(home.directory, pull.base_sha, pull.head_sha))]
    for where, number in dict.fromkeys(_CLOSING.findall("\n".join(said))):
        closed = home.issues.get(int(number))
        if where.lower() in ("", home.full_name.lower()) and closed is not None and closed.pull is None:
            yield closed


def _reviewer(changes: Changes, issue: Issue, login: str) -> Account:
    account = changes.world.accounts.get(login.lower())
    if account is issue.author:
        raise ApiError(422, "Review cannot be requested from pull request author.")
    if account is None or not issue.repository.is_collaborator(account):
        message = "Reviews may only be requested from collaborators. One or more of the users or teams you specified"
        raise ApiError(422, f"{message} is not a collaborator of the {issue.repository.full_name} repository.")
    return account


def _pull_ref(issue: Issue) -> str:
    """Where the head of a pull request stays, whatever becomes of its branch."""
    return f"refs/pull/{issue.number}/head"
