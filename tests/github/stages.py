"""The same scene on the fake and on the stand-in server: what tests arrange, and what they look at afterwards."""

from typing import Protocol

from bot.demo.handles import IssueHandle, PullHandle, RepositoryHandle, ThreadHandle
from bot.demo.hub import Hub
from bot.demo.shapes import node_id
from bot.demo.state import App, CheckRun, Installation
from bot.github.app import GitHubApp
from bot.records import FailedCheck, GitHub, IssueRef, PullRequestText, RepositoryRef, ReviewState
from tests.github.fake import FakeGitHub, FakePull, FakeRepository


class Stage(Protocol):
    """One repository with people around it."""

    @property
    def github(self) -> GitHub: ...
    @property
    def ref(self) -> RepositoryRef: ...
    def open_issue(self, title: str = "It breaks", body: str = "", *, labels: tuple[str, ...] = ()) -> IssueRef: ...
    def say(self, at: IssueRef, body: str, *, by: str) -> int: ...
    def close(self, at: IssueRef) -> None: ...
    def lock(self, at: IssueRef) -> None: ...
    def delete(self, at: IssueRef) -> None: ...
    def give_role(self, login: str, role: str) -> None: ...
    def rename(self, name: str) -> None: ...
    def forbid_drafts(self) -> None: ...
    def push(self, branch: str, content: str) -> str: ...
    def close_pull(self, number: int) -> None: ...
    def open_pull(self, branch: str, base: str, title: str, *, by: str) -> int: ...
    def retarget(self, number: int, base: str) -> None: ...
    def said(self, at: IssueRef) -> list[tuple[str, str]]: ...
    def reactions(self, at: IssueRef) -> list[tuple[str, str]]: ...
    def comment_reactions(self, at: IssueRef, comment_id: int) -> list[tuple[str, str]]: ...
    def labels(self) -> list[str]: ...
    def pulls(self) -> list[tuple[str, str, str]]: ...
    def pull_labels(self, number: int) -> list[str]: ...
    def reviewers(self, number: int) -> list[str]: ...
    def checks(self, sha: str) -> list[tuple[str, str, str]]: ...
    def annotated(self, sha: str) -> list[tuple[str, int, str]]: ...
    def details(self, sha: str) -> list[str]: ...
    def is_draft(self, number: int) -> bool: ...
    def review(self, number: int, by: str, body: str, *comments: tuple[str, int, str]) -> int: ...
    def answer(self, number: int, comment_id: int, text: str, *, by: str) -> int: ...
    def threads(self, number: int) -> list[list[tuple[str, str]]]: ...
    def resolved(self, number: int) -> list[bool]: ...
    def node_of_review(self, number: int, review_id: int) -> str: ...
    def review_reactions(self, number: int, review_id: int) -> list[tuple[str, str]]: ...
    def fail_check(self, sha: str, name: str, *, log: str) -> None: ...


