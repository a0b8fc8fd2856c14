import pytest

from bot.proof.interface import new_interface
from bot.proof.readers import can_be_planted
from bot.proof.readers.tape import TAPE
from bot.proof.results import Results
from bot.records import TestStatus
from tests.proof.laboratory import a_report, changed
from tests.proof.readers.recordings import ids, left, recording


def read(*names: str) -> Results:
    results = TAPE.read(left({f"tape-1-1-{number}.results": recording(name) for number, name in enumerate(names)}))
    assert results is not None
    return results


def test_each_test_is_known_by_its_file_and_the_tests_around_it() -> None:
    results = read("tape.results")

    assert (results.contradiction, results.ended_early) == ("", False)
    assert ids(results, TestStatus.PASSED) == [
        "test/a.js::small",
        "test/a.js::zero",
        "test/e.js::outer > inner",
        "test/e.js::outer",
        "test/e.js::planned",
    ]
    assert ids(results, TestStatus.SKIPPED) == ["test/e.js::todo"]


def test_a_test_that_throws_or_fails_after_its_end_has_failed_and_says_where() -> None:
    failed = [case for case in read("tape.results").cases if case.status is TestStatus.FAILED]

    assert [(case.id, case.line) for case in failed] == [
        ("test/b.js::triple", 3),
        ("test/d.js::large", 3),
        ("test/e.js::outer > in two", 2),
        ("test/e.js::twice", 6),
    ]
    assert failed[1].message.startswith("expected: 40\nactual: 0\nError: large")


def test_a_file_that_can_not_be_loaded_is_an_error_that_a_new_module_explains_and_the_rest_is_there() -> None:
    results = read("tape-unloadable.results", "tape.results")

    (broken,) = (case for case in results.cases if case.status is TestStatus.ERROR)
    assert (broken.id, broken.file) == ("test/c.js", "test/c.js")
    assert new_interface([changed("lib/triple.js", None, "exports.triple = (n) => 3 * n;")]).explains(broken.message)
    assert "test/a.js::small" in ids(results, TestStatus.PASSED)


def test_a_program_that_falls_where_nothing_can_go_on_has_ended_early_and_is_no_contradiction() -> None:
    results = read("tape-fallen.results")

    assert (results.contradiction, results.ended_early) == ("", True)
    assert ids(results, TestStatus.FAILED) == ["late/z.js::async"]


def test_a_program_that_ends_without_a_word_has_not_told_all() -> None:
    results = TAPE.read(left({"tape-1-1-1.results": recording("tape.results").rpartition(b'{"end"')[0]}))

    assert results is not None
    assert results.contradiction == "tape's results end before its tests did"


@pytest.mark.parametrize(
    ("file", "begins"),
    [
        ("test/a.js", [b'require("tape")("zz', b'import test from "tape";']),
        ("test/a.cjs", [b'require("tape")("zz']),
        ("test/a.mjs", [b'import test from "tape";']),
        ("test/a.ts", [b'import test = require("tape");', b'import test from "tape";']),
    ],
)
def test_a_plant_is_written_for_either_kind_of_module(file: str, begins: list[bytes]) -> None:
    plants = list(TAPE.plants(a_report(passed=[f"{file}::works"], reader="tape"), "abcd"))

    assert {plant.path for plant in plants} == {file.replace("/a", "/zz-selfcode-abcd")}
    assert [plant.content[: len(begin)] for plant, begin in zip(plants, begins, strict=True)] == begins
    assert can_be_planted("tape")
