"""All that can be seen of a repository on the hub, and of what the bot keeps of it, as plain values to be compared.

What two runs of the same story can't have in common is made alike, and nothing else: the repository's name and the
hub's address; the numbers and names of comments, checks and runs (each by its place); the shas of commits (each by its
tree, its message and its parents: they hold times); moments, and durations.
"""

import json
import re
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from typing import Any

from sqlalchemy import select

from bot.demo import git
from bot.demo.people import Reaction
from bot.demo.pull_requests import CheckRun, PullRequest, Review, Thread
from bot.demo.state import Comment, Issue, Repository
from bot.runs.store import Store
from bot.runs.tables import inbox, runs

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?( ?UTC|Z|\+00:00)?")
_DURATION = re.compile(r"\b\d+(\.\d+)?\s?(ms|s|seconds?|min|minutes?)\b(\s\d+\s?s\b)?")
_NUMBER = re.compile(r"\b\d{4,}\b")
_SHA = re.compile(r"\b[0-9a-f]{7,40}\b")

Seen = Mapping[str, Any]


def seen(repository: Repository, store: Store) -> Seen:
    """What there is now."""
    kept = _kept(repository, store)
    alike = _Alike(repository, [row["id"] for row in kept["runs"]])
    issues = repository.issues.values()
    found: Seen = alike.all_of({
        "refs": {ref: _tip(repository, ref) for ref in sorted(git.refs(repository.directory))},
        "commits": _commits(repository),
        "labels": sorted(label.name for label in repository.labels),
        "issues": {issue.number: _issue(issue) for issue in issues},
        "pull requests": {issue.number: _pull(issue.pull) for issue in issues if issue.pull},
        "checks": [_check(check) for check in repository.check_runs],
        "suites": [(suite.app.slug, suite.head_sha) for suite in repository.check_suites],
        "runs": [{name: value for name, value in row.items() if name != "id"} for row in kept["runs"]],
        "triggers": kept["triggers"],
    })  # fmt: skip
    return found


def difference(expected: Seen, found: Seen) -> str:
    """What is not as expected, line by line; "" where all is."""
    before, after = (json.dumps(each, indent=1, ensure_ascii=False).splitlines() for each in (expected, found))
    return "\n".join(unified_diff(before, after, "undisturbed", "disturbed", lineterm="", n=2))


def _tip(repository: Repository, ref: str) -> str | None:
    return git.resolve(repository.directory, f"refs/{ref}")


def _commits(repository: Repository) -> list[dict[str, Any]]:
    """Every commit that a ref leads to, parents first."""
    return [
        {
            "sha": commit.sha,
            "parents": commit.parents,
            "tree": commit.tree,
            "author": (commit.author_name, commit.author_email),
            "message": commit.message,
        }
        for commit in _all_commits(repository)
    ]


def _all_commits(repository: Repository) -> Sequence[git.Commit]:
    named = git.run(repository.directory, "rev-list", "--all", "--reverse", "--topo-order").decode().split()
    return [git.one_commit(repository.directory, sha) for sha in named]


def _issue(issue: Issue) -> dict[str, Any]:
    return {
        "author": issue.author.login,
        "title": issue.title,
        "body": issue.body,
        "state": (issue.state, issue.state_reason, issue.locked),
        "labels": [label.name for label in issue.labels],
        "labellings": [(each.event, each.by.login, each.label.name) for each in issue.labellings],
        "reactions": _reactions(issue.reactions),
        "comments": [_comment(comment) for comment in issue.comments],
    }


def _comment(comment: Comment) -> dict[str, Any]:
    return {
        "author": comment.author.login,
        "app": comment.app.slug if comment.app else None,
        "body": comment.body,
        "reactions": _reactions(comment.reactions),
    }


def _reactions(found: Sequence[Reaction]) -> list[tuple[str, str]]:
    return [(reaction.user.login, reaction.content) for reaction in found]


def _pull(pull: PullRequest) -> dict[str, Any]:
    return {
        "branches": (pull.base, pull.head, pull.base_sha, pull.head_sha),
        "draft": pull.draft,
        "merged": pull.merged_at is not None,
        "reviewers": [account.login for account in pull.reviewers],
        "reviews": [_review(review) for review in pull.reviews],
        "threads": [_thread(thread) for thread in pull.threads],
    }


