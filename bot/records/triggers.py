"""What someone asked for, and where it waits."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.records.places import IssueRef, Person


class TriggerKind(StrEnum):
    """What is asked for. START and RETRY become runs, DOCTOR an examination, which is kept and queued like a run.

    So are the next three, which are about the proof of a pull request of ours: ACCEPT takes it again with a person's
    word on the altered tests, RENEW of what the branch holds now; MOVED says that a person has pushed. STOP ends them;
    HELP is answered; the last two keep house.
    """

    START = "start"
    RETRY = "retry"
    DOCTOR = "doctor"
    ACCEPT = "accept-tests"
    RENEW = "renew"
    MOVED = "moved"
    STOP = "stop"
    HELP = "help"
    INSTALLED = "installed"
    UNINSTALLED = "uninstalled"


@dataclass(frozen=True, slots=True)
class Trigger:
    """What someone asked for, known by `key`: the same key seen twice is one trigger.

    `issue.number` is 0 for INSTALLED and UNINSTALLED. `text` is the hint of a retry, or the complaint that HELP is to
    open with. `comment_id` is set where a comment asked. `because` says for people what happened (“label removed”).
    `occurred_at` is ISO 8601 UTC, GitHub's clock. `pull_request` is set where it was asked in the conversation of a
    pull request: as long as its issue is not looked up, `issue` names that too.
    """

    key: str
    kind: TriggerKind
    issue: IssueRef
    sender: Person
    occurred_at: str
    because: str = ""
    text: str = ""
    comment_id: int | None = None
    delivery_id: str = ""
    pull_request: int | None = None

    @property
    def asked_at(self) -> IssueRef:
        """Where it was asked, and is answered."""
        number = self.issue.number if self.pull_request is None else self.pull_request
        return IssueRef(self.issue.repository, number)


class Receipt(StrEnum):
    """What the inbox did with a trigger."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"


class Inbox(Protocol):
    """Where accepted triggers wait, durably. One INSERT each; safe from any number of processes."""

    def accept(self, trigger: Trigger) -> Receipt: ...
