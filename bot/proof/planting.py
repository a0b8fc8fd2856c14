"""The host's own failing test: results that do not report it as failing are not to be trusted. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from bot.proof.junit import Results
from bot.proof.kinds import FileKind, kind_of
from bot.records import TestCase, TestReport, TestStatus

_TEMPLATE = """\
import unittest


class TestZzSelfcode_{token}(unittest.TestCase):
    def {name}(self):
        self.fail("planted by selfcode: {token}")
"""
_RAISED = "AssertionError: planted by selfcode: {token}"
_TOKEN = re.compile(r"[a-z0-9]{4,40}")
_STOPS_EARLY = re.compile(r"(^|\s)(-[a-zA-Z]*x[a-zA-Z]*|--exitfirst|--maxfail\b|--stepwise|--sw)(?=$|[\s=])")


@dataclass(frozen=True, slots=True)
class Plant:
    """A test that must fail, in a file of its own. `path` is relative to the repository.

    `positional`: the command names its test files, so the path is added to them.
    """

    path: str
    token: str
    positional: bool = False

    @property
    def test_name(self) -> str:
        return f"test_zz_selfcode_{self.token}"

    @property
    def content(self) -> bytes:
        return _TEMPLATE.format(token=self.token, name=self.test_name).encode()

    def again(self, token: str) -> "Plant":
        """The same place under another name, for the next run."""
        return replace(self, path=self.path.replace(self.token, _checked(token)), token=token)


def plant_for(where: TestReport | Sequence[str], token: str) -> Plant:
    """A plant where the test command will most likely collect it: beside most of the tests, named as they are.

    `where` is the baseline report, or the paths of the repository. `token` is random, of small letters and digits.
    """
    files = _test_files(where)
    folders = Counter(str(PurePosixPath(file).parent) for file in files)
    folder = min(folders, key=lambda name: (-folders[name], name.count("/"), name), default=".")
    suffixed = sum(file.endswith("_test.py") for file in files) * 2 > len(files)
    stem = f"zz_selfcode_{_checked(token)}"
    name = f"{stem}_test.py" if suffixed else f"test_{stem}.py"
    return Plant(path=name if folder == "." else f"{folder}/{name}", token=token)


def plant_that_shows(baseline: TestReport, token: str, run: Callable[[Plant], TestReport]) -> Plant | None:
    """The plant that the test command is seen to report as failing on the base, without disturbing the other results.

    `run` takes the baseline again with the plant. None: this command can't be checked so, and no proof can hold.
    """
    if baseline.reader != "pytest" or not baseline.could_run:
        return None
    plant = plant_for(baseline, token)
    for candidate in (plant, replace(plant, positional=True)):
        report = run(candidate)
        if report.planted_failed and not report.tampered and report.ids(*TestStatus) == baseline.ids(*TestStatus):
            return candidate
    return None


@dataclass(frozen=True, slots=True)
class Judged:
    """Results without the plant's own case, and what its case says of them."""

    results: Results
    planted_failed: bool | None
    tampered: str


def judge(results: Results | None, plant: Plant, *, command: str) -> Judged:
    """Take the plant's case out of the results and say whether they can be trusted."""
    if results is None:
        return Judged(Results(()), planted_failed=False, tampered="the test command left no results that can be read")
    own = [case for case in results.cases if plant.test_name in case.id]
    others = tuple(case for case in results.cases if plant.test_name not in case.id)
    rest = replace(results, cases=others)
    if not own and _ended_early(others, command):
        return Judged(rest, planted_failed=None, tampered=results.contradiction)
    raised = _RAISED.format(token=plant.token)
    failed = any(case.status is TestStatus.FAILED and raised in case.message for case in own)
    return Judged(rest, planted_failed=failed, tampered=results.contradiction or _suspicion(own, failed=failed))


def _suspicion(own: Sequence[TestCase], *, failed: bool) -> str:
    if failed:
        return ""
    if not own:
        return "a test that must fail was added, and the results do not hold it"
    if own[0].status is TestStatus.FAILED:
        return "the failure that is reported for the added test is not the one it raises"
    return f"a test that must fail was added, and is reported as {own[0].status}"


def _ended_early(cases: Sequence[TestCase], command: str) -> bool:
    """Whether the command asks to stop at the first failure, and there was one before the plant's turn."""
    failed = any(case.status in (TestStatus.FAILED, TestStatus.ERROR) for case in cases)
    return failed and _STOPS_EARLY.search(command) is not None


def _test_files(where: TestReport | Sequence[str]) -> list[str]:
    if isinstance(where, TestReport):
        return sorted({case.file for case in where.cases if case.file and case.file.endswith(".py")})
    named = [path for path in where if path.endswith(".py") and kind_of(path) is FileKind.TEST]
    pattern = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|tests)\.py$")
    return sorted(path for path in named if pattern.search(path)) or named


def _checked(token: str) -> str:
    if not _TOKEN.fullmatch(token):
        raise ValueError(f"a plant's token is small letters and digits, not {token!r}")
    return token
