"""One talk with the model: call, carry out, answer, until it has finished or may not go on."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.agent.asking import Answered, Asking
from bot.agent.complaints import complained
from bot.agent.conflicts import left_in, unsolved
from bot.agent.dialects import REFUSED
from bot.agent.endings import Ended, Ending
from bot.agent.follow_ups import answers_missing
from bot.agent.hands import carry_out
from bot.agent.judging import Judge
from bot.agent.leaving import Exit
from bot.agent.llm import TOO_LONG, Message, Role, user
from bot.agent.prompts import Dialect, prompt
from bot.agent.starting import differing
from bot.agent.targets import has_definitions, info_of
from bot.agent.understanding import Understood, understand
from bot.errors import Stopped, Unavailable
from bot.records import ActionTaken, Aim, Answer, Workbench


@dataclass(slots=True, eq=False)
class Conversation:
    """The talk of one iteration, or of one candidate for it, over a tree of its own."""

    asking: Asking
    bench: Workbench
    _judge: Judge = field(init=False)

    def __post_init__(self) -> None:
        turn, task = self.asking.turn, self.asking.work.task
        self._judge = Judge(
            lambda: turn.question(self.asking.dialect),
            self._has_change,
            self._unsolved,
            Exit(turn.has_looked, bool(task.answered), turn.is_follow_up),
            task.requests,
            turn.answers,
            self._ask_for if turn.asks_for_answers else None,
        )

    @property
    def edited(self) -> bool:
        """Whether any file was written or deleted."""
        return self._judge.edited

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What the model has said by now to the requests of a review."""
        return self._judge.answers

    def run(self) -> Ending:
        """Talk until the model finishes, has nothing more to ask for, or a limit is reached. Raises `Stopped`.

        A service that goes away in the middle ends the talk as a limit of calls would: what was paid for is kept.
        Raises `Unavailable` where it was away at the first call.
        """
        asking = self.asking
        most = asking.work.caps.calls_per_iteration
        while True:
            if asking.work.stop():
                raise Stopped
            limit = asking.limit
            if limit:
                return Ending(Ended.LIMIT, limit)
            if len(asking.calls) >= most:
                return Ending(Ended.CALLS, f"{most} model calls in one iteration, which is the limit")
            try:
                answered = asking.ask(is_warm=self._judge.is_losing_patience)
            except Unavailable as away:
                if not asking.calls:
                    raise
                asking.work.tell(f"  the conversation is cut short: {away}")
                return Ending(Ended.CALLS, str(away))
            ending = self._exchange(answered)
            if ending is not None:
                return ending

    def _exchange(self, answered: Answered) -> Ending | None:
        """Take a reply and answer it, or end the talk."""
        reply = answered.reply
        if reply.finish_reason == TOO_LONG:
            return self._too_long(answered)
        if reply.finish_reason in REFUSED and answered.dialect is not Dialect.FENCED:
            problem = f"{reply.finish_reason.replace('_', ' ')}: {reply.detail}"
            self.asking.record(answered, problem=problem)
            return None
        heard = understand(reply, answered.dialect, target=self.asking.turn.target, bench=self.bench)
        self._judge.hear(heard)
        return self._act(answered, heard) if heard.requests else self._reply_without_actions(answered, heard)

    def _act(self, answered: Answered, heard: Understood) -> Ending | None:
        done = self._judge.asked_back(heard, carry_out(self.bench, heard.requests))
        self.asking.record(answered, actions=done.actions)
        led = self._judge.leads_to(heard, done)
        if isinstance(led, Ending):
            return led
        self.asking.messages += [answered.reply.as_message(heard.words), *_answers(heard, led.actions)]
        return None

    def _reply_without_actions(self, answered: Answered, heard: Understood) -> Ending | None:
        """It may be the end of the work, or no usable reply."""
        self.asking.record(answered, problem="" if self._judge.ends_the_work(heard) else heard.problem)
        ending = self._judge.without_actions(heard)
        if ending is None:
            messages = self.asking.messages
            self.asking.messages = complained(messages, heard.words, heard.problem, form=self._form)
        return ending

    def _too_long(self, answered: Answered) -> Ending | None:
        detail = answered.reply.detail
        self.asking.record(answered, problem=f"the prompt is too long: {detail}")
        if self.asking.shorten(answered):
            return None
        words = f"the prompt does not fit the model's window, however short it is made: {detail}"
        return Ending(Ended.LIMIT, words)

    @property
    def _form(self) -> str:
        """How to answer, for a model whose reply could not be used."""
        turn, dialect = self.asking.turn, self.asking.dialect
        if dialect is not Dialect.FENCED:
            return prompt(f"form_{dialect}")
        if turn.aim is Aim.TEST:
            return prompt("form_test")
        path = turn.likely
        if path is not None and has_definitions(path) and path not in self.asking.work.task.conflicts:
            return prompt("form_part").format(path=path, language=info_of(path))
        if turn.target is not None:
            return prompt("form_whole").format(path=turn.target, language=info_of(turn.target))
        return prompt("form_fenced")

    def _has_change(self) -> bool:
        """Whether more than a test that was given differs from where the run began."""
        return not differing(self.bench.change(), self.asking.turn.start) <= self.asking.turn.given

    def _ask_for(self, numbers: Sequence[int]) -> str:
        return answers_missing(numbers, self.asking.dialect)

    def _unsolved(self) -> str:
        """Where conflicts are left, while the change is asked for."""
        turn, task = self.asking.turn, self.asking.work.task
        return left_in(unsolved(self.bench, task.conflicts)) if turn.aim is Aim.CHANGE else ""


def _answers(heard: Understood, actions: Sequence[ActionTaken]) -> list[Message]:
    """What became of each action, told in the form in which it was asked for."""
    if heard.calls:
        return [
            Message(Role.TOOL, action.result, tool_call_id=call.id)
            for call, action in zip(heard.calls, actions, strict=True)
        ]
    return [user("\n\n".join(f"{action.name}: {action.result}" for action in actions))]
