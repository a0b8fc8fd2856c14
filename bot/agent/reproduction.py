"""Tests first: whether a test of its own is asked for before the change, and what its run on the base means. Pure.

What was decided is read back from the iterations' `why_next`, so that a run which was cut goes on where it was.
"""

import builtins
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.agent.sameness import essence
from bot.agent.starting import differing, is_idle
from bot.agent.viewing.mentions import identifiers, is_test
from bot.records import Aim, Change, Iteration, Progress, Reproduce, Task, TestCase, TestReport, Unreproduced, Verdict

TRIES = 2
NAMED = 3
SHOWS = "the test fails on the base, as the issue says"
KNOWN = "a test that fails already shows the issue: "
PASSES = "the new test passes on the base, without any change: "
DOUBTED = "the critic reads the new test and says no: "
WITHOUT = "going on without a test first"

_COMMON = frozenset(dir(builtins)) | {"assertion_error", "test_report", "AssertionError"}
_OTHER_TEST = re.compile(r"(?:^|/)(?:spec|specs|__tests__|testing)/|[._]spec\.|[Tt]ests?\.(?:java|kt|cs|swift)$")


class Wanted(StrEnum):
    """What an iteration is asked for beside the change itself, or in place of it.

    TEST: the test alone. TOO: the change and a test. THERE: the change; its test is there. KNOWN: the change; a test
    that fails already shows the issue. NONE: the change, and no test.
    """

    TEST = "test"
    TOO = "too"
    THERE = "there"
    KNOWN = "known"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Tested:
    """What became of an iteration that was to write a test. `keeps` says whether its files stay for what comes next."""

    verdict: Verdict | None
    why: str
    keeps: bool = True


def wanted(progress: Progress, task: Task, baseline: TestReport | None, reproduce: Reproduce) -> Wanted:
    """What the next iteration is to be asked for."""
    if reproduce is Reproduce.OFF:
        return Wanted.KNOWN if shown_already(task, baseline) else Wanted.NONE
    tests = [each for each in progress.iterations if each.aim is Aim.TEST]
    if any(each.why_next.startswith(SHOWS) for each in tests):
        return Wanted.THERE
    if shown_already(task, baseline) or any(each.why_next.startswith(KNOWN) for each in tests):
        return Wanted.KNOWN
    if reproduce is Reproduce.TOGETHER or len(tests) < len(progress.iterations) or _is_over(tests):
        return Wanted.TOO
    return Wanted.TEST


def accepted_paths(progress: Progress) -> tuple[str, ...]:
    """The files of the test that was accepted before the change."""
    found = [each for each in progress.iterations if each.aim is Aim.TEST and each.why_next.startswith(SHOWS)]
    return _own_paths(found[-1].change, progress.start) if found else ()


def shown_already(task: Task, baseline: TestReport | None) -> tuple[str, ...]:
    """The tests that fail on the base and that the issue names, or whose failure holds the names of the issue."""
    if baseline is None or baseline.is_green:
        return ()
    said = f"{task.title}\n{task.body}\n{task.hint}"
    names = frozenset(identifiers(said)) - _COMMON
    return tuple(case.id for case in baseline.cases if case.id in baseline.failed and _is_shown(case, said, names))


def named_in(words: str, baseline: TestReport | None) -> tuple[str, ...]:
    """The failing tests of the baseline that these words name."""
    failed = [] if baseline is None else [case for case in baseline.cases if case.id in baseline.failed]
    return tuple(case.id for case in failed if _names(words, case))


def is_for_tests(path: str) -> bool:
    """Whether a file goes with tests, and may be written before the change."""
    return is_test(path) or bool(_OTHER_TEST.search(path))


