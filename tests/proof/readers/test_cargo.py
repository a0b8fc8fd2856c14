import pytest

from bot.proof.readers import Site
from bot.proof.readers.cargo import CARGO
from bot.records import ReportState as State
from bot.records import TestCase, TestReport, TestStatus
from tests.proof.readers.recordings import ids, left, recording

STDOUT = recording("cargo.stdout").decode()
STDERR = recording("cargo.stderr").decode()


def test_tests_are_known_by_program_and_path_and_examples_by_file_and_item() -> None:
    results = CARGO.read(left(stdout=STDOUT, stderr=STDERR))

    assert results is not None
    assert results.contradiction == ""
    assert sorted(ids(results, TestStatus.PASSED)) == [
        "adder::tests::adds",
        "adder::tests::panics",
        "app (src/main.rs)::tests::runs",
        "crates/adder/src/lib.rs - add",
        "crates/adder/src/lib.rs - add #2",
        "crates/adder/src/lib.rs - add #3",
        "it::from_outside",
        "it::from_outside #2",
    ]
    assert sorted(ids(results, TestStatus.FAILED)) == ["adder::tests::fails", "adder::tests::returns_an_error"]
    assert ids(results, TestStatus.SKIPPED) == ["adder::tests::ignored"]


def test_each_test_has_the_file_of_its_program_and_a_failure_its_own() -> None:
    results = CARGO.read(left(stdout=STDOUT, stderr=STDERR))

    assert results is not None
    places = {case.id: (case.file, case.line) for case in results.cases}
    assert places["adder::tests::fails"] == ("crates/adder/src/lib.rs", 32)
    assert places["it::from_outside"] == ("crates/adder/tests/it.rs", None)
    assert places["it::from_outside #2"] == ("crates/app/tests/it.rs", None)
    assert places["crates/adder/src/lib.rs - add #2"] == ("crates/adder/src/lib.rs", 9)


def test_a_failure_says_why() -> None:
    results = CARGO.read(left(stdout=STDOUT, stderr=STDERR))

    assert results is not None
    said = {case.id: case.message for case in results.cases}
    assert "not five" in said["adder::tests::fails"]
    assert said["adder::tests::returns_an_error"] == 'Error: "an error"'


def test_the_order_in_which_examples_end_changes_no_id() -> None:
    lines = [line for line in STDOUT.splitlines() if line.startswith("test crates/")]
    turned = STDOUT.replace("\n".join(lines), "\n".join(reversed(lines)))

    first, second = (CARGO.read(left(stdout=text, stderr=STDERR)) for text in (STDOUT, turned))

    assert turned != STDOUT
    assert first is not None
    assert second is not None
    assert {case.id: case.line for case in first.cases} == {case.id: case.line for case in second.cases}


def test_a_crate_that_does_not_compile_is_an_error_of_the_file() -> None:
    results = CARGO.read(left(stderr=recording("cargo-uncompiled.stderr")))

    assert results is not None
    (case,) = results.cases
    assert (case.id, case.file, case.line) == ("crates/adder/tests/new.rs", "crates/adder/tests/new.rs", 3)
    assert case.status is TestStatus.ERROR
    assert "cannot find function `triple`" in case.message


def test_output_between_the_name_and_the_status_hides_no_test() -> None:
    output = """
running 3 tests
test adds ... said by a test
and more
ok
test at_once ... said without a line's endok
test fails ... this is a book
FAILED

failures:

failures:
    fails

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.50s
"""
    stderr = "\nthread 'fails' (12) panicked at src/lib.rs:7:5:\nplanted\nnote: run with `RUST_BACKTRACE=1`\n"

    results = CARGO.read(left(stdout=output, stderr=stderr))

    assert results is not None
    assert results.contradiction == ""
    assert ids(results, TestStatus.PASSED) == ["adds", "at_once"]
    assert [case.message for case in results.cases if case.id == "fails"] == [
        "thread 'fails' (12) panicked at src/lib.rs:7:5:\nplanted"
    ]


def test_programs_are_told_apart_where_all_is_in_one_stream() -> None:
    output = """
     Running unittests src/lib.rs (target/debug/deps/calc-0a1b)

running 1 test
test adds ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/it.rs (target/debug/deps/it-0a1b)

running 1 test
test adds ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""
    assert ids(CARGO.read(left(stdout=output)), TestStatus.PASSED) == ["calc::adds", "it::adds"]


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("test from_outside ... ok\n", "", "a test program of it says that 1 tests passed and lists 0"),
        (
            "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
            "",
            "a test program of it ended before its tests did",
        ),
    ],
)
def test_tests_that_are_not_all_there_are_seen(before: str, after: str, why: str) -> None:
    results = CARGO.read(left(stdout=STDOUT.replace(before, after, 1), stderr=STDERR))

    assert results is not None
    assert results.contradiction == why


def test_a_program_that_was_killed_is_an_error() -> None:
    output = "\nrunning 2 tests\ntest adds ... ok\n"
    stderr = "error: test failed\n\nCaused by:\n  process didn't exit successfully: `calc` (signal: 6, SIGABRT)\n"

    results = CARGO.read(left(stdout=output, stderr=stderr))

    assert ids(results, TestStatus.ERROR) == ["(the test program)"]


@pytest.mark.parametrize(
    "output",
    [
        "",
        "test passes ... ok\n",
        "running all tests\n",
        "\nrunning 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
    ],
)
def test_what_names_no_test_is_nothing(output: str) -> None:
    assert CARGO.read(left(stdout=output)) is None


def test_output_that_was_cut_is_not_the_whole_truth() -> None:
    results = CARGO.read(left(stdout=STDOUT, stderr=STDERR, truncated=True))

    assert results is not None
    assert results.contradiction


def test_a_plant_is_an_integration_test_of_the_crate_with_most_tests() -> None:
    results = CARGO.read(left(stdout=STDOUT, stderr=STDERR))
    assert results is not None

    (plant,) = CARGO.plants(TestReport("cargo test", State.FAILED, results.cases, reader="cargo"), "abcd")

    assert plant.path == "crates/adder/tests/zz_selfcode_abcd.rs"
    assert plant.said in plant.content.decode()


def test_the_programs_after_the_plant_run_still() -> None:
    cases = (TestCase("calc::adds", TestStatus.PASSED, file="src/lib.rs"),)
    (plant,) = CARGO.plants(TestReport("cargo test", State.PASSED, cases, reader="cargo"), "abcd")

    with_it = CARGO.prepare(Site("/workspace", "/workspace/.hidden", plant=plant))
    without = CARGO.prepare(Site("/workspace", "/workspace/.hidden"))

    assert with_it.variables["CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER"] == "/workspace/.hidden/for-cargo"
    assert without.variables == {}
