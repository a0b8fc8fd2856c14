import pytest

from bot.proof.readers.tap import TAP
from bot.records import TestStatus
from tests.proof.readers.recordings import ids, left, recording


@pytest.mark.parametrize(
    ("program", "passed", "failed", "skipped"),
    [
        ("tape", ["adds > should be strictly equal", "more > should be truthy"], ["adds > should be three"], []),
        ("ava", ["adds"], ["fails"], ["skipped", "later"]),
        (
            "node-tap",
            ["group > one"],
            ["group > inner > not two", "group > inner", "group"],
            ["outer", "later"],
        ),
        ("bats", ["adds"], ["fails"], ["skipped"]),
        ("prove", ["t/a.t::adds", "t/b.t::group > inner", "t/b.t::group"], ["t/a.t::fails"], ["t/a.t::test 3"]),
    ],
)
def test_each_point_is_a_test(program: str, passed: list[str], failed: list[str], skipped: list[str]) -> None:
    results = TAP.read(left(stdout=recording(f"{program}.tap")))

    assert results is not None
    assert results.contradiction == ""
    assert ids(results, TestStatus.PASSED) == passed
    assert ids(results, TestStatus.FAILED) == failed
    assert ids(results, TestStatus.SKIPPED) == skipped


@pytest.mark.parametrize(("program", "said"), [("tape", "expected: 3"), ("bats", "in test file a.bats, line 2")])
def test_a_failure_says_why(program: str, said: str) -> None:
    results = TAP.read(left(stdout=recording(f"{program}.tap")))

    assert results is not None
    assert [said in case.message for case in results.cases if case.status is TestStatus.FAILED] == [True]


@pytest.mark.parametrize(
    "output",
    [
        "",
        "ok 1 of the files was copied",
        "ok  \texample.com/m\t0.1s\nok 1\n",
        "checking things\nok 1 - that\nnot ok 2 - this\ndone",
        "1..3\n",
        "range 1..3\nok 1\n",
    ],
)
def test_ordinary_output_is_no_tap(output: str) -> None:
    assert TAP.read(left(stdout=output)) is None


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("1..3\nok 1 - a\nok 2 - b\n", "3 tests are planned and 2 are reported"),
        ("TAP version 14\nok 1 - a\n", "the tests ended before they said how many they are"),
        ("TAP version 13\n1..2\nok 1 - a\nBail out! no database\n", "the tests bailed out: no database"),
    ],
)
def test_tests_that_are_not_all_there_are_seen(output: str, why: str) -> None:
    results = TAP.read(left(stdout=output))

    assert results is not None
    assert results.contradiction == why


def test_output_that_was_cut_is_not_the_whole_truth() -> None:
    results = TAP.read(left(stdout="TAP version 13\n1..1\nok 1 - a\n", truncated=True))

    assert results is not None
    assert results.contradiction


def test_several_programs_in_one_command_are_read_one_after_the_other() -> None:
    results = TAP.read(
        left(stdout="> first\nTAP version 13\nok 1 - a\n1..1\n> second\nTAP version 13\nok 1 - a\n1..1\n")
    )

    assert results is not None
    assert (results.contradiction, ids(results, TestStatus.PASSED)) == ("", ["a", "a #2"])


def test_a_program_that_skips_all_says_so() -> None:
    results = TAP.read(left(stdout="TAP version 13\n1..0 # SKIP no database\n"))

    assert ids(results, TestStatus.SKIPPED) == ["all tests"]


def test_a_point_without_words_is_numbered_in_its_group_so_that_a_test_before_it_changes_no_name() -> None:
    before = "TAP version 13\n# one\nok 1\n# two\nok 2\nok 3 named\nok 4\n1..4\n"
    after = "TAP version 13\n# one\nok 1\nok 2\n# two\nok 3\nok 4 named\nok 5\n1..5\n"

    named = [ids(TAP.read(left(stdout=stdout)), TestStatus.PASSED) for stdout in (before, after)]

    assert named[0] == ["one > test 1", "two > test 1", "two > named", "two > test 3"]
    assert set(named[1]) - set(named[0]) == {"one > test 2"}