def tested(
    earlier: Progress,
    change: Change,
    report: TestReport | None,
    found: Unreproduced | None,
    *,
    doubted: str,
    asks: bool,
) -> Tested:
    """Decide after a test was written, and run on the base where there was one; `asks`: a person has the last word.

    `report` None: there is nothing to run. `doubted`: the critic's no, heard once.
    """
    tests = [each for each in earlier.iterations if each.aim is Aim.TEST]
    is_last = sum(not each.why_next.startswith(DOUBTED) for each in tests) + 1 >= TRIES
    if report is not None and found is None:
        if doubted:
            return Tested(None, f"{DOUBTED}{doubted}")
        names = _new_failing(report, _own_paths(change, earlier.start))
        return Tested(Verdict.ASKING if asks else None, f"{SHOWS}: {', '.join(names)}")
    if report is None or found is None:
        why = "no new test was written"
    elif found.passes:
        why = f"{PASSES}{found.why}"
        if any(each.why_next.startswith(PASSES) for each in tests):
            changes = [*(one.change for one in tests), change]
            paths = [path for one in changes for path in _own_paths(one, earlier.start)]
            return Tested(Verdict.NOT_REPRODUCED, _not_reproduced(tuple(dict.fromkeys(paths)), report))
    else:
        why = f"the new test does not show the issue: {found.why}"
    return Tested(None, f"{WITHOUT}: {why}", keeps=False) if is_last else Tested(None, why)


def is_tried(earlier: Progress, change: Change) -> bool:
    """Whether this very test was tried before in vain. One that only the critic doubts is the model's last word."""
    tests = [each for each in earlier.iterations if each.aim is Aim.TEST and not is_idle(each.change, earlier.start)]
    vain = [each.change.patch for each in tests if not each.why_next.startswith(DOUBTED)]
    return essence(change.patch) in map(essence, vain)


def in_vain(progress: Progress) -> tuple[Iteration, ...]:
    """The tests that showed nothing, each once. One that only the critic doubts may still be the model's last word."""
    kept = (SHOWS, DOUBTED)
    tests = [each for each in progress.iterations if each.aim is Aim.TEST and not is_idle(each.change, progress.start)]
    found = [each for each in tests if not each.why_next.startswith(kept)]
    return tuple({essence(each.change.patch): each for each in found}.values())


def is_only_tests(iteration: Iteration, start: Change) -> bool:
    """Whether an iteration that was to change the code left all of it as it was, and changed tests alone."""
    own = differing(iteration.change, start)
    return iteration.aim is Aim.CHANGE and bool(own) and all(map(is_for_tests, own))


def is_without_fault(test: Iteration) -> bool:
    """Whether a test that showed nothing runs as it should, and only passes."""
    return test.why_next.removeprefix(f"{WITHOUT}: ").startswith(PASSES)


def may_be_doubted(earlier: Progress) -> bool:
    """Whether the critic has not said no to a test yet."""
    return not any(each.aim is Aim.TEST and each.why_next.startswith(DOUBTED) for each in earlier.iterations)


def _is_over(tests: list[Iteration]) -> bool:
    return bool(tests) and tests[-1].why_next.startswith(WITHOUT)


def _is_shown(case: TestCase, said: str, names: frozenset[str]) -> bool:
    """Whether the issue names a failing test, its file, or what its failure is about."""
    if _names(said, case) or (case.file and re.search(rf"(?<![\w/]){re.escape(case.file)}(?![\w/])", said)):
        return True
    return bool(names & frozenset(re.findall(r"\w+", case.message)))


def _names(words: str, case: TestCase) -> bool:
    """Whether words name a test, by its whole id or its own name."""
    name = re.split(r"::|\s>\s|#", case.id)[-1].partition("[")[0].strip()
    return case.id in words or (len(name) > len("test") and bool(re.search(rf"\b{re.escape(name)}\b", words)))


def _own_paths(change: Change, start: Change) -> tuple[str, ...]:
    """The files that the run itself has changed."""
    own = differing(change, start)
    return tuple(path for path in change.paths if path in own)


def _new_failing(report: TestReport, paths: Sequence[str]) -> list[str]:
    """The failing tests in the changed files; the files, where the report does not tell."""
    failing = [case.id for case in report.cases if case.id in report.failed and case.file in paths]
    return (failing or list(paths))[:NAMED]


def _not_reproduced(paths: Sequence[str], report: TestReport) -> str:
    """Why the issue counts as not reproduced: what was run, with which command."""
    names = [case.id for case in report.cases if case.id in report.passed and case.file in paths] or list(paths)
    shown = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    return (
        f"two different tests that were written for the issue pass on the base, without any change: {shown} "
        f"(run with `{report.command}`)"
    )
