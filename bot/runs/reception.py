"""How whoever asks is met: let in or not, with one reaction, and at most one answer in words."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.records import IssueRef, SubjectKind, Trigger, TriggerKind
from bot.runs.admission import HOUR_S, Gate, Verdict, seen_key, shows_refusal
from bot.runs.errands import Errands
from bot.runs.store import Store
from bot.writing.masking import mask_secrets
from bot.writing.replies import reply_marker

ANSWERS_IN_A_THREAD = 20
"""Answers an hour in one thread: two bots that talk to each other come to an end."""

UNHEARD = "not listened to"


@dataclass(frozen=True, slots=True)
class Reception:
    """Meets people in the name of the dispatcher. `clock` is seconds since the epoch.

    Whatever asks GitHub for something raises `Sent` until the answer is there, and what GitHub raises.
    """

    store: Store
    errands: Errands
    gate: Gate
    secrets: tuple[str, ...] = field(default=(), repr=False)
    clock: Callable[[], float] = time.time

    def refusal(self, trigger: Trigger) -> str:
        """Why the sender may not ask, after a 👎 where one is due; "" where they may."""
        match self.gate.verdict_on(trigger):
            case Verdict.LET_IN:
                return ""
            case Verdict.UNHEARD:
                return UNHEARD
            case Verdict.REFUSED:
                if shows_refusal(trigger):
                    self.react(trigger, "-1")
                return f"{trigger.sender.login} has less than {self.gate.minimum} access"

    def react(self, trigger: Trigger, reaction: str) -> None:
        """React to what asked, once, where GitHub lets us: what was asked for neither depends nor waits on it."""
        if trigger.kind is TriggerKind.RENEW or not self.store.answer_once(seen_key(trigger)):
            return
        github = self.errands.github
        self.errands.say(trigger, lambda: github.react(trigger.asked_at, reaction, subject=trigger.subject))

    def is_open(self, trigger: Trigger, at: IssueRef) -> bool:
        """Whether an issue or pull request that it is about is open."""
        return self.errands.ask(trigger, f"issue {at.number}", lambda: self.errands.github.issue(at)).is_open

    def answer(self, trigger: Trigger, body: str) -> str:
        """Answer where it was asked, once and never again. Returns what came of it."""
        talk, at, now = self.store.talk, trigger.asked_at, self.clock()
        if talk.is_answered(trigger.key):
            return "answered before"
        if talk.answers_in(at, since=now - HOUR_S) >= ANSWERS_IN_A_THREAD:
            return "this thread has had enough answers for an hour"
        masked = mask_secrets(body, self.secrets)
        self.errands.ask(trigger, "answer", lambda: self._say(trigger, masked), says=True)
        talk.keep_answered(trigger.key, at, moment=now)
        return "answered"

    def _say(self, trigger: Trigger, body: str) -> None:
        at, marker, subject = trigger.asked_at, reply_marker(trigger.key), trigger.subject
        if subject is not None and subject.kind is SubjectKind.REVIEW_COMMENT:
            self.errands.github.reply_to_review_comment(at, subject.id, body, marker=marker)
        else:
            self.errands.github.post_comment(at, body, marker=marker, since=trigger.occurred_at)
