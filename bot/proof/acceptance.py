"""Hidden tests: what of their results may be told, and what a proof lacks by them. Pure.

Of their source nothing may leave: not to the model, not to people, not to a log. pytest's words about a failure hold
lines of source and rewritten assertions, so what is told is taken out of them, and not they.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.proof.failures import error_of, is_whole_file
from bot.proof.reasons import names
from bot.records import TestCase, TestReport, TestStatus
from sandbox.contract import File

PYTEST_OPTIONS = ("--assert=plain", "--tb=no", "--show-capture=no", "--no-header")
"""What keeps source out of pytest's words, as far as the command itself does not say otherwise."""

TOLD_AT_MOST = 10
MESSAGE_AT_MOST = 200
_QUOTED_AT_LEAST = 8
_ERROR = re.compile(r"\s*(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?:: (?P<said>[^\n]*))?\s*(?:\n|$)")


@dataclass(frozen=True, slots=True)
class HiddenTests:
    """Files that are laid over the tree of a change, by path in the repository, for runs of their own.

    `feedback`: the model is told which fail, and with what message (acceptance tests); False: it is told nothing, ever
    (a judge's). They are never in a workspace in which a command of the model's runs.
    """

    files: Mapping[str, File]
    feedback: bool = True


@dataclass(frozen=True, slots=True)
class HiddenResults:
    """What a run with hidden tests came to. `unusable` says for the operator why nothing can be told of them, or "".

    `failing` are names, each with what may be told of its failure, or "".
    """

    passed: int = 0
    failing: tuple[tuple[str, str], ...] = ()
    unusable: str = ""

    @property
    def all_pass(self) -> bool:
        return not self.unusable and not self.failing and self.passed > 0


def hidden_results(tests: HiddenTests, report: TestReport) -> HiddenResults:
    """What the report says of the hidden tests alone. Nothing of them in it is never green."""
    if report.tampered:
        return HiddenResults(unusable=f"the results can't be trusted: {report.tampered}")
    if report.reader == "exit code":
        return HiddenResults(unusable=f"the test command tells nothing of single tests ({report.counts})")
    cases = [case for case in report.cases if case.file in tests.files]
    ran = [case for case in cases if case.status is not TestStatus.SKIPPED]
    if not ran:
        why = "are all skipped" if cases else f"were not run by the test command ({report.state})"
        return HiddenResults(unusable=f"the tests of {names(sorted(tests.files))} {why}")
    sources = _lines_of(tests.files.values())
    failing = tuple(
        (case.id, _told(case, report.reader, sources)) for case in ran if case.status is not TestStatus.PASSED
    )
    return HiddenResults(passed=len(ran) - len(failing), failing=failing)


def in_both(first: HiddenResults, second: HiddenResults) -> HiddenResults:
    """What failed twice: a hidden test that fails once and passes once counts as passing."""
    if first.unusable or second.unusable:
        return first if first.unusable else second
    twice = {name for name, _ in second.failing}
    failing = tuple(each for each in first.failing if each[0] in twice)
    return HiddenResults(passed=first.passed + len(first.failing) - len(failing), failing=failing)


def objection_of(results: HiddenResults) -> str:
    """The failures in words for the model; "" where there is none, or nothing is known, which it could not mend."""
    if results.unusable or not results.failing:
        return ""
    told = [f"{name}: {said}" if said else name for name, said in results.failing[:TOLD_AT_MOST]]
    more = [f"and {len(results.failing) - TOLD_AT_MOST} more"] if len(results.failing) > TOLD_AT_MOST else []
    count = f"{len(results.failing)} of {results.passed + len(results.failing)}"
    return (
        f"{count} acceptance tests, which are not shown, fail: "
        f"{'; '.join([*told, *more])}. Change the program so that they pass; they can't be changed."
    )


def missing_of_hidden(results: HiddenResults) -> tuple[str, ...]:
    """What a proof lacks by them, in sentences for people: names, no more."""
    if results.unusable:
        return (f"The operator's acceptance tests say nothing: {results.unusable}.",)
    if not results.failing:
        return ()
    of = f"{len(results.failing)} of {results.passed + len(results.failing)}"
    return (f"{of} of the operator's acceptance tests fail: {names(name for name, _ in results.failing)}.",)


def _told(case: TestCase, reader: str, sources: frozenset[str]) -> str:
    """The exception's type and message in a line; "" where they can't be told from source."""
    if reader != "pytest":
        return ""
    said = error_of(case.message) if is_whole_file(case) else _raised(case.message)
    found = _ERROR.fullmatch(said)
    if found is None:
        return ""
    kind, message = found["type"], (found["said"] or "").strip()
    if not message or message.startswith("assert ") or any(line in message for line in sources):
        return kind
    return f"{kind}: {message}"[:MESSAGE_AT_MOST]


def _raised(message: str) -> str:
    """The line that names the error: the first where nothing stands before it, else the last of pytest's `E` lines.

    Further lines are left out: after an assertion that pytest has rewritten they hold its source.
    """
    if _ERROR.match(message):
        return message.strip().split("\n")[0]
    lines = [line for line in message.split("\n") if re.match(r"E\s+\S", line)]
    errors = [text for line in lines if _ERROR.fullmatch(text := line[1:].strip())]
    return errors[-1] if errors else ""


def _lines_of(files: Iterable[File]) -> frozenset[str]:
    """The lines of the hidden files that are long enough to be told from ordinary words."""
    lines: set[str] = set()
    for file in files:
        lines |= {line.strip() for line in file.data.decode("utf-8", "replace").splitlines()}
    return frozenset(line for line in lines if len(line) >= _QUOTED_AT_LEAST)
