"""Hears late what a webhook would have told: the same decision, into the same inbox."""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from bot.records import Hindsight, Receipt, RepositoryRef, Trigger, TriggerKind
from bot.seen.about import about, of_trigger
from bot.triggers.decide import Accept, EndSessions, Ignore, Pong, decide
from bot.triggers.events import Event

log = logging.getLogger(__name__)


class LateInbox(Protocol):
    """An inbox that can know one trigger by several keys."""

    def accept_as_one(self, trigger: Trigger, others: Collection[str]) -> Receipt: ...


def _none(_: Trigger) -> Collection[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Hearing:
    """What it takes to decide: the label and the login that are ours, and the bots that may ask.

    `end_sessions` signs a user out, by their id, where they had signed in by a moment. `forgotten_until` says up to
    when everything of a repository was ordered to be forgotten: it does not come back.
    """

    hindsight: Hindsight
    inbox: LateInbox
    label: str
    bot_login: str
    trusted_bots: Collection[str] = field(default=frozenset())
    forgotten_until: Callable[[RepositoryRef], float | None] = lambda _: None
    end_sessions: Callable[[int, float | None], None] = lambda _, __: None

    def hear(
        self,
        event: Event,
        delivery_id: str = "",
        *,
        delivered_at: float | None = None,
        also: Callable[[Trigger], Collection[str]] = _none,
    ) -> int:
        """Keep what an event asks for. Returns how many of its triggers were not known.

        `delivered_at` is when GitHub first told it, where that is known. `also` says by which other keys a trigger may
        be known.
        """
        decision = decide(
            event,
            label=self.label,
            bot_login=self.bot_login,
            delivery_id=delivery_id,
            trusted_bots=self.trusted_bots,
        )
        match decision:
            case Ignore() | Pong():
                return 0
            case EndSessions(user_id=user_id):
                self.end_sessions(user_id, delivered_at)  # who has signed in since has allowed it anew
                log.info("heard late: user %s took back what they had allowed, and is signed out", user_id)
                return 0
            case Accept(triggers=triggers):
                return [self._accept(each, also(each)) for each in triggers if self._is_true(each)].count(
                    Receipt.ACCEPTED
                )

    def _accept(self, trigger: Trigger, others: Collection[str]) -> Receipt:
        with about(**of_trigger(trigger)):
            receipt = self.inbox.accept_as_one(trigger, others)
            log.info("heard late: %s, %s", trigger.because or trigger.kind, receipt)
        return receipt

    def _is_true(self, trigger: Trigger) -> bool:
        """Whether it is so still. That the App left, where it is again, would end what was asked for since."""
        repository = trigger.issue.repository
        if trigger.kind is not TriggerKind.UNINSTALLED:
            gone = self.forgotten_until(repository)
            return gone is None or datetime.fromisoformat(trigger.occurred_at).timestamp() > gone
        if not self.hindsight.sees(repository):
            return True
        log.info("%s is not heard: the App is on %s again", trigger.because, repository.full_name)
        return False
