"""What can happen to a repository itself, each with the deliveries that it causes."""

from bot.demo import checking, git, installing, pulling, shapes
from bot.demo.changes import Changes
from bot.demo.state import Account, Repository


def rename(changes: Changes, repository: Repository, by: Account, name: str) -> None:
    """Give a repository another name: the old one answers 301 from now on, until somebody else takes it."""
    before = repository.name
    repository.former.add(repository.full_name.lower())
    repository.name = name
    repository.former.discard(repository.full_name.lower())
    changes.tell_home(repository, "renamed", by, changes={"repository": {"name": {"from": before}}})


def transfer(changes: Changes, repository: Repository, by: Account, owner: Account) -> None:
    """Give a repository to another account: the old name answers 301, the installations there see it from now on."""
    before, left = repository.owner, changes.world.installations_on(repository)
    repository.former.add(repository.full_name.lower())
    repository.owner = owner
    repository.former.discard(repository.full_name.lower())
    former = {"owner": {"from": {"user": shapes.account(changes.world, before)}}}
    changes.tell_home(repository, "transferred", by, changes=former)
    for installation in changes.world.installations_on(repository):
        installing.tell_of(changes, installation, repository, by, added=True)
    for installation in left:
        installing.tell_of(changes, installation, repository, by, added=False)


def set_default_branch(changes: Changes, repository: Repository, by: Account, branch: str) -> None:
    """Make another branch the one that everything starts from."""
    before, repository.default_branch = repository.default_branch, branch
    git.run(repository.directory, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
    if before != branch:
        changes.tell_home(repository, "edited", by, changes={"default_branch": {"from": before}})


def set_archived(changes: Changes, repository: Repository, by: Account, *, archived: bool) -> None:
    """Make a repository read-only, or open it again."""
    if repository.archived != archived:
        repository.archived = archived
        changes.tell_home(repository, "archived" if archived else "unarchived", by)


def set_private(changes: Changes, repository: Repository, by: Account, *, private: bool) -> None:
    """Hide a repository from strangers, or show it to them."""
    if repository.private != private:
        repository.private = private
        changes.tell_home(repository, "privatized" if private else "publicized", by)


def delete(changes: Changes, repository: Repository, by: Account) -> None:
    """From now on it is not found. Installations that had chosen it lose it."""
    changes.tell_home(repository, "deleted", by)
    for installation in changes.world.installations_on(repository):
        if installation.repository_ids is not None:
            installing.select(changes, installation, repository, by, added=False)
    del changes.world.repositories[repository.id]


def pushed(changes: Changes, repository: Repository, by: Account, before: dict[str, str]) -> None:
    """What follows a push: `before` are the branches as they were. Checks are asked for, pull requests follow."""
    for branch, sha in pulling.moved_branches(repository, before).items():
        _tell_push(changes, repository, by, branch, (before.get(branch), sha))
        checking.request_suites(changes, repository, sha, by)
    pulling.follow_branches(changes, repository, by)


def _tell_push(
    changes: Changes, repository: Repository, by: Account, branch: str, moved: tuple[str | None, str]
) -> None:
    before, after = moved
    commits = [] if before is None else [_commit(changes, repository, each) for each in _new(repository, before, after)]
    web = f"{changes.world.base_url}/{repository.full_name}"
    fields = {
        "ref": f"refs/heads/{branch}",
        "before": before or "0" * 40,
        "after": after,
        "created": before is None,
        "deleted": False,
        "forced": False,
        "base_ref": None,
        "compare": f"{web}/compare/{(before or after)[:12]}...{after[:12]}",
        "commits": commits,
        "head_commit": _commit(changes, repository, git.one_commit(repository.directory, after)),
        "pusher": {"name": by.login, "email": f"{by.login}@example.com"},
    }
    changes.courier.tell_repository(repository, "push", None, fields, sender=by)


def _new(repository: Repository, before: str, after: str) -> tuple[git.Commit, ...]:
    return git.commits(repository.directory, before, after)


def _commit(changes: Changes, repository: Repository, of: git.Commit) -> shapes.Json:
    who = {"name": of.author_name, "email": of.author_email, "date": of.date}
    return {
        "id": of.sha,
        "tree_id": of.tree,
        "distinct": True,
        "message": of.message,
        "timestamp": of.date,
        "url": f"{changes.world.base_url}/{repository.full_name}/commit/{of.sha}",
        "author": who,
        "committer": who,
        "added": [],
        "removed": [],
        "modified": [],
    }
