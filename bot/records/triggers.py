"""What someone asked for, and where it waits."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.records.places import IssueRef, Person


class TriggerKind(StrEnum):
    """What is asked for. The first five become runs: work on an issue.

    REVIEW is a review of our pull request that asks for something; MEND asks to mend what makes the repository's own
    checks fail; ANSWER is a comment without a command, which counts where a run has asked a question. DOCTOR becomes an
    examination, which is kept and queued like a run. So are the next four, which are about a pull request of ours that
    is there already: ACCEPT takes its proof again with a person's word on the altered tests, RENEW of what the branch
    holds now; MOVED says that a person has pushed, CHECKS that checks of the repository's own failed on its head. STOP
    ends them, NOTE steers them; STATUS and HELP are answered; the last three keep house: of REOPENED, which says that a
    pull request of ours is open again, nothing comes but that it is known.
    """

    START = "start"
    RETRY = "retry"
    REVIEW = "review"
    MEND = "mend"
    ANSWER = "answer"
    DOCTOR = "doctor"
    ACCEPT = "accept-tests"
    RENEW = "renew"
    MOVED = "moved"
    CHECKS = "checks"
    STOP = "stop"
    NOTE = "note"
    STATUS = "status"
    HELP = "help"
    INSTALLED = "installed"
    UNINSTALLED = "uninstalled"
    REOPENED = "reopened"


class SubjectKind(StrEnum):
    """What a person may ask in, beside an issue itself."""

    ISSUE_COMMENT = "issue_comment"
    REVIEW_COMMENT = "review_comment"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Subject:
    """What somebody asked in, and what a reaction goes to.

    `id` is that of the REST API. `node_id` is GraphQL's: a review can be reacted to by that alone.
    """

    kind: SubjectKind
    id: int
    node_id: str = ""


class PullState(StrEnum):
    """How a pull request of ours stands."""

    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class PullTurn:
    """How a pull request of ours, by its number, stands since something was done to it."""

    number: int
    state: PullState


@dataclass(frozen=True, slots=True)
class Trigger:
    """What someone asked for, known by `key`: the same key seen twice is one trigger.

    `issue.number` is 0 for INSTALLED and UNINSTALLED. `text` is the hint of a retry, or the complaint that HELP is to
    open with, a note's or an answer's text, or how checks ended. `subject` is set where a comment or review asked.
    `because` says for people what happened (“label removed”). `head_sha` is the commit that a review or checks were
    of, "" elsewhere. `review_id` is set for REVIEW alone, whose `subject` is the review itself or the comment in it
    that asked. `is_insider`: by GitHub's word in the delivery whoever asks belongs to the repository, or what they did
    takes that; it admits nobody. `occurred_at` is ISO 8601 UTC, GitHub's clock. `pull_request` is set where it was
    asked in the conversation of a pull request: as long as its issue is not looked up, `issue` names that too.
    `pull_turn` is set where the end of a pull request is why a run is to stop, and for REOPENED.
    """

    key: str
    kind: TriggerKind
    issue: IssueRef
    sender: Person
    occurred_at: str
    because: str = ""
    text: str = ""
    delivery_id: str = ""
    pull_request: int | None = None
    subject: Subject | None = None
    head_sha: str = ""
    review_id: int | None = None
    is_insider: bool = False
    pull_turn: PullTurn | None = None

    @property
    def comment_id(self) -> int | None:
        """The id of the comment in the conversation of an issue or pull request that asked, if one did."""
        found = self.subject
        return found.id if found is not None and found.kind is SubjectKind.ISSUE_COMMENT else None

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
