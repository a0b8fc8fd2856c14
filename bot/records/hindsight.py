"""What GitHub can tell afterwards, where it could not be heard when it happened."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.records.places import IssueRef, Person, RepositoryRef


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """One try of GitHub's to deliver something. A redelivery has an `id` of its own, and the same `guid`.

    Ids grow with time. `was_taken`: somebody answered with 2xx. `delivered_at` is seconds since the epoch, GitHub's
    clock.
    """

    id: int
    guid: str
    event: str
    action: str
    delivered_at: float
    was_taken: bool


@dataclass(frozen=True, slots=True)
class DeliveryPage:
    """Some attempts, the newest first, and the cursor of those before them; None where there are none."""

    attempts: tuple[DeliveryAttempt, ...]
    before: str | None


@dataclass(frozen=True, slots=True)
class Installed:
    """The App on one account, since when (seconds since the epoch, GitHub's clock)."""

    id: int
    account: str
    since: float
    is_suspended: bool = False


@dataclass(frozen=True, slots=True)
class LabelledIssue:
    """An open issue that has a label. Its repository's names are those of now; `labels` are all that it has.

    `updated_at` is when anything last happened to it, in seconds since the epoch. `author` is None where the account is
    gone, `association` GitHub's word for what they are to the repository.
    """

    issue: IssueRef
    labels: tuple[str, ...]
    updated_at: float
    author: Person | None = None
    association: str = ""


@dataclass(frozen=True, slots=True)
class Labelling:
    """Who put a label on, and when: seconds since the epoch, GitHub's clock. `by` None is an account that is gone.

    `off_at` is when it was last taken off before that; None where it never was.
    """

    by: Person | None
    at: float
    off_at: float | None = None


class Hindsight(Protocol):
    """What GitHub tells who asks later. Only reads. Each call may raise `Unavailable`."""

    def deliveries(self, cursor: str | None = None) -> DeliveryPage:
        """A page of what was delivered to the App, or failed to be: the newest, or those before a cursor."""
        ...

    def body(self, attempt_id: int) -> bytes:
        """What was delivered, as JSON. Raises `Gone` where GitHub keeps it no longer."""
        ...

    def installations(self) -> Sequence[Installed]:
        """Every account that the App is on."""
        ...

    def sees(self, repository: RepositoryRef) -> bool:
        """Whether the App may see a repository now; of id 0: whether it is on the account at all."""
        ...

    def labelled(self, installation: Installed, label: str, *, since: float) -> Iterator[LabelledIssue]:
        """The open issues that have the label, of those that anything happened to since then, the longest ago first.

        What happened in the last minutes may not be among them yet. Raises `Gone` and `Refused` where the account can't
        be looked through.
        """
        ...

    def labelling(self, at: IssueRef, label: str) -> Labelling | None:
        """Who put the label on last; None where nobody did. Raises `Gone` and `Refused`."""
        ...
