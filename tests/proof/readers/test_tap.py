import pytest

from bot.proof import Plant
from bot.proof.planting import judge
from bot.proof.readers.tap import TAP
from bot.records import TestStatus
from tests.proof.laboratory import a_report
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


def test_of_node_tap_each_file_is_known_and_one_that_can_not_be_loaded_says_why_by_the_errors_that_were_told() -> None:
    results = TAP.read(
        left(stdout=recording("node-tap-files.tap"), stderr=recording("node-tap-files.stderr"), exit_code=1)
    )

    assert results is not None
    assert results.contradiction == ""
    assert ids(results, TestStatus.FAILED) == [
        "test/b.js::triple > triple is not a function",
        "test/b.js::triple",
        "test/b.js",
        "test/d.js::large",
        "test/d.js",
    ]
    (broken,) = (case for case in results.cases if case.status is TestStatus.ERROR)
    assert (broken.id, broken.file, broken.line) == ("test/c.js", "test/c.js", 2)
    assert broken.message.startswith("Error: Cannot find module '../lib/triple'\nRequire stack:\n- test/c.js")
    assert "test/a.js::small" in ids(results, TestStatus.PASSED)


def test_subtests_that_come_behind_their_own_result_are_in_their_file_too() -> None:
    output = "TAP version 14\nok 1 - test/a.js # time=9ms {\n    ok 1 - adds\n    1..1\n}\n\n1..1\n"

    assert ids(TAP.read(left(stdout=output)), TestStatus.PASSED) == ["test/a.js", "test/a.js::adds"]


@pytest.mark.parametrize("name", ["util.parse", "a test of x.js", "https://a/b.js"])
def test_a_test_whose_name_is_no_script_s_is_no_file(name: str) -> None:
    output = f"TAP version 14\n# Subtest: {name}\n    ok 1 - adds\n    1..1\nok 1 - {name}\n1..1\n"

    assert ids(TAP.read(left(stdout=output)), TestStatus.PASSED) == [f"{name} > adds", name]


def test_a_plant_stands_beside_the_tests_of_node_tap_and_is_seen_to_fail_by_what_it_says() -> None:
    where = a_report(passed=["test/a.js::small", "test/b.js::large"], reader="tap")
    (plant, as_module) = TAP.plants(where, "abcd1234")
    file = plant.path
    output = (
        f"TAP version 14\n# Subtest: {file}\n    not ok 1 - planted by selfcode: abcd1234\n      ---\n      at:\n"
        f"        fileName: {file}\n      ...\n    1..1\nnot ok 1 - {file}\n  ---\n  exitCode: 1\n  ...\n1..1\n"
    )

    judged = judge(TAP.read(left(stdout=output, exit_code=1)), plant, command="tap")

    assert file == "test/zz-selfcode-abcd1234.js"
    assert (plant.content[:14], as_module.content[:17]) == (b'require("tap")', b'import t from "ta')
    assert (judged.planted_failed, judged.tampered, judged.results.cases) == (True, "", ())


def test_a_plant_for_prove_is_in_perl() -> None:
    (plant,) = TAP.plants(a_report(passed=["t/a.t::adds", "t/b.t::adds"], reader="tap"), "abcd1234")
    output = f"{plant.path} .. \n1..1\nnot ok 1 - planted by selfcode: abcd1234\nFailed 1/1 subtests\n"

    judged = judge(TAP.read(left(stdout=output, exit_code=1)), plant, command="prove -v")

    assert plant.path == "t/zz-selfcode-abcd1234.t"
    assert plant.content == b'print "1..1\\nnot ok 1 - planted by selfcode: abcd1234\\n";\n'
    assert (judged.planted_failed, judged.tampered) == (True, "")


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
def test_tests_that_are_not_all_there_though_all_is_well_are_seen(output: str, why: str) -> None:
    results = TAP.read(left(stdout=output, exit_code=0))

    assert results is not None
    assert (results.contradiction, results.ended_early) == (why, False)


@pytest.mark.parametrize(
    ("output", "failed", "says"),
    [
        ("1..3\nok 1 - a\nok 2 - b\n", "all tests", "3 tests are planned and 2 are reported\nTypeError: no"),
        ("TAP version 13\n# adds\n", "all tests", "the tests ended before they said how many they are\nTypeError: no"),
        ("TAP version 13\n1..2\nok 1 - a\nBail out! no database\n", "all tests", "the tests bailed out: no database"),
        ("t/a.t .. \n1..2\nok 1 - a\nt/b.t .. \n1..1\nok 1 - b\n", "t/a.t", "2 tests are planned and 1 are reported"),
    ],
)
def test_a_program_that_fails_before_it_has_told_all_is_an_error_and_no_contradiction(
    output: str, failed: str, says: str
) -> None:
    results = TAP.read(left(stdout=output, stderr="TypeError: no\n    at test/a.js:1:2\n", exit_code=1))

    assert results is not None
    assert (results.contradiction, results.ended_early) == ("", True)
    assert ids(results, TestStatus.ERROR) == [failed]
    assert results.cases[-1].message.startswith(says)


def test_a_program_that_falls_before_the_plants_turn_is_not_blamed_for_its_absence() -> None:
    results = TAP.read(left(stdout="TAP version 13\n# adds\nok 1 a\n# falls\n", exit_code=1))

    judged = judge(results, Plant("test/zz-selfcode-abcd1234.js", "abcd1234"), command="tape test/*.js")

    assert (judged.planted_failed, judged.tampered) == (None, "")


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
