"""The loop: programs are asked for and checked, round after round, until one passes or nothing new comes any more."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.agent.alone.approaches import Tried, messages_for, next_ways
from bot.agent.alone.asking import Answer, Asking, Question
from bot.agent.alone.programs import sameness
from bot.agent.checking import Check
from bot.agent.extracting import code_of
from bot.agent.llm import Model
from bot.errors import Unavailable
from sandbox.contract import SandboxError

NOTHING_NEW_IN_A_ROW = 4
"""Replies without a program that is new, after which there is none to be expected: each way was asked for by then."""

NO_PROGRAM = Check("there was no program", "", "")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program that was run, and what came of it."""

    code: str
    check: Check


@dataclass(frozen=True, slots=True)
class Terms:
    """What programs are asked for with, and how they are checked.

    `candidates` is the most that are drawn in a round; `at_once` how many of them the server is asked for at one time.
    """

    instructions: str
    task: str
    check: Callable[[str], Check]
    rounds: int
    candidates: int = 1
    at_once: int = 1


@dataclass(slots=True)
class Search:
    """What has been tried so far. `history` has a line for each round; `stuck` says that nothing new came any more."""

    terms: Terms
    model: Model
    asking: Asking
    tell: Callable[[str], None]
    history: list[str] = field(default_factory=list)
    tried: dict[str, Candidate] = field(default_factory=dict)
    stuck: bool = False
    _drawn: int = 0
    _nothing_new: int = 0
    _complaint: str | None = None

    @property
    def best(self) -> Candidate:
        """The program that passed, else the one that passed most tests, the latest of several."""
        return max(reversed(self.tried.values()), key=lambda one: one.check.worth, default=Candidate("", NO_PROGRAM))

    @property
    def is_over(self) -> bool:
        return self.best.check.passed or self.stuck or len(self.history) >= self.terms.rounds

    def one_round(self) -> None:
        """Draw candidates until one passes, and note what came of them. Raises `Unavailable`, `Stopped`."""
        drawn: list[str] = []
        while len(drawn) < self.terms.candidates and not self.best.check.passed and not self.stuck:
            for answer in self._ask(min(self.terms.at_once, self.terms.candidates - len(drawn))):
                if not self.best.check.passed:
                    drawn.append(self._try(answer))
                    self.stuck = self._nothing_new >= NOTHING_NEW_IN_A_ROW
        self.history.append(_told(drawn) + (": nothing new comes any more" if self.stuck else ""))
        self.tell(f"iteration {len(self.history)} of {self.terms.rounds}: {self.history[-1]}")

    def look_again(self, check_of: Callable[[Check], Check]) -> None:
        """Judge the programs that were run again, by other terms, without running them."""
        self.tried = {same: Candidate(one.code, check_of(one.check)) for same, one in self.tried.items()}

    def _ask(self, count: int) -> list[Answer]:
        best = self.best
        tried = Tried(len(self.tried), best.code, best.check.problem, self._complaint)
        ways = next_ways(tried, self._drawn, count)
        self._drawn += count
        return self.asking.ask(
            self.model,
            [
                Question(
                    messages_for(way.approach, self.terms.instructions, self.terms.task, tried),
                    way.temperature,
                    {"for": "program", "iteration": len(self.history) + 1, "approach": str(way.approach)},
                )
                for way in ways
            ],
        )

    def _try(self, answer: Answer) -> str:
        """Run the reply's program, and say in a line what came of it. One that was tried before is not run again."""
        code = code_of(answer.words, is_truncated=answer.reply.is_truncated)
        answer.entry["code"] = code
        answer.entry["outcome"] = outcome = self._outcome(answer, code)
        return outcome

    def _outcome(self, answer: Answer, code: str | None) -> str:
        self._complaint = None
        self._nothing_new += 1
        if code is None:
            self._complaint = _complaint(answer)
            return f"no program in the reply{self._complaint}"
        same = sameness(code)
        if same in self.tried:
            return f"the same program again; {headline(self.tried[same].check.problem)}"
        try:
            check = self.terms.check(code)
        except SandboxError as error:
            raise Unavailable(f"the sandbox failed: {error}") from error
        self.tried[same] = Candidate(code, check)
        self._nothing_new = 0
        return headline(check.problem) if check.problem else "passed"


def headline(problem: str) -> str:
    """A problem in one line: its first and its last."""
    lines = [line.strip() for line in problem.splitlines() if line.strip()]
    return " … ".join(dict.fromkeys((lines[0], lines[-1])))[:200]


def _told(drawn: list[str]) -> str:
    return drawn[0] if len(drawn) == 1 else "; ".join(f"{at}) {line}" for at, line in enumerate(drawn, start=1))


def _complaint(answer: Answer) -> str:
    """Why there is no program in a reply, as it follows the words that there is none."""
    if answer.reply.is_truncated:
        return ": it was cut off"
    return f": {answer.reply.detail}" if answer.reply.detail else ""
