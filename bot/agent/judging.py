"""Judging what a reply leads to: whether the talk goes on, is asked back, or has come to its end."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bot.agent.actions import Editing, Finish, Leaving
from bot.agent.answers import newest, to_requests, unanswered
from bot.agent.edits import SAME
from bot.agent.endings import Ended, Ending
from bot.agent.hands import Done
from bot.agent.leaving import Exit, ending_of
from bot.agent.patience import Patience
from bot.agent.prompts import prompt
from bot.agent.staging import UNCHANGED
from bot.agent.understanding import Understood
from bot.records import Answer, Request

NO_ACTION = "it asks for nothing: no edit was found in it, and no command"


@dataclass(slots=True)
class Judge:
    """What the replies of one talk have come to so far.

    `question` is what asks back a model which finishes with nothing changed; `has_change` tells whether the tree
    differs by more than was given from where the run began, `unsolved` where conflicts are left in it. `answers` are
    those that `requests` have by now; `ask_for` asks for those that are missing, once, None where it was asked before.
    """

    question: Callable[[], str]
    has_change: Callable[[], bool]
    unsolved: Callable[[], str] = lambda: ""
    exit: Exit = field(default_factory=Exit)
    requests: Sequence[Request] = ()
    answers: tuple[Answer, ...] = ()
    ask_for: Callable[[Sequence[int]], str] | None = None
    edited: bool = False
    _patience: Patience = field(default_factory=Patience)
    _asked_whether: bool = False
    _wrote_unchanged: bool = False
    _closing: str = ""
    _told_conflicts: str = ""

    @property
    def is_losing_patience(self) -> bool:
        """Whether the next reply that leads nowhere is the last."""
        return self._patience.is_wearing_thin

    def hear(self, heard: Understood) -> None:
        """Take note of what a reply says to the requests of a review."""
        self.answers = newest((*self.answers, *to_requests(heard.answers, self.requests)))

    def asked_back(self, heard: Understood, done: Done) -> Done:
        """What was done; where it finishes without a change, with a question back instead of the end.

        A model that tried no edit is asked once whether none is needed; one whose edits change nothing is told so once.
        """
        self.edited = self.edited or done.edited
        self.exit.saw(done.actions)
        done = self._without_exit(heard, done)
        wrote = any(isinstance(request.action, Editing) for request in heard.requests)
        if done.finish is None:
            return done
        has_change = self.edited or self.has_change()
        left = self._left_open() if has_change else self._conflicts()
        if left:
            self._closing = done.finish or heard.summary
            return _answered(heard, done, left)
        if has_change:
            return done
        is_settled = bool(self.requests) and not unanswered(self.requests, self.answers)
        if (self._asked_whether or is_settled) and not wrote:
            return done
        self._asked_whether = self._asked_whether or not wrote
        if wrote and self._wrote_unchanged:
            return done
        self._wrote_unchanged = self._wrote_unchanged or wrote
        return _answered(heard, done, prompt("unchanged") if wrote else self.question())

    def leads_to(self, heard: Understood, done: Done) -> Ending | Done:
        """The talk's end after actions were carried out, or what they are answered with."""
        if done.leaving is not None:
            return ending_of(done.leaving)
        if done.finish is not None:
            is_change = self.edited or self.has_change() or self._wrote_unchanged
            words = done.finish or heard.summary or self._closing
            return Ending(Ended.FINISHED if is_change else Ended.NOTHING, words)
        if heard.is_edits_alone and done.edited and not heard.calls:
            left = self._left_open()
            self._closing = heard.summary
            # to ask “and now?” would cost a call
            return _with_more(done, left) if left else Ending(Ended.FINISHED, heard.summary)
        unchanged = self._left_unchanged(heard, done)
        if isinstance(unchanged, Ending):
            return unchanged
        return self._led_nowhere(heard, unchanged) or unchanged

    def without_actions(self, heard: Understood) -> Ending | None:
        """The talk's end after a reply that asks for nothing: of the work, or of patience with it."""
        if self.ends_the_work(heard):
            is_change = self.edited or self.has_change()
            return Ending(Ended.FINISHED if is_change else Ended.NOTHING, heard.summary or self._closing)
        enough = self._patience.unusable(heard.problem or NO_ACTION)
        return Ending(Ended.GAVE_UP, enough) if enough else None

    def ends_the_work(self, heard: Understood) -> bool:
        """Whether a reply that asks for nothing is the last word: on earlier edits, or on what a review asks for."""
        if not heard.is_whole or self.edited:
            return heard.is_whole
        return bool(heard.answers) and not unanswered(self.requests, self.answers) and not self.unsolved()

    def _without_exit(self, heard: Understood, done: Done) -> Done:
        """What was done, with an answer back where the model may not end in its other ways now."""
        if done.leaving is None:
            return done
        has_change = self.has_change()
        if has_change and done.finish is not None:
            return replace(done, leaving=None)
        refusal = self.exit.why_not(done.leaving, has_change=has_change)
        if not refusal:
            return done
        answered = [
            replace(action, result=refusal, ok=False) if isinstance(request.action, Leaving) else action
            for request, action in zip(heard.requests, done.actions, strict=True)
        ]
        return Done(tuple(answered), done.edited, finish=None)

    def _left_open(self) -> str:
        """What is still to be done before the end: conflicts to solve, answers that are missing; or ""."""
        return self._conflicts() or self._missing_answers()

    def _conflicts(self) -> str:
        """The complaint about conflicts that are left, once for the same ones."""
        left = self.unsolved()
        is_known, self._told_conflicts = left == self._told_conflicts, left
        return "" if is_known or not left else prompt("unsolved").format(conflicts=f"{left[0].upper()}{left[1:]}")

    def _missing_answers(self) -> str:
        """The question for the answers that are missing, asked once."""
        ask_for, self.ask_for = self.ask_for, None
        missing = unanswered(self.requests, self.answers)
        return ask_for(missing) if ask_for and missing else ""

    def _left_unchanged(self, heard: Understood, done: Done) -> Ending | Done:
        """A reply that writes files as they are: the end where they are changed already, or where it was told once."""
        if not heard.is_edits_alone or not all(action.result.endswith((UNCHANGED, SAME)) for action in done.actions):
            return done
        if self.has_change() or self._wrote_unchanged:
            return Ending(Ended.CALLS, "the files were written as they are")
        self._wrote_unchanged = True
        return replace(done, actions=tuple(replace(one, result=prompt("unchanged")) for one in done.actions))

    def _led_nowhere(self, heard: Understood, done: Done) -> Ending | None:
        """The end of a talk with a model that sends the same, or nothing of use, again and again."""
        if any(action.ok and action.name != "finish" for action in done.actions):
            enough = self._patience.useful(heard.said, tuple(action.result for action in done.actions))
            return Ending(Ended.CALLS if self.edited else Ended.GAVE_UP, enough) if enough else None
        enough = self._patience.fruitless(heard.said, done.actions[0].result[:300])
        return Ending(Ended.GAVE_UP, enough) if enough else None


def _answered(heard: Understood, done: Done, question: str) -> Done:
    """What was done, with a question back in place of the end."""
    answered = [
        replace(action, result=question) if isinstance(request.action, Finish) else action
        for request, action in zip(heard.requests, done.actions, strict=True)
    ]
    return Done(tuple(answered), edited=done.edited, finish=None)


def _with_more(done: Done, question: str) -> Done:
    *before, last = done.actions
    return replace(done, actions=(*before, replace(last, result=f"{last.result}\n\n{question}")))
