"""Whether who asked may ask, as of now; and how often strangers can have that looked up, and answered."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from bot.errors import Refused
from bot.records import GitHub, Trigger, TriggerKind
from bot.runs.known import Known
from bot.runs.reading import at_least
from bot.runs.store import Store
from bot.runs.voice import Voice

HOUR_S = 3600.0
REFUSALS_OF_A_PERSON = 5
REFUSALS_IN_A_REPOSITORY = 60
"""Lookups and reactions an hour that people without access can cause. Who had access before is always looked up."""

FRESH_S = 60.0
"""How long a permission that was looked up counts as what it is now, for the same request."""


class Verdict(StrEnum):
    """What is said to who asks. UNHEARD: nothing, not even no."""

    LET_IN = "let in"
    REFUSED = "refused"
    UNHEARD = "unheard"


@dataclass(frozen=True, slots=True)
class Gate:
    """Who may ask: people with enough access, by their permission as of now, and the bots that the operator lists.

    `clock` is seconds since the epoch.
    """

    store: Store
    github: GitHub
    minimum: str
    trusted_bots: frozenset[str] = field(default=frozenset())
    clock: Callable[[], float] = time.time

    def verdict_on(self, trigger: Trigger) -> Verdict:
        """Whether its sender may ask. Looked up once for a request, and again once it has waited."""
        if self.is_unheard(trigger):
            return Verdict.UNHEARD
        if self._is_known(trigger):
            return Verdict.LET_IN
        may_ask = trigger.sender.is_bot or self._has_access(trigger)
        self.store.talk.keep_asked(trigger, is_let_in=may_ask, at=self.clock())
        return Verdict.LET_IN if may_ask else Verdict.REFUSED

    def is_unheard(self, trigger: Trigger) -> bool:
        """Whether nothing is said to its sender, by what is kept here alone: GitHub is not asked."""
        if trigger.sender.is_bot:
            return not trigger.sender.is_bot_among(self.trusted_bots)
        return not self._is_known(trigger) and self._asks_too_often(trigger)

    def _has_access(self, trigger: Trigger) -> bool:
        return at_least(self.github.permission(trigger.issue.repository, trigger.sender.login), self.minimum)

    def _is_known(self, trigger: Trigger) -> bool:
        """Whether this request was let in just now."""
        known = self.store.talk.asked(trigger.key)
        return known is not None and known.is_let_in and known.at > self.clock() - FRESH_S

    def _asks_too_often(self, trigger: Trigger) -> bool:
        talk, repository_id, login = self.store.talk, trigger.issue.repository.id, trigger.sender.login
        since = self.clock() - HOUR_S
        if talk.refusals(repository_id, since=since, login=login) >= REFUSALS_OF_A_PERSON:
            return True
        is_flooded = talk.refusals(repository_id, since=since) >= REFUSALS_IN_A_REPOSITORY
        return is_flooded and not talk.was_let_in(repository_id, login)


def admit_who_asked(known: Known) -> None:
    """Answer whoever asked with 👀, once. Raises `Refused`, after a 👎, where they may not ask.

    Their permission is read again, for a delivery can't be relied on for it; not where the dispatcher did so just now.
    “Re-run” on a check is nothing that could be reacted to.
    """
    trigger, house = known.trigger, known.house
    gate = Gate(house.store, house.github, house.min_permission, house.trusted_bots)
    verdict = gate.verdict_on(trigger)
    if verdict is Verdict.UNHEARD:
        raise Refused(f"{trigger.sender.login} is not listened to")
    may_ask = verdict is Verdict.LET_IN
    is_new = house.store.answer_once(seen_key(trigger)) or not may_ask
    if is_new and trigger.kind is not TriggerKind.RENEW:
        reaction = "eyes" if may_ask else "-1"
        Voice(known).politely(lambda: house.github.react(trigger.asked_at, reaction, subject=trigger.subject))
    if not may_ask:
        raise Refused(f"{trigger.sender.login} has less than {house.min_permission} access")


def seen_key(trigger: Trigger) -> str:
    """By which it is known that a request was reacted to."""
    return f"seen {trigger.key}"
