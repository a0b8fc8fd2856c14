"""What a delivery comes to: nothing, or triggers; and what is known of ourselves when that is decided. Pure."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from bot.records import IssueRef, Person, RepositoryRef, Trigger, TriggerKind
from bot.triggers.events import FromRepository
from bot.triggers.payloads import Account, Head, PullRequest


@dataclass(frozen=True, slots=True)
class Pong:
    """GitHub only wants to know whether someone answers."""


@dataclass(frozen=True, slots=True)
class Ignore:
    """Do nothing; `reason` goes to the log and into the answer."""

    reason: str


@dataclass(frozen=True, slots=True)
class Accept:
    """Keep these triggers, at least one."""

    triggers: tuple[Trigger, ...]


@dataclass(frozen=True, slots=True)
class EndSessions:
    """Let nobody in any more as this user, until they sign in anew: they took back what they had allowed."""

    user_id: int


@dataclass(frozen=True, slots=True)
class Ours:
    """What is ours: the label that starts runs, our login (`slug[bot]`), the bots that may ask; and this delivery's id.

    Letter case does not matter in any of the names.
    """

    label: str
    bot_login: str
    delivery_id: str
    trusted_bots: Collection[str] = field(default=frozenset())

    def is_us(self, account: Account | None) -> bool:
        return account is not None and account.login.casefold() == self.bot_login.casefold()

    def is_our_app(self, slug: str) -> bool:
        return f"{slug}[bot]".casefold() == self.bot_login.casefold()

    def hears(self, *accounts: Account | None) -> bool:
        """Whether all of them may ask for something: people, and bots that the operator lists. None is who is gone."""
        return all(account is not None and self._hears(account) for account in accounts)

    def _hears(self, account: Account) -> bool:
        by = person(account)
        return not self.is_us(account) and (not by.is_bot or by.is_bot_among(self.trusted_bots))


def asked(event: FromRepository, ours: Ours, *, kind: TriggerKind, number: int, **fields: Any) -> Trigger:
    """A trigger about the issue, or the pull request, of this number."""
    return Trigger(
        kind=kind, issue=issue(event, number), sender=person(event.sender), delivery_id=ours.delivery_id, **fields
    )


def issue(event: FromRepository, number: int) -> IssueRef:
    """Where it is."""
    found = event.repository
    return IssueRef(RepositoryRef(event.installation.id, found.id, found.owner, found.name), number)


def person(account: Account) -> Person:
    """Who it is."""
    return Person(account.login, is_bot=account.is_bot, id=account.id)


def issue_of_branch(branch: str) -> int | None:
    """The issue that a branch of ours is for: `selfcode/issue-7`, or `selfcode/issue-7-2` once that was merged."""
    found = re.fullmatch(r"selfcode/issue-([1-9][0-9]{0,9})(?:-(?:[2-9]|[1-9][0-9]{1,3}))?", branch)
    return int(found[1]) if found else None


def belongs(association: str) -> bool:
    """Whether this is GitHub's word for who belongs to a repository. It is no proof of what they may do there.

    Source: https://docs.github.com/en/graphql/reference/enums#commentauthorassociation
    """
    return association in ("OWNER", "MEMBER", "COLLABORATOR")


def issue_of_pull(event: FromRepository, pull: PullRequest, ours: Ours) -> int | None:
    """The issue that a pull request of ours is for; None where people opened it, or its head is no branch of ours."""
    return issue_of_head(event, pull.head) if pull.user is None or ours.is_us(pull.user) else None


def issue_of_head(event: FromRepository, head: Head) -> int | None:
    """The issue that a pull request is for; None where its head is no branch of ours in this repository."""
    is_here = head.repo is not None and head.repo.id == event.repository.id
    return issue_of_branch(head.ref) if is_here else None
