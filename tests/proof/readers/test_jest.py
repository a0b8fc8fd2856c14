from bot.proof.readers.jest import JEST
from bot.records import TestStatus
from tests.proof.laboratory import a_report, token
from tests.proof.readers.recordings import ids, left, recording

RESULTS = {"jest-1700000000000-10-1.results": recording("jest.results")}


def test_each_test_is_known_by_its_file_and_titles() -> None:
    results = JEST.read(left(RESULTS))

    assert results is not None
    assert results.contradiction == ""
    assert ids(results, TestStatus.PASSED) == ["sum.test.js::sum > adds", "__tests__/other.js::passes"]
    assert ids(results, TestStatus.SKIPPED) == ["sum.test.js::sum > left", "sum.test.js::sum > later"]


def test_two_tests_of_one_title_are_told_apart_by_their_order() -> None:
    assert ids(JEST.read(left(RESULTS)), TestStatus.FAILED) == ["sum.test.js::sum > adds #2"]


def test_a_failure_says_why_and_where() -> None:
    results = JEST.read(left(RESULTS))

    assert results is not None
    (failed,) = (case for case in results.cases if case.status is TestStatus.FAILED)
    assert (failed.file, failed.line) == ("sum.test.js", 3)
    assert "Expected: 3\nReceived: 2" in failed.message
    assert "/workspace/sum.test.js" not in failed.message


def test_a_file_that_can_not_be_loaded_is_an_error_of_its_own() -> None:
    results = JEST.read(left(RESULTS))

    assert results is not None
    (broken,) = (case for case in results.cases if case.status is TestStatus.ERROR)
    assert (broken.id, broken.file) == ("broken.test.js", "broken.test.js")
    assert "Cannot find module './nowhere'" in broken.message


def test_several_runs_in_one_command_are_read_together() -> None:
    twice = {**RESULTS, "jest-1700000009999-11-1.results": recording("jest.results")}

    passed = ids(JEST.read(left(twice)), TestStatus.PASSED)

    assert passed[0::2] == ["sum.test.js::sum > adds", "sum.test.js::sum > adds #3"]


def test_results_without_their_end_are_not_the_whole_truth() -> None:
    cut = recording("jest.results").splitlines(keepends=True)[:-1]

    results = JEST.read(left({"jest-1-1-1.results": b"".join(cut)}))

    assert results is not None
    assert results.contradiction == "jest's results end before its tests did"


def test_lines_that_are_added_or_can_not_be_read_are_seen() -> None:
    forged = b'{"file": "/workspace/a.js", "titles": ["more"], "status": "passed"}\n' + recording("jest.results")

    for data in (forged, b"\x00\xff", b"[]\n", recording("jest.results") + forged.splitlines(keepends=True)[0]):
        results = JEST.read(left({"jest-1-1-1.results": data}))
        assert results is not None
        assert results.contradiction


def test_where_jest_did_not_run_there_is_nothing_to_read() -> None:
    assert JEST.read(left({"mocha-1-1-1.results": recording("mocha.results")})) is None


def test_a_plant_is_named_as_most_tests_are_and_stands_among_them() -> None:
    files = ["src/a.test.ts", "src/b.test.ts", "lib/c.test.ts", "__tests__/d.js"]
    baseline = a_report(passed=[f"{file}::works" for file in files], reader="jest")

    paths = [plant.path for plant in JEST.plants(baseline, "abcd")]

    assert paths == ["src/zz-selfcode-abcd.test.ts", "__tests__/zz-selfcode-abcd.js"]


def test_a_plant_fails_with_what_the_host_expects() -> None:
    baseline = a_report(passed=["a.test.js::works"], reader="jest")

    for plant in JEST.plants(baseline, token()):
        assert plant.said in plant.content.decode()


def test_without_a_test_file_there_is_no_place_for_a_plant() -> None:
    assert list(JEST.plants(a_report(reader="jest"), "abcd")) == []
