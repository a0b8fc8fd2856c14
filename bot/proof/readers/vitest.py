"""Vitest, wherever in the command it is started: its own JSON reporter, beside those that it has. Pure."""

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.proof.plant import Plant
from bot.proof.readers.naming import numbered, placed, plain
from bot.proof.readers.node import case_of, recorder, well_formed
from bot.proof.readers.reader import Left, Preparation, Site
from bot.proof.readers.script_plants import Texts, plants_beside
from bot.proof.results import Results, results_of
from bot.records import TestCase, TestReport, TestStatus

TEST = """\
import { test } from "vitest";

test("zz selfcode {token}", () => {
  throw new Error("planted by selfcode: {token}");
});
"""
_STATUS = {"passed": TestStatus.PASSED, "failed": TestStatus.FAILED}


class _Vitest:
    name = "vitest"
    reads_output = False
    takes_plants = True

    def prepare(self, site: Site) -> Preparation:
        return recorder(site)

    def read(self, left: Left) -> Results | None:
        named = [data for name, data in sorted(left.files.items()) if name.startswith("vitest-")]
        if not named:
            return None
        cases: list[TestCase] = []
        contradiction = ""
        for data in named:
            try:
                report = _Report.model_validate_json(well_formed(data))
            except ValidationError:
                contradiction = "vitest's results can't be read"
                continue
            cases += [case for file in report.files for case in _cases(file, left)]
            listed = sum(len(file.tests) for file in report.files)
            if report.total != listed:
                contradiction = f"vitest says {report.total} tests and lists {listed}"
        return results_of(numbered(cases), contradiction=contradiction)

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:
        return plants_beside(baseline, token, Texts(TEST))


VITEST = _Vitest()


class _Slice(BaseModel):
    model_config = ConfigDict(frozen=True)


class _Test(_Slice):
    groups: Sequence[str] = Field((), alias="ancestorTitles")
    title: str
    status: str
    failures: Sequence[str] | None = Field(None, alias="failureMessages")


class _File(_Slice):
    name: str
    status: str
    message: str = ""
    tests: Sequence[_Test] = Field(alias="assertionResults")


class _Report(_Slice):
    """Source: https://vitest.dev/guide/reporters.html#json-reporter."""

    total: int = Field(alias="numTotalTests")
    files: Sequence[_File] = Field(alias="testResults")


def _cases(file: _File, left: Left) -> Iterator[TestCase]:
    path = placed(file.name, left.root, left.directory)
    statuses = {test.status for test in file.tests}
    if file.status == "failed" and "failed" not in statuses:
        yield case_of(path, (), TestStatus.ERROR, plain(file.message, left.root))
    for test in file.tests:
        status = _STATUS.get(test.status, TestStatus.SKIPPED)
        message = plain("\n".join(test.failures or ()), left.root)
        yield case_of(path, (*test.groups, test.title), status, message)