class FakeStage:
    """On the fake."""

    def __init__(self) -> None:
        self.github = FakeGitHub()
        self.repository: FakeRepository = self.github.add_repository("octo/cat")

    @property
    def ref(self) -> RepositoryRef:
        return self.repository.ref

    def open_issue(self, title: str = "It breaks", body: str = "", *, labels: tuple[str, ...] = ()) -> IssueRef:
        return self.github.open_issue(self.ref, title, body, by="alice", labels=labels)

    def say(self, at: IssueRef, body: str, *, by: str) -> int:
        return self.github.say(at, body, by=by)

    def close(self, at: IssueRef) -> None:
        self.github.change_issue(at, is_open=False)

    def lock(self, at: IssueRef) -> None:
        self.github.change_issue(at, is_locked=True)

    def delete(self, at: IssueRef) -> None:
        del self.repository.issues[at.number]

    def give_role(self, login: str, role: str) -> None:
        self.repository.roles[login] = role

    def rename(self, name: str) -> None:
        old = self.repository.ref
        self.repository.ref = RepositoryRef(old.installation_id, old.id, old.owner, name)

    def forbid_drafts(self) -> None:
        self.repository.has_drafts = False

    def push(self, branch: str, content: str) -> str:
        self.repository.branches[branch] = f"{len(self.repository.branches):039d}{len(content) % 10}"
        return self.repository.branches[branch]

    def close_pull(self, number: int) -> None:
        self._pull(number).state = "closed"

    def open_pull(self, branch: str, base: str, title: str, *, by: str) -> int:
        number = 1 + len(self.repository.issues) + len(self.repository.pulls)
        text = PullRequestText(title, "by hand", draft=False)
        self.repository.pulls.append(FakePull(number, branch, base, text, is_draft=False, by=by))
        return number

    def retarget(self, number: int, base: str) -> None:
        self._pull(number).base = base

    def said(self, at: IssueRef) -> list[tuple[str, str]]:
        return [(comment.author.login, comment.body) for comment in self.repository.issues[at.number].comments]

    def reactions(self, at: IssueRef) -> list[tuple[str, str]]:
        return self.repository.issues[at.number].reactions

    def comment_reactions(self, at: IssueRef, comment_id: int) -> list[tuple[str, str]]:
        return self.repository.issues[at.number].comment_reactions.get(comment_id, [])

    def labels(self) -> list[str]:
        return self.repository.labels

    def pulls(self) -> list[tuple[str, str, str]]:
        return [(pull.text.title, pull.text.body, pull.state) for pull in self.repository.pulls]

    def pull_labels(self, number: int) -> list[str]:
        return list(self._pull(number).labels)

    def reviewers(self, number: int) -> list[str]:
        return list(self._pull(number).reviewers)

    def checks(self, sha: str) -> list[tuple[str, str, str]]:
        return [
            (check.conclusion, check.title, check.summary) for check in self.repository.checks if check.head_sha == sha
        ]

    def annotated(self, sha: str) -> list[tuple[str, int, str]]:
        checks = [check for check in self.repository.checks if check.head_sha == sha]
        return [(each.path, each.start_line, each.message) for check in checks for each in check.annotations]

    def details(self, sha: str) -> list[str]:
        return [check.details_url for check in self.repository.checks if check.head_sha == sha]

    def is_draft(self, number: int) -> bool:
        return self._pull(number).is_draft

    def review(self, number: int, by: str, body: str, *comments: tuple[str, int, str]) -> int:
        return self.github.submit_review(self.ref, number, by=by, body=body, comments=comments).id

    def answer(self, number: int, comment_id: int, text: str, *, by: str) -> int:
        replies = [(comment_id, text)]
        state = ReviewState.COMMENTED
        review = self.github.submit_review(self.ref, number, by=by, state=state, replies=replies)
        return review.threads[0].comments[-1].id

    def threads(self, number: int) -> list[list[tuple[str, str]]]:
        return [
            [(said.author.login, said.body) for said in each.comments] for each in self._pull(number).review_threads
        ]

    def resolved(self, number: int) -> list[bool]:
        return [each.is_resolved for each in self._pull(number).review_threads]

    def node_of_review(self, number: int, review_id: int) -> str:
        return f"review-{number}-{review_id}"

    def review_reactions(self, number: int, review_id: int) -> list[tuple[str, str]]:
        return self._pull(number).thread.comment_reactions.get(review_id, [])

    def fail_check(self, sha: str, name: str, *, log: str) -> None:
        self.repository.failed_checks.setdefault(sha, []).append(FailedCheck(name, "https://ci.invalid", log=log))

    def _pull(self, number: int) -> FakePull:
        return next(pull for pull in self.repository.pulls if pull.number == number)


