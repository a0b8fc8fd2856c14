"""What one run of the agent works on, and what its next iteration is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.agent.approach import Approach
from bot.agent.dialects import Speech
from bot.agent.llm import Message
from bot.agent.prompts import Dialect, prompt
from bot.agent.reproduction import Wanted
from bot.records import Aim, Answer, Caps, Change, Note, Reproduce, StopCheck, Task, TestReport, Workbench


@dataclass(frozen=True, slots=True)
class Assignment:
    """What one run of the agent works on, the same in every iteration.

    `said` gives what people have said to the run by now, oldest first; it is asked on the thread of the run alone.
    """

    task: Task
    bench: Workbench
    caps: Caps
    baseline: TestReport | None
    reproduce: Reproduce
    notes: Sequence[str]
    stop: StopCheck
    tell: Callable[[str], None]
    said: Callable[[], Sequence[Note]]


@dataclass(frozen=True, slots=True)
class Turn:
    """What the next iteration is: what is wanted, how it differs from the last, and the messages that open it.

    `given` are the files of a test that was accepted before: with only these changed, nothing is. `target` is the file
    that is asked for, whole; `likely` the one that is likely to be changed, be it long; `expected_chars` about how long
    the answer is to be. `is_last`: no further change may be tried. `is_warned`: the model was told before that little
    is left. `arrange` brings a fresh copy of the tree to where this iteration begins.

    `start` is the change that was there when the run began; `is_follow_up`: there was one, or something is asked of it.
    `notes` are what people had said when the iteration began, `answers` what the model has said to a review by then;
    `asks_for_answers`: it was not asked yet for those that are missing. `has_looked`: it has seen code for itself.
    """

    plan: Approach
    wanted: Wanted
    speech: Speech
    messages: tuple[Message, ...]
    given: frozenset[str]
    target: str | None
    likely: str | None
    expected_chars: int | None
    is_last: bool
    is_warned: bool
    arrange: Callable[[Workbench], object]
    start: Change
    is_follow_up: bool
    notes: tuple[Note, ...]
    answers: tuple[Answer, ...]
    asks_for_answers: bool
    has_looked: bool

    @property
    def aim(self) -> Aim:
        """What the iteration is for."""
        return Aim.TEST if self.wanted is Wanted.TEST else Aim.CHANGE

    def question(self, dialect: Dialect) -> str:
        """What asks back a model that finishes with nothing changed. The other ways to end are told to it by then."""
        if self.is_follow_up:
            return prompt("no_test" if self.wanted is Wanted.TEST else "nothing_more")
        text = prompt("no_test" if self.wanted is Wanted.TEST else "nothing_changed")
        return text if self.given else f"{prompt(f'ways_{dialect}')}\n\n{text}"

    def opening(self, candidate: int = 0) -> list[Message]:
        """The messages that open the talk of a candidate; every second is asked to say first what is wrong."""
        *before, last = self.messages
        words = last.content or ""
        return [*before, replace(last, content=f"{words}\n\n{prompt('say_first')}" if candidate % 2 else words)]
