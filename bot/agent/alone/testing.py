"""Tests where nobody gave any: the task's own examples, else the model's, reviewed and doubted where none passes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bot.agent.alone.asking import Asking, Question
from bot.agent.alone.examples import examples_of
from bot.agent.alone.own_tests import OwnTest, OwnTests, tests_of, verdicts
from bot.agent.alone.solving import Candidate
from bot.agent.checking import Check, run_against, run_alone
from bot.agent.extracting import code_of
from bot.agent.llm import Model, system, user
from bot.agent.prompts import prompt
from bot.agent.quoting import fenced
from sandbox.contract import Sandbox

COOL = 0.2
PROGRAMS_BEFORE_A_DOUBT = 2


@dataclass(frozen=True, slots=True)
class Dropped:
    """A test that was dropped, and why."""

    source: str
    why: str


@dataclass(slots=True)
class OwnTesting:
    """The tests of one task as they stand: `tests` are kept, and `are_the_tasks` where they are its own examples.

    The reviewer may be the writer, in a talk of its own.
    """

    task: str
    writer: Model
    reviewer: Model
    asking: Asking
    tests: OwnTests = field(default_factory=OwnTests)
    dropped: list[Dropped] = field(default_factory=list)
    are_the_tasks: bool = False
    _doubted: set[str] = field(default_factory=set)

    def write(self) -> None:
        """Take the task's own examples; without any, have tests written, and keep those that the review upholds."""
        if examples := examples_of(self.task):
            named = {f"test_{number}": example for number, example in enumerate(examples, start=1)}
            self.tests = OwnTests("", tuple(OwnTest(name, example.as_test(name)) for name, example in named.items()))
            self.are_the_tasks = True
            return
        opening = [system(prompt("alone_write_tests")), user(self.task)]
        (answer,) = self.asking.ask(self.writer, [Question(opening, COOL, {"for": "tests"})])
        code = code_of(answer.words, is_truncated=answer.reply.is_truncated)
        answer.entry["code"] = code
        self.tests = tests_of(code or "")
        if self.tests.tests:
            self._drop(self._review("alone_review_tests", self.tests.tests))

    def doubt(self, candidates: Sequence[Candidate]) -> bool:
        """Have tests that no program passes reviewed once more, but for the task's own. Whether any was dropped."""
        if self.are_the_tasks:
            return False
        ran = [{test.name: test.ok for test in one.check.tests} for one in candidates if one.check.tests]
        suspects = [
            test
            for test in self.tests.tests
            if test.name not in self._doubted and ran and not any(results.get(test.name, False) for results in ran)
        ]
        if len(ran) < PROGRAMS_BEFORE_A_DOUBT or not suspects:
            return False
        self._doubted.update(test.name for test in suspects)
        return self._drop(self._review("alone_doubt_tests", suspects))

    def check(self, sandbox: Sandbox, code: str) -> Check:
        """Run a program by itself, then against the tests. `output` is to them what it printed."""
        alone = run_alone(sandbox, code)
        if not alone.passed or not self.tests.tests:
            return alone
        tested = run_against(sandbox, code, f"output = {alone.stdout!r}\n{self.tests.source}")
        return replace(tested, stdout=alone.stdout, stderr=alone.stderr)

    def again(self, check: Check) -> Check:
        """What a check comes to with the tests as they stand now."""
        gone = {test.name for test in check.tests} - {test.name for test in self.tests.tests}
        left = tuple(test for test in check.tests if test.name not in gone or not test.name.startswith("test_"))
        is_passed = bool(check.tests) and all(test.ok for test in left)
        return replace(check, tests=left, problem="" if is_passed else check.problem)

    def _review(self, instructions: str, tests: Sequence[OwnTest]) -> dict[str, str]:
        listed = "\n\n".join(test.source for test in tests)
        asked = f"# The task\n\n{self.task}\n\n# The tests\n\n{fenced(listed, 'python')}"
        opening = [system(prompt(instructions)), user(asked)]
        is_critics = self.reviewer is not self.writer
        (answer,) = self.asking.ask(self.reviewer, [Question(opening, COOL, {"for": "review"})], critics=is_critics)
        return dict(verdicts(answer.words, tests))

    def _drop(self, reasons: dict[str, str]) -> bool:
        self.dropped += [Dropped(test.source, reasons[test.name]) for test in self.tests.tests if test.name in reasons]
        self.tests = self.tests.without(list(reasons))
        return bool(reasons)
