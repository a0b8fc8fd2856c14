"""What the current iteration has used so far."""

import time
from dataclasses import dataclass, field

from bot.agent.conversation import Conversation
from bot.agent.critic import is_critics
from bot.agent.limits import spent
from bot.records import Call, Candidate, Caps, Change, Spend


@dataclass(slots=True)
class Account:
    """What an iteration has used so far: kept also where a stop cuts it short.

    `calls` are those of the iteration itself, questions beside the work among them; `others` those candidates that it
    does not go on with; `talk` is what is being talked now, and not entered yet.
    """

    spend: Spend
    calls: list[Call] = field(default_factory=list)
    others: list[Candidate] = field(default_factory=list)
    talk: Conversation | None = None
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """How long the iteration has taken by now."""
        return time.monotonic() - self.began

    def enter(self, *calls: Call) -> None:
        """Enter questions beside the work."""
        for call in calls:
            self.calls.append(call)
            self.spend = self.spend.plus(call.usage, critics=is_critics(call))

    def begin(self, talk: Conversation) -> None:
        """Begin a talk, which goes on from what was spent so far."""
        talk.asking.spend = self.spend
        self.talk = talk

    def end_talk(self) -> tuple[Call, ...]:
        """The calls of the talk that is over, or cut short; what they cost is entered."""
        talk, self.talk = self.talk, None
        if talk is None:
            return ()
        self.spend = talk.asking.spend
        return tuple(talk.asking.calls)

    def pass_over(self, call: Call, why: str) -> None:
        """Enter a reply that was drawn and is not used, be it while another talk is cut short."""
        self.others.append(Candidate(Change(), None, (call,), why))
        self.spend = self.spend.plus(call.usage)
        if self.talk is not None:
            self.talk.asking.spend = self.talk.asking.spend.plus(call.usage)

    def limit(self, caps: Caps) -> str:
        """Which limit is reached by now, or ""."""
        return spent(self.spend, caps, seconds=self.spend.seconds + self.seconds)
