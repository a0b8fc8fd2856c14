"""Tests that were written to show an issue: those that show nothing, and the one that a person is asked about."""

from bot.records import Aim, Iteration, RunResult, TestStatus, Verdict
from bot.writing.document import Section, details
from bot.writing.figures import counts, plural
from bot.writing.safe import code, fenced, inline

TEST_AT_MOST = 12_000
TESTS_NAMED = 20

_HOW_TO_ANSWER = """\
**To answer:**

- Yes: comment `/selfcode retry` with nothing behind it. The work goes on with this very test.
- Not quite: comment `/selfcode retry` with a hint, what it should say. It is written anew.
- To end here, close the issue{or_else}."""


def asked_test(result: RunResult) -> list[Section]:
    """The test that a person is asked about, how it fails, and the one question; nothing where nobody is asked."""
    asked = _last_test(result)
    if asked is None or result.progress.verdict is not Verdict.ASKING:
        return []
    failing = _failing(asked)
    return [
        Section("**Does this test say what the issue says?** It fails on the base, before anything was changed:"),
        Section(_shown(asked), 80, (_shown(asked, 2000),)),
        Section("How it fails:\n\n" + "\n".join(failing), 70) if failing else Section(""),
    ]


def how_to_answer(result: RunResult) -> str:
    """What a person can do who is asked about a test."""
    return _HOW_TO_ANSWER.format(or_else=", or take the label off" if result.is_labelled else "")


def tests_tried(result: RunResult) -> list[Section]:
    """The tests that were written for the issue, each folded, with the tests that ran."""
    tried = [each for each in result.progress.iterations if each.aim is Aim.TEST and not each.change.is_empty]
    return [
        Section(
            details(
                f"Iteration {each.number}: the test, {counts(each.report)}", "\n\n".join([_ran(each), _shown(each)])
            ),
            55 + place / 100,
            (details(f"Iteration {each.number}: the test, {counts(each.report)}", _ran(each)),),
        )
        for place, each in enumerate(tried)
    ]


def _last_test(result: RunResult) -> Iteration | None:
    tests = [each for each in result.progress.iterations if each.aim is Aim.TEST]
    return tests[-1] if tests else None


def _shown(iteration: Iteration, limit: int = TEST_AT_MOST) -> str:
    return fenced(iteration.change.patch, "diff", head=limit, tail=0)


def _failing(iteration: Iteration) -> list[str]:
    """The failing tests in the files that were written, with the last line of each failure."""
    report = iteration.report
    if report is None:
        return []
    bad = (TestStatus.FAILED, TestStatus.ERROR)
    cases = [case for case in report.cases if case.status in bad and case.file in iteration.change.paths]
    return [f"- {code(case.id, 200)}: {inline(_last_line(case.message), 200) or 'no message'}" for case in cases[:10]]


def _ran(iteration: Iteration) -> str:
    """The tests in the files that were written, by name; the files where no test is known by name."""
    cases = iteration.report.cases if iteration.report else ()
    ids = [case.id for case in cases if case.file in iteration.change.paths] or list(iteration.change.paths)
    more = [f"- … and {plural(len(ids) - TESTS_NAMED, 'more test')}"] if len(ids) > TESTS_NAMED else []
    return "\n".join([*(f"- {code(each, 200)}" for each in ids[:TESTS_NAMED]), *more])


def _last_line(message: str) -> str:
    """The line of pytest's account that names the error; else the last one."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    errors = [line.removeprefix("E").strip() for line in lines if line.startswith("E ")]
    return (errors or lines or [""])[0 if errors else -1]
