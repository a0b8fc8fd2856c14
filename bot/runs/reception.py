"""How whoever asks is met: let in or not, with one reaction, and at most one answer in words."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.errors import Gone, Refused, Unavailable
from bot.records import GitHub, SubjectKind, Trigger, TriggerKind
from bot.runs.admission import HOUR_S, Gate, Verdict, seen_key
from bot.runs.store import Store
from bot.writing.masking import mask_secrets
from bot.writing.replies import reply_marker

ANSWERS_IN_A_THREAD = 20
"""Answers an hour in one thread: two bots that talk to each other come to an end."""

SILENTLY_REFUSED = (TriggerKind.ANSWER, TriggerKind.RENEW)
"""What is no word to us, and gets no reaction where it may not be heeded: a comment among others, a button."""

UNHEARD = "not listened to"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reception:
    """Meets people in the name of the dispatcher. `clock` is seconds since the epoch."""

    store: Store
    github: GitHub
    gate: Gate
    secrets: tuple[str, ...] = field(default=(), repr=False)
    clock: Callable[[], float] = time.time

    def refusal(self, trigger: Trigger) -> str:
        """Why the sender may not ask, after a 👎 where one is due; "" where they may.

        Raises what GitHub raises where their permission can't be looked up.
        """
        match self.gate.verdict_on(trigger):
            case Verdict.LET_IN:
                return ""
            case Verdict.UNHEARD:
                return UNHEARD
            case Verdict.REFUSED:
                if trigger.kind not in SILENTLY_REFUSED:
                    self.react(trigger, "-1")
                return f"{trigger.sender.login} has less than {self.gate.minimum} access"

    def react(self, trigger: Trigger, reaction: str) -> None:
        """React to what asked, once, where GitHub lets us: what was asked for does not depend on it."""
        if trigger.kind is TriggerKind.RENEW or not self.store.answer_once(seen_key(trigger)):
            return
        try:
            self.github.react(trigger.asked_at, reaction, subject=trigger.subject)
        except (Refused, Gone, Unavailable) as problem:
            log.warning("no reaction on %s: %s", trigger.asked_at, problem)

    def answer(self, trigger: Trigger, body: str) -> str:
        """Answer where it was asked, once and never again. Returns what came of it. Raises what GitHub raises."""
        talk, at, now = self.store.talk, trigger.asked_at, self.clock()
        if talk.is_answered(trigger.key):
            return "answered before"
        if talk.answers_in(at, since=now - HOUR_S) >= ANSWERS_IN_A_THREAD:
            return "this thread has had enough answers for an hour"
        self._say(trigger, mask_secrets(body, self.secrets))
        talk.keep_answered(trigger.key, at, moment=now)
        return "answered"

    def _say(self, trigger: Trigger, body: str) -> None:
        at, marker, subject = trigger.asked_at, reply_marker(trigger.key), trigger.subject
        if subject is not None and subject.kind is SubjectKind.REVIEW_COMMENT:
            self.github.reply_to_review_comment(at, subject.id, body, marker=marker)
        else:
            self.github.post_comment(at, body, marker=marker)
