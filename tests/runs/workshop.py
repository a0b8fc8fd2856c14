"""Whole runs without a model, an engine or a server: a real repository, mirror and database, and a scripted agent."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Engine as Database

from bot.agent import Agent, Model
from bot.errors import Gone, Refused, Stopped
from bot.records import (
    Answer,
    Caps,
    Comment,
    IssueRef,
    Note,
    Outcome,
    Progress,
    PullRequestText,
    RepositoryInfo,
    RepositoryRef,
    Spend,
    Task,
    TriggerKind,
    Verdict,
    Workbench,
)
from bot.repository import Mirror
from bot.repository.git import run_git
from bot.runs.chapter import Chapter
from bot.runs.house import Crew, House
from bot.runs.known import Known
from bot.runs.stopping import StopFlag
from bot.runs.store import RunRow, SqlInbox, Store
from bot.runs.workflow import story_of
from bot.writing.document import marker
from tests.github.fake import FakeGitHub, FakePull, FakeRepository
from tests.repository.conftest import NOON, Origin
from tests.runs.builders import MAINTAINER, a_house, a_trigger, an_iteration

BRANCH = "selfcode/issue-1"
CONFIGURATION = b"test: sh check.sh\nsetup: ''\n"
FILES: Mapping[str, bytes] = {
    ".github/selfcode.yml": CONFIGURATION,
    "check.sh": b"exit 0\n",
    "calc.py": b"one = 1\ntwo = 2\nthree = 3\n\n\nfour = 4\n",
}


NOTHING: Mapping[str, Callable[[], object]] = {}


def _nothing() -> None:
    """Nothing happens."""


class Heads(dict[str, str]):
    """The branches of the real repository, as they are now."""

    def __init__(self, origin: Origin) -> None:
        super().__init__()
        self._origin = origin

    def __getitem__(self, name: str) -> str:
        return self._origin.head(name) or "0" * 40

    def get(self, name: str, default: Any = None) -> Any:
        return self._origin.head(name) or default


@dataclass
class OriginHub(FakeGitHub):
    """A fake GitHub whose repository is a real one in a folder."""

    origins: dict[int, Origin] = field(default_factory=dict)

    def repository(self, ref: RepositoryRef) -> RepositoryInfo:
        return replace(super().repository(ref), clone_url=str(self.origins[ref.id].path))

    def written_commit(self, ref: RepositoryRef, tree: str, parents: Sequence[str], message: str) -> str:
        """A commit in the real repository, by GitHub's hand and with a signature, another one each time."""
        when = next(self.ids)
        lines = [
            f"tree {tree}",
            *(f"parent {parent}" for parent in parents),
            f"author {self.login} <1+{self.login}@users.noreply.github.com> {when} +0000",
            f"committer GitHub <noreply@github.com> {when} +0000",
            *(["gpgsig signed"] if self.signs else []),
            "",
            message,
        ]
        command, repository = ["hash-object", "-t", "commit", "-w", "--stdin"], self.origins[ref.id].path
        return run_git(command, repository=repository, stdin="\n".join(lines).encode()).decode().strip()


@dataclass(frozen=True)
class Turn:
    """What the agent does in one iteration. `meanwhile` happens while it works."""

    writes: Mapping[str, bytes | None] = field(default_factory=dict)
    verdict: Verdict | None = Verdict.SOLVED
    why: str = ""
    answers: tuple[Answer, ...] = ()
    meanwhile: Callable[[], object] = lambda: None


@dataclass
class Scripted:
    """An agent that does what it is told, and keeps what it was asked."""

    turns: list[Turn] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    began_with: list[dict[str, bytes]] = field(default_factory=list)
    objections: list[str] = field(default_factory=list)
    heard: list[list[str]] = field(default_factory=list)

    def iterate(
        self, task: Task, progress: Progress, bench: Workbench, *, said: Callable[[], Sequence[Note]], **_: Any
    ) -> Progress:
        self.tasks.append(task)
        self.heard.append([note.text for note in said()])
        self.began_with.append({path: bench.read(path) or b"" for path in bench.paths()})
        turn = self.turns.pop(0)
        for path, data in turn.writes.items():
            if data is None:
                bench.delete(path)
            else:
                bench.write(path, data)
        turn.meanwhile()
        report, change = bench.test(), bench.change()
        self.objections.append(bench.objection(change, report))
        made = an_iteration(len(progress.iterations) + 1, change=change, report=report, spend=Spend())
        return replace(
            progress,
            iterations=(*progress.iterations, made),
            verdict=turn.verdict,
            why=turn.why,
            answers=turn.answers or progress.answers,
        )


