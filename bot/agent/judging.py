"""Judging what a reply leads to: whether the talk goes on, is asked back, or has come to its end."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from bot.agent.actions import Editing, Finish
from bot.agent.edits import SAME
from bot.agent.endings import Ended, Ending
from bot.agent.hands import Done
from bot.agent.patience import Patience
from bot.agent.prompts import prompt
from bot.agent.staging import UNCHANGED
from bot.agent.understanding import Understood

NO_ACTION = "it asks for nothing: no edit was found in it, and no command"


@dataclass(slots=True)
class Judge:
    """What the replies of one talk have come to so far.

    `question` is the prompt that asks back a model which finishes with nothing changed; `has_change` tells whether the
    tree differs from the base by more than was given.
    """

    question: str
    has_change: Callable[[], bool]
    edited: bool = False
    _patience: Patience = field(default_factory=Patience)
    _asked_whether: bool = False
    _wrote_unchanged: bool = False

    @property
    def is_losing_patience(self) -> bool:
        """Whether the next reply that leads nowhere is the last."""
        return self._patience.is_wearing_thin

    def asked_back(self, heard: Understood, done: Done) -> Done:
        """What was done; where it finishes without a change, with a question back instead of the end.

        A model that tried no edit is asked once whether none is needed; one whose edits change nothing is told so once.
        """
        self.edited = self.edited or done.edited
        wrote = any(isinstance(request.action, Editing) for request in heard.requests)
        asked_already = self._asked_whether and not wrote
        if done.finish is None or self.edited or asked_already or self.has_change():
            return done
        self._asked_whether = self._asked_whether or not wrote
        if wrote and self._wrote_unchanged:
            return done
        self._wrote_unchanged = self._wrote_unchanged or wrote
        question = prompt("unchanged" if wrote else self.question)
        answered = [
            replace(action, result=question) if isinstance(request.action, Finish) else action
            for request, action in zip(heard.requests, done.actions, strict=True)
        ]
        return Done(tuple(answered), edited=False, finish=None)

    def leads_to(self, heard: Understood, done: Done) -> Ending | Done:
        """The talk's end after actions were carried out, or what they are answered with."""
        if done.finish is not None:
            is_change = self.edited or self.has_change() or self._wrote_unchanged
            return Ending(Ended.FINISHED if is_change else Ended.NOTHING, done.finish or heard.summary)
        if heard.is_edits_alone and done.edited and not heard.calls:
            return Ending(Ended.FINISHED, heard.summary)  # to ask “and now?” would cost a call
        unchanged = self._left_unchanged(heard, done)
        if isinstance(unchanged, Ending):
            return unchanged
        return self._led_nowhere(heard, unchanged) or unchanged

    def without_actions(self, heard: Understood) -> Ending | None:
        """The talk's end after a reply that asks for nothing: of the work, or of patience with it."""
        if self.ends_the_work(heard):
            return Ending(Ended.FINISHED, heard.summary)
        enough = self._patience.unusable(heard.problem or NO_ACTION)
        return Ending(Ended.GAVE_UP, enough) if enough else None

    def ends_the_work(self, heard: Understood) -> bool:
        """Whether a reply that asks for nothing is the last word on what was edited before."""
        return heard.is_whole and self.edited

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
