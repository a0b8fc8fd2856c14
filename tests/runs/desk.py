"""A dispatcher at a real database and a fake GitHub, and people who ask it for things."""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.records import Caps, IssueRef, Outcome, Person, PullRequestText, RepositoryRef, Trigger, TriggerKind
from bot.runs.database import connect
from bot.runs.deciding import AtOnce
from bot.runs.dispatcher import Dispatcher
from bot.runs.earlier import QUESTION_SHOWN_AT
from bot.runs.lines import Send, at_once
from bot.runs.schema import migrate
from bot.runs.store import SqlInbox, Store, run_id_for
from tests.github.fake import FakeGitHub, FakeIssue, FakePull, FakeRepository
from tests.runs.builders import MAINTAINER, a_comment_trigger, a_trigger, at, database_url
from tests.runs.fakes import Clock, RecordingStarter

START = TriggerKind.START
HEAD = "2a9b" * 10
"""What runs push."""


@dataclass
class Desk:
    """A dispatcher at a real database, with one repository on a fake GitHub."""

    inbox: SqlInbox
    store: Store
    home: Path
    places: int = 2
    of_repository: int | None = None
    of_installation: int | None = None
    allowed_owners: frozenset[str] = frozenset({"octo"})
    trusted_bots: frozenset[str] = frozenset()
    pages: str = ""
    github: FakeGitHub = field(default_factory=FakeGitHub)
    starter: RecordingStarter = field(default_factory=RecordingStarter)
    send: Send = at_once
    clock: Clock = field(default_factory=Clock)
    now: Clock = field(default_factory=Clock)
    repository: FakeRepository = field(init=False)
    issue: IssueRef = field(init=False)

    def __post_init__(self) -> None:
        self.repository = self.github.add_repository("octo/cat")
        self.repository.roles[MAINTAINER.login] = "write"
        self.issue = self.github.open_issue(self.repository.ref, labels=("selfcode",))
        self.dispatcher = self.new_dispatcher()

    def new_dispatcher(self) -> Dispatcher:
        """As a restarted worker has it."""
        return Dispatcher(
            store=self.store,
            github=self.github,
            starter=self.starter,
            allowed_owners=self.allowed_owners,
            label="selfcode",
            min_permission="write",
            limits=lambda: AtOnce(self.places, self.of_repository, self.of_installation),
            trusted_bots=self.trusted_bots,
            caps_of=lambda _: Caps(iterations=4),
            secrets=("hush-hush-hush",),
            pages=self.pages,
            send=self.send,
            clock=self.clock,
            now=self.now,
        )

    def asks(self, kind: TriggerKind, **changed: Any) -> Trigger:
        """Somebody asks for it; the webhook has kept it."""
        trigger = a_trigger(kind, **({"issue": self.issue} | changed))
        self._know(trigger.issue.repository)
        self.inbox.accept(trigger)
        return trigger

    def _know(self, ref: RepositoryRef) -> None:
        """Whatever repository is named is one that the maintainer may write to."""
        self.github.repositories.setdefault(ref.id, FakeRepository(ref, roles={MAINTAINER.login: "write"}))

    def another_issue(self) -> IssueRef:
        return self.github.open_issue(self.repository.ref, labels=("selfcode",))

    def pulls(self, branch: str = "selfcode/issue-1") -> IssueRef:
        """A pull request from a branch."""
        number = 1 + len(self.repository.issues) + len(self.repository.pulls)
        text = PullRequestText(title="", body="", draft=False)
        self.repository.pulls.append(FakePull(number, branch, "main", text, is_draft=False))
        return IssueRef(self.repository.ref, number)

    def comments(self, kind: TriggerKind, by: Person = MAINTAINER, **changed: Any) -> Trigger:
        """Somebody asks for it by a comment."""
        issue = changed.get("issue", self.issue)
        comment_id = self.github.say(issue, f"/selfcode {kind}", by=by.login)
        trigger = a_comment_trigger(kind, comment_id=comment_id, sender=by, **({"issue": issue} | changed))
        self.inbox.accept(trigger)
        return trigger

    def publishes(self) -> IssueRef:
        """A run that has ended with a pull request, which is returned."""
        (run_id,) = self.runs(occurred_at=at(0))
        pull = self.pulls()
        self.store.learn(run_id, pull_request=pull.number, proof="{}", head_sha=HEAD)
        self.ends(run_id)
        return pull

    def turn(self, times: int = 1) -> None:
        for _ in range(times):
            self.dispatcher.turn()

    def runs(self, *triggers: Trigger, **changed: Any) -> list[str]:
        """Runs that these triggers started and that are at work."""
        begun = triggers or (self.asks(START, **changed),)
        self.turn()
        return [run_id_for(trigger) for trigger in begun]

    def shows_a_question(self, run_id: str) -> None:
        """The run has nothing left to do but to end."""
        self.store.learn(run_id, **{QUESTION_SHOWN_AT: time.time()})

    def asks_a_question(self, run_id: str) -> None:
        """The run ends with a question."""
        self.store.finish(run_id, Outcome.NEEDS_INFORMATION, "Which encoding?")

    def today(self) -> str:
        """The real moment, as GitHub writes it: what a run's end is compared with."""
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def real_time(self) -> float:
        return time.time()

    def with_a_new_database(self) -> "Desk":
        """The same GitHub, and a worker that remembers nothing."""
        self.home.mkdir(parents=True)
        engine = connect(database_url(self.home))
        migrate(engine)
        other = Desk(SqlInbox(engine), Store(engine), home=self.home)
        other.github, other.repository, other.issue = self.github, self.repository, self.issue
        other.dispatcher = other.new_dispatcher()
        return other

    def ends(self, *run_ids: str) -> None:
        for run_id in run_ids:
            self.store.finish(run_id, Outcome.UNSOLVED, "")

    @property
    def started(self) -> list[str]:
        return self.starter.started

    def reactions_on(self, trigger: Trigger) -> list[str]:
        """What we reacted with to what asked, or to the issue itself."""
        thread = self._thread(trigger.asked_at)
        given = thread.comment_reactions.get(trigger.subject.id, []) if trigger.subject else thread.reactions
        return [content for _, content in given]

    def said_on(self, at: IssueRef) -> list[str]:
        """What we said in a conversation."""
        return [said.body for said in self._thread(at).comments if said.author.login == self.github.login]

    @property
    def answers(self) -> list[str]:
        """What we said on the issue."""
        return self.said_on(self.issue)

    def _thread(self, at: IssueRef) -> FakeIssue:
        return self.github._thread(at)