@dataclass
class Workshop:
    """A repository with an issue, and runs on it, one after the other."""

    home: Path
    database: Database
    files: Mapping[str, bytes] = field(default_factory=lambda: dict(FILES))
    agent: Scripted = field(default_factory=Scripted)
    hub: OriginHub = field(default_factory=OriginHub)
    dry_run: bool = False
    origin: Origin = field(init=False)
    repository: FakeRepository = field(init=False)
    issue: IssueRef = field(init=False)

    def __post_init__(self) -> None:
        path = self.home / "origin.git"
        run_git(["init", "--quiet", "--bare", "--template=", "--initial-branch=main", "--", str(path)])
        self.origin = Origin(path, str(path))
        self.repository = self.hub.add_repository("octo/cat", installation_id=1)
        self.hub.origins[self.repository.ref.id] = self.origin
        self.repository.branches = Heads(self.origin)
        self.repository.roles[MAINTAINER.login] = "write"
        self.issue = self.hub.open_issue(self.repository.ref, "Three is wrong", labels=("selfcode",), by="ada")
        self.origin.commit(dict(self.files))

    # --- Arranging

    @property
    def house(self) -> House:
        made = a_house(Store(self.database), self.hub, self.home)
        return replace(made, agent_for=self._agent_for, dry_run=self.dry_run, caps=Caps(minutes=5))

    def _agent_for(self, _: Crew, __: Callable[[Model], Model]) -> Agent:
        return cast(Agent, self.agent)

    @property
    def store(self) -> Store:
        return Store(self.database)

    def run(
        self,
        *turns: Turn,
        kind: TriggerKind = TriggerKind.START,
        before: Mapping[str, Callable[[], object]] = NOTHING,
        **changed: Any,
    ) -> RunRow:
        """A run with these turns of the agent, from its trigger to its end. `before`: what happens before a step."""
        self.agent.turns = list(turns)
        run_id = self.begun(kind, **changed)
        chapter = self.chapter(run_id)
        try:
            outcome, reason = story_of(chapter, lambda name, work: (before.get(name, _nothing)(), work())[1])
        except Refused as refusal:
            outcome, reason = Outcome.REFUSED, str(refusal)
        except (Stopped, Gone) as stopped:
            outcome, reason = Outcome.STOPPED, str(stopped)
        for _, work in chapter.last_words(outcome, reason):
            with suppress(Refused, Gone):
                work()
        chapter.finish(outcome, reason)
        return self.store.run(run_id)

    def begun(self, kind: TriggerKind = TriggerKind.START, **changed: Any) -> str:
        """A run that nobody works on yet."""
        usual: dict[str, Any] = {"issue": self.issue, "sender": MAINTAINER}
        SqlInbox(self.database).accept(a_trigger(kind, **(usual | changed)))
        return self.store.begin_run(self.store.waiting()[-1])

    def worked(self, files: Mapping[str, bytes | None], **facts: Any) -> str:
        """An earlier run, as it was kept, that pushed these files and opened the pull request. Returns the commit."""
        base = self.head("main")
        head = self.origin.commit(dict(files), branch=BRANCH, onto=self.origin.head(BRANCH) or base)
        text = PullRequestText("Three is wrong (#1)", f"The proof.\n\n{marker('pull-request', 'r')}", draft=True)
        pull = self.hub.publish_pull_request(self.repository.ref, BRANCH, "main", text)
        run_id = self.begun()
        known = {"base": base, "head_sha": head, "commits": [head], "branch": BRANCH, "pull_request": pull.number}
        self.store.learn(run_id, **(known | facts))
        self.store.finish(run_id, Outcome.UNPROVEN, "")
        return head

    def settled(self, kind: TriggerKind = TriggerKind.RETRY, **changed: Any) -> Known:
        """A run, as far as it is settled what it goes on from."""
        chapter = self.chapter(self.begun(kind, **changed))
        chapter.admit()
        chapter.fetch()
        return chapter.known

    def chapter(self, run_id: str) -> Chapter:
        return Chapter(self.known(run_id), StopFlag(self.store, run_id))

    def known(self, run_id: str) -> Known:
        return Known(self.house, run_id)

    def push(self, files: Mapping[str, bytes | None], *, branch: str = BRANCH) -> str:
        """A person's commit on a branch."""
        return self.origin.commit(dict(files), branch=branch)

    def update_branch(self, branch: str = BRANCH) -> str:
        """A person's merge of main into the branch, as GitHub's button makes it."""
        head, main = self.head(branch), self.head("main")
        merge = self.remote.merge(head, main)
        assert merge.is_clean
        sha = self._commit(merge.tree, [head, main], f"Merge branch 'main' into {branch}")
        return self._put(branch, sha)

    def rebase_branch(self, branch: str = BRANCH) -> str:
        """A person's rebase of the branch onto main, as GitHub's other button makes it: commits of theirs by then."""
        sha = main = self.head("main")
        for commit in self.remote.commits(main, self.head(branch)):
            if len(commit.parents) == 1:
                patch = self.remote.change(commit.parents[0], commit.sha).patch
                sha = self._commit(self.remote.apply(sha, patch), [sha], commit.subject)
        return self._put(branch, sha)

    def _commit(self, tree: str, parents: Sequence[str], message: str) -> str:
        ann = {"author_name": "Ann", "author_email": "ann@example.com"}
        return self.remote.commit(tree, parents=parents, message=message, when=NOON, **ann)

    def _put(self, branch: str, sha: str) -> str:
        run_git(["update-ref", f"refs/heads/{branch}", sha], repository=self.origin.path)
        return sha

    def moves_on(self) -> None:
        """The run at work is taken up in another home: nothing of its mirror is there."""
        (run,) = self.store.unfinished()
        shutil.rmtree(self.known(run.id).mirror.path)
        self.chapter(run.id).fetch()

    # --- Looking

    @property
    def pull(self) -> FakePull:
        return self.repository.pulls[-1]

    def head(self, branch: str = BRANCH) -> str:
        head = self.origin.head(branch)
        assert head is not None, f"there is no branch {branch}"
        return head

    def read(self, path: str, *, branch: str = BRANCH) -> bytes | None:
        return self.remote.read(self.head(branch), path)

    @property
    def remote(self) -> Mirror:
        return Mirror(self.origin.path)

    def parents(self, sha: str) -> Sequence[str]:
        told = run_git(["rev-list", "--parents", "-n", "1", sha], repository=self.origin.path)
        return told.decode().split()[1:]

    def message(self, sha: str) -> str:
        return run_git(["log", "-1", "--format=%B", sha], repository=self.origin.path).decode().strip()

    @property
    def answer(self) -> str:
        """The newest run's own comment on the issue."""
        return [said.body for said in self.said if "<!-- selfcode:progress" in said.body][-1]

    @property
    def said(self) -> list[Comment]:
        return self.repository.issues[self.issue.number].comments