class HubStage:
    """On the stand-in server, through the real door. `github` waits for nobody between writes."""

    def __init__(self, hub: Hub, app: App, owner: str, *, installation: Installation | None = None) -> None:
        self.hub = hub
        self.app = app
        self.repository: RepositoryHandle = hub.create_repository(f"{owner}/cat", {"a.py": "x = 1\n"}, private=True)
        self.installation = installation or hub.install(app, owner)
        self.slept: list[float] = []
        self.github = a_door(hub, app, self.slept)

    @property
    def ref(self) -> RepositoryRef:
        owner, _, name = self.repository.full_name.partition("/")
        return RepositoryRef(self.installation.id, self.repository.id, owner, name)

    def open_issue(self, title: str = "It breaks", body: str = "", *, labels: tuple[str, ...] = ()) -> IssueRef:
        return IssueRef(self.ref, self.repository.open_issue(title, body, by="alice", labels=labels).number)

    def say(self, at: IssueRef, body: str, *, by: str) -> int:
        return self.issue(at).comment(body, by=by).id

    def close(self, at: IssueRef) -> None:
        self.issue(at).close(by="alice")

    def lock(self, at: IssueRef) -> None:
        self.issue(at).lock()

    def delete(self, at: IssueRef) -> None:
        self.issue(at).delete()

    def give_role(self, login: str, role: str) -> None:
        self.repository.give_role(login, role)

    def rename(self, name: str) -> None:
        self.repository.rename(name)

    def forbid_drafts(self) -> None:
        self.repository.rules.drafts = False

    def push(self, branch: str, content: str) -> str:
        return self.repository.commit({"a.py": content}, branch=branch, parent=self.repository.head())

    def close_pull(self, number: int) -> None:
        self.repository.pull(number).close(by="alice")

    def open_pull(self, branch: str, base: str, title: str, *, by: str) -> int:
        return self.repository.open_pull(title=title, head=branch, base=base, body="by hand", by=by).number

    def retarget(self, number: int, base: str) -> None:
        self.repository.pull(number).retarget(base, by="alice")

    def said(self, at: IssueRef) -> list[tuple[str, str]]:
        return [(comment.author.login, comment.body) for comment in self.issue(at).comments]

    def reactions(self, at: IssueRef) -> list[tuple[str, str]]:
        return list(self.issue(at).reactions)

    def comment_reactions(self, at: IssueRef, comment_id: int) -> list[tuple[str, str]]:
        (comment,) = (comment for comment in self.issue(at).comments if comment.id == comment_id)
        return [(given.user.login, given.content) for given in comment.reactions]

    def labels(self) -> list[str]:
        return list(self.repository.labels)

    def pulls(self) -> list[tuple[str, str, str]]:
        return [(pull.title, pull.body, pull.state) for pull in self.repository.pulls]

    def pull_labels(self, number: int) -> list[str]:
        return list(self.pull(number).labels)

    def reviewers(self, number: int) -> list[str]:
        return list(self.pull(number).reviewers)

    def checks(self, sha: str) -> list[tuple[str, str, str]]:
        return [(run.conclusion or "", run.title or "", run.summary or "") for run in self._shown(sha)]

    def annotated(self, sha: str) -> list[tuple[str, int, str]]:
        found = [each for run in self._shown(sha) for each in run.annotations]
        return [(each["path"], each["start_line"], each["message"]) for each in found]

    def details(self, sha: str) -> list[str]:
        return [run.details_url or "" for run in self._shown(sha)]

    def is_draft(self, number: int) -> bool:
        return self.pull(number).is_draft

    def review(self, number: int, by: str, body: str, *comments: tuple[str, int, str]) -> int:
        return self.pull(number).review(by=by, body=body, comments=comments).id

    def answer(self, number: int, comment_id: int, text: str, *, by: str) -> int:
        return self._thread(number, comment_id).reply(text, by=by).id

    def threads(self, number: int) -> list[list[tuple[str, str]]]:
        return [thread.said for thread in self.pull(number).threads]

    def resolved(self, number: int) -> list[bool]:
        return [thread.is_resolved for thread in self.pull(number).threads]

    def node_of_review(self, number: int, review_id: int) -> str:
        return node_id("PullRequestReview", review_id)

    def review_reactions(self, number: int, review_id: int) -> list[tuple[str, str]]:
        return list(next(review for review in self.pull(number).reviews if review.id == review_id).reactions)

    def fail_check(self, sha: str, name: str, *, log: str) -> None:
        self.repository.check(sha, name, "failure", log=log)

    def _thread(self, number: int, comment_id: int) -> ThreadHandle:
        return next(
            thread for thread in self.pull(number).threads if comment_id in {said.id for said in thread.comments}
        )

    def _shown(self, sha: str) -> list[CheckRun]:
        """What GitHub shows of the check runs on a commit: the newest of each name."""
        runs = [run for run in self.repository.check_runs if run.head_sha == sha]
        return list({run.name: run for run in runs}.values())

    def issue(self, at: IssueRef) -> IssueHandle:
        return next(issue for issue in self.repository.issues if issue.number == at.number)

    def pull(self, number: int) -> PullHandle:
        return self.repository.pull(number)

    def asked(self, method: str = "") -> list[str]:
        """The requests so far that were about this repository, oldest first, as `POST /repos/… → 201`."""
        mine = (f"/repos/{self.repository.full_name}", f"/repositories/{self.repository.id}")
        return [
            f"{found.method} {found.path} → {found.status}"
            for found in self.hub.requests
            if found.path.startswith(mine) and found.method.startswith(method)
        ]


def a_door(hub: Hub, app: App, slept: list[float], **changed: object) -> GitHubApp:
    """The real door to the stand-in; instead of sleeping it writes down for how long it would have."""
    settings = {
        "app_id": app.id,
        "private_key": app.private_key,
        "api_url": hub.api_url,
        "seconds_between_writes": 0.0,
        "sleep": slept.append,
    }
    return GitHubApp(**(settings | changed))  # type: ignore[arg-type]
