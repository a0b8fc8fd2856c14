import json

from bot.proof.readers.vitest import VITEST
from bot.records import TestStatus
from tests.proof.laboratory import a_report
from tests.proof.readers.recordings import ids, left, recording

RESULTS = {"vitest-1-1-1.results": recording("vitest.results")}


def test_each_test_is_known_by_its_file_and_titles() -> None:
    results = VITEST.read(left(RESULTS))

    assert results is not None
    assert results.contradiction == ""
    assert ids(results, TestStatus.PASSED) == ["sub/a.test.ts::cart > adds"]
    assert ids(results, TestStatus.FAILED) == ["sub/a.test.ts::cart > adds #2"]
    assert ids(results, TestStatus.SKIPPED) == [
        "sub/a.test.ts::cart > left",
        "sub/a.test.ts::cart > later",
        "sub/a.test.ts::hooks > never",
    ]


def test_a_file_that_can_not_be_loaded_is_an_error_of_its_own() -> None:
    results = VITEST.read(left(RESULTS))

    assert ids(results, TestStatus.ERROR) == ["sub/broken.test.ts"]


def test_a_failure_says_where() -> None:
    results = VITEST.read(left(RESULTS))

    assert results is not None
    assert [case.line for case in results.cases if case.status is TestStatus.FAILED] == [4]


def test_totals_that_differ_are_seen() -> None:
    report = json.loads(recording("vitest.results"))
    report["testResults"][0]["assertionResults"].pop()

    results = VITEST.read(left({"vitest-1-1-1.results": json.dumps(report).encode()}))

    assert results is not None
    assert results.contradiction == "vitest says 5 tests and lists 4"


def test_a_file_that_is_no_report_is_seen() -> None:
    results = VITEST.read(left({"vitest-1-1-1.results": b'{"numTotalTests": '}))

    assert results is not None
    assert results.contradiction == "vitest's results can't be read"


def test_a_title_may_hold_half_a_character() -> None:
    report = recording("vitest.results").replace(b'"adds"', b'"adds \\ud83d"')

    results = VITEST.read(left({"vitest-1-1-1.results": report}))

    assert results is not None
    assert results.contradiction == ""
    assert ids(results, TestStatus.PASSED) == ["sub/a.test.ts::cart > adds ?"]


def test_a_plant_imports_what_it_uses() -> None:
    (plant,) = VITEST.plants(a_report(passed=["sub/a.test.ts::works"], reader="vitest"), "abcd")

    assert plant.path == "sub/zz-selfcode-abcd.test.ts"
    assert plant.content.startswith(b'import { test } from "vitest";')
