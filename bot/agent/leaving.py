"""Ending without a change, with a question to a person or an answer to the issue: rarely right, so it is asked back.

A weak model must not use them to get away: they are not taken beside a change, and looked into first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bot.agent.actions import AnswerIssue, Ask, Leaving
from bot.agent.endings import Ended, Ending
from bot.agent.prompts import prompt
from bot.records import ActionTaken, Iteration
from sandbox.contract import clipped

QUESTION_CHARS = 1_000
ANSWER_CHARS = 8_000
_LOOKS = frozenset({"read", "search", "run"})


@dataclass(slots=True)
class Exit:
    """Whether a model may end so now.

    `has_looked`: it has seen something of the repository for itself. `was_answered`: a question of an earlier run was
    answered. `is_follow_up`: there is a change already, which people look at.
    """

    has_looked: bool = False
    was_answered: bool = False
    is_follow_up: bool = False
    _told: set[str] = field(default_factory=set)

    def saw(self, actions: Iterable[ActionTaken]) -> None:
        """Take note of what was looked at."""
        self.has_looked = self.has_looked or looks(actions)

    def why_not(self, leaving: Leaving, *, has_change: bool) -> str:
        """What to answer in place of the end, "" where it is taken. All but the first two are said once."""
        if has_change:
            return prompt("leaving_changed")
        match leaving:
            case AnswerIssue():
                if self.is_follow_up:
                    return prompt("leaving_follow_up")
                names = ["leaving_unseen"] if not self.has_looked else []
            case Ask(question):
                names = ["leaving_unseen"] if not self.has_looked else []
                names += ["leaving_answered"] if self.was_answered else []
                names += ["leaving_long"] if len(question) > QUESTION_CHARS else []
        name = next((one for one in names if one not in self._told), "")
        if not name:
            return ""
        self._told.add(name)
        return prompt(name)


def looks(actions: Iterable[ActionTaken]) -> bool:
    """Whether any of the actions showed something of the repository."""
    return any(action.ok and action.name in _LOOKS for action in actions)


def has_looked(iterations: Sequence[Iteration]) -> bool:
    """Whether the model looked at something in these iterations."""
    return any(looks(call.actions) for each in iterations for call in each.calls)


def ending_of(leaving: Leaving) -> Ending:
    """The talk's end, in words that are bounded."""
    match leaving:
        case Ask(question):
            return Ending(Ended.ASKED, clipped(" ".join(question.split()), QUESTION_CHARS))
        case AnswerIssue(text):
            return Ending(Ended.ANSWERED, clipped(text.strip(), ANSWER_CHARS))
