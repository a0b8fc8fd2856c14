"""Whether who asked may ask, as of now; and how often strangers can have that looked up, and answered."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from bot.errors import Refused, Unavailable
from bot.records import OPERATOR, GitHub, Trigger, TriggerKind
from bot.runs.errands import FRESH_S
from bot.runs.known import Known
from bot.runs.reading import at_least
from bot.runs.store import Store
from bot.runs.voice import Voice

HOUR_S = 3600.0
REFUSALS_OF_A_PERSON = 5
REFUSALS_IN_A_REPOSITORY = 60
RESERVE = 60
"""Lookups and reactions an hour that people without access can cause: by commands, and as many by what may be answers.

Who had access before is always looked up, and who puts a label on. The reserve is for those of whom GitHub says that
they belong to the repository: strangers can't use it up.
"""

REMEMBERED_S = HOUR_S
"""How long somebody who was let in may stop what runs while GitHub does not say who they are: it shuts us out for an
hour at most.
"""

PermissionOf = Callable[[Trigger], str]
"""The permission of a trigger's sender in its repository, as of now. Raises what GitHub raises."""


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
    permission_of: PermissionOf
    minimum: str
    trusted_bots: frozenset[str] = field(default=frozenset())
    clock: Callable[[], float] = time.time

    def verdict_on(self, trigger: Trigger) -> Verdict:
        """Whether its sender may ask. Looked up once for a request, and again once it has waited.

        While GitHub does not answer, those may stop what runs whom it has let in lately: it costs nobody anything.
        """
        if self.is_unheard(trigger):
            return Verdict.UNHEARD
        if self._is_known(trigger):
            return Verdict.LET_IN
        try:
            is_let_in = trigger.sender == OPERATOR or trigger.sender.is_bot
            may_ask = is_let_in or at_least(self.permission_of(trigger), self.minimum)
        except Unavailable:
            if trigger.kind is TriggerKind.STOP and self._was_let_in(trigger, within_s=REMEMBERED_S):
                return Verdict.LET_IN
            raise
        self.store.talk.keep_asked(trigger, is_let_in=may_ask, at=self.clock())
        return Verdict.LET_IN if may_ask else Verdict.REFUSED

    def is_unheard(self, trigger: Trigger) -> bool:
        """Whether nothing is said to its sender, by what is kept here alone: GitHub is not asked."""
        if trigger.sender == OPERATOR:
            return False
        if trigger.sender.is_bot:
            return not trigger.sender.is_bot_among(self.trusted_bots)
        return not self._is_known(trigger) and self._asks_too_often(trigger)

    def _was_let_in(self, trigger: Trigger, *, within_s: float) -> bool:
        repository_id, since = trigger.issue.repository.id, self.clock() - within_s
        return self.store.talk.was_let_in(repository_id, trigger.sender.login, since=since)

    def _is_known(self, trigger: Trigger) -> bool:
        """Whether this request was let in just now."""
        known = self.store.talk.asked(trigger.key)
        return known is not None and known.is_let_in and known.at > self.clock() - FRESH_S

    def _asks_too_often(self, trigger: Trigger) -> bool:
        talk, repository_id, login = self.store.talk, trigger.issue.repository.id, trigger.sender.login
        since, of_answers = self.clock() - HOUR_S, trigger.kind is TriggerKind.ANSWER
        if talk.refusals(repository_id, since=since, login=login, of_answers=of_answers) >= REFUSALS_OF_A_PERSON:
            return True
        if trigger.kind is TriggerKind.START and trigger.is_insider:
            return False
        most = REFUSALS_IN_A_REPOSITORY + (RESERVE if trigger.is_insider else 0)
        is_flooded = talk.refusals(repository_id, since=since, of_answers=of_answers) >= most
        return is_flooded and not talk.was_let_in(repository_id, login)


def asked_now(github: GitHub) -> PermissionOf:
    """Asks GitHub, and waits for it."""
    return lambda trigger: github.permission(trigger.issue.repository, trigger.sender.login)


def admit_who_asked(known: Known) -> None:
    """Answer whoever asked with 👀, once. Raises `Refused`, after a 👎, where they may not ask.

    Their permission is read again, for a delivery can't be relied on for it; not where the dispatcher did so just now.
    “Re-run” on a check is nothing that could be reacted to.
    """
    trigger, house = known.trigger, known.house
    gate = Gate(house.store, asked_now(house.github), house.min_permission, house.trusted_bots)
    verdict = gate.verdict_on(trigger)
    if verdict is Verdict.UNHEARD:
        raise Refused(f"{trigger.sender.login} is not listened to")
    may_ask = verdict is Verdict.LET_IN
    is_new = house.store.answer_once(seen_key(trigger)) or not may_ask
    is_shown = trigger.kind is not TriggerKind.RENEW if may_ask else shows_refusal(trigger)
    if is_new and is_shown:
        reaction = "eyes" if may_ask else "-1"
        Voice(known).politely(lambda: house.github.react(trigger.asked_at, reaction, subject=trigger.subject))
    if not may_ask:
        raise Refused(f"{trigger.sender.login} has less than {house.min_permission} access")


def shows_refusal(trigger: Trigger) -> bool:
    """Whether who may not ask is shown so. What is no word to us gets no reaction: a comment among others, a button.

    Neither does the issue of somebody who merely filled in a form that has the label.
    """
    match trigger.kind:
        case TriggerKind.ANSWER | TriggerKind.RENEW:
            return False
        case TriggerKind.START:
            return trigger.is_insider
        case _:
            return True


def seen_key(trigger: Trigger) -> str:
    """By which it is known that a request was reacted to."""
    return f"seen {trigger.key}"