def _review(review: Review) -> dict[str, Any]:
    return {
        "author": review.author.login,
        "state": review.state,
        "body": review.body,
        "commit": review.commit_sha,
        "reactions": _reactions(review.reactions),
    }


def _thread(thread: Thread) -> dict[str, Any]:
    return {
        "at": (thread.path, thread.line, thread.side, thread.commit_sha),
        "resolved by": thread.resolved_by.login if thread.resolved_by else None,
        "comments": [(said.author.login, said.body, _reactions(said.reactions)) for said in thread.comments],
    }


def _check(check: CheckRun) -> dict[str, Any]:
    return {
        "name": check.name,
        "head": check.head_sha,
        "came to": (check.status, check.conclusion),
        "external id": check.external_id,
        "url": check.details_url,
        "text": (check.title, check.summary, check.text),
        "annotations": check.annotations,
    }


def _kept(repository: Repository, store: Store) -> Mapping[str, list[Any]]:
    """Runs and triggers, as far as they tell what was done."""
    with store._engine.connect() as connection:
        told = select(inbox.c.kind, inbox.c.number, inbox.c.state, inbox.c.note)
        waiting = connection.execute(told.where(inbox.c.repository_id == repository.id)).all()
        columns = (runs.c.id, runs.c.number, runs.c.state, runs.c.outcome, runs.c.reason, runs.c.resumes_at)
        ran = select(*columns, runs.c.cost_usd).where(runs.c.repository_id == repository.id).order_by(runs.c.started_at)
        ran_rows = connection.execute(ran).mappings().all()
    return {
        "triggers": sorted(tuple(row) for row in waiting),
        "runs": [{**row, "iterations": _iterations(store, row["id"])} for row in ran_rows],
    }


def _iterations(store: Store, run_id: str) -> list[Any]:
    progress = store.progress(run_id)
    return [(len(each.calls), progress.spend.tokens) for each in progress.iterations]


class _Alike:
    """Makes alike what can't be the same in two runs of one story."""

    def __init__(self, repository: Repository, run_ids: Sequence[str]) -> None:
        self._name = repository.full_name
        self._shas: dict[str, str] = {}
        for commit in _all_commits(repository):
            parents = ", ".join(self._shas[parent] for parent in commit.parents)
            self._shas[commit.sha] = f"<{commit.message.partition(chr(10))[0]} {commit.tree[:7]} on ({parents})>"
        self._shas |= {check.external_id: f"<check {number}>" for number, check in enumerate(repository.check_runs, 1)}
        self._shas |= {run_id: f"<run {number}>" for number, run_id in enumerate(run_ids, 1)}
        self._numbers = {
            str(id_): f"<{kind} {number}>"
            for kind, ids in _ids(repository).items()
            for number, id_ in enumerate(ids, 1)
        }

    def all_of(self, value: Any) -> Any:
        """The value, with all texts in it made alike, those of several lines as lists of them."""
        match value:
            case str():
                lines = self._text(value).split("\n")
                return lines if len(lines) > 1 else lines[0]
            case Mapping():
                return {key: self.all_of(each) for key, each in value.items()}
            case list() | tuple():
                return [self.all_of(each) for each in value]
            case _:
                return value

    def _text(self, text: str) -> str:
        text = re.sub(r"http://127\.0\.0\.1:\d+", "<hub>", text.replace(self._name, "<repository>"))
        text = _DURATION.sub("<duration>", _MOMENT.sub("<moment>", text))
        text = _SHA.sub(lambda found: self._sha(found[0]), text)
        return _NUMBER.sub(lambda found: self._numbers.get(found[0], found[0]), text)

    def _sha(self, text: str) -> str:
        """The commit that it is, or begins; anything else that only looks so stays."""
        return next((name for sha, name in self._shas.items() if sha.startswith(text)), text)


def _ids(repository: Repository) -> Mapping[str, list[int]]:
    issues = repository.issues.values()
    return {
        "repository": [repository.id],
        "issue": [issue.id for issue in issues],
        "comment": [comment.id for issue in issues for comment in issue.comments],
        "review": [review.id for issue in issues if issue.pull for review in issue.pull.reviews],
        "remark": [said.id for issue in issues if issue.pull for each in issue.pull.threads for said in each.comments],
        "check": [check.id for check in repository.check_runs],
    }
