import subprocess
from pathlib import Path

import pytest

from bot.proof.readers import Site
from bot.proof.readers.go import GO
from bot.records import ReportState as State
from bot.records import TestReport, TestStatus
from tests.proof.readers.recordings import ids, left, recording

FILES = {
    f"go-{program}.{part}": recording(f"go-{program}.{part}")
    for program in "12"
    for part in ("where", "output", "code")
}
RUN = left(FILES, stdout=recording("go.stdout"), stderr=recording("go.stderr"))
SITE = Site("/workspace", "/workspace/.hidden", versions={"go": "1.27.3"})


def test_each_test_is_known_by_its_file_and_name() -> None:
    results = GO.read(RUN)

    assert results is not None
    assert results.contradiction == ""
    assert ids(results, TestStatus.PASSED) == [
        "calc_test.go::TestDouble/small",
        "calc_test.go::TestPar",
        "calc_test.go::ExampleDouble",
        "pkg/p_test.go::TestOne",
    ]
    assert ids(results, TestStatus.FAILED) == [
        "calc_test.go::TestDouble",
        "calc_test.go::TestDouble/large",
        "pkg/p_test.go::TestPanics",
    ]
    assert ids(results, TestStatus.SKIPPED) == ["calc_test.go::TestSkipped"]


def test_a_failure_says_why_and_where() -> None:
    results = GO.read(RUN)

    assert results is not None
    (failed,) = (case for case in results.cases if case.id == "calc_test.go::TestDouble/large")
    assert (failed.file, failed.line) == ("calc_test.go", 17)
    assert failed.message == "said by the test\n    calc_test.go:17: got 40\n        want 41"


def test_a_test_that_panics_has_failed_and_those_behind_it_have_not_run() -> None:
    results = GO.read(RUN)

    assert results is not None
    (failed,) = (case for case in results.cases if case.id == "pkg/p_test.go::TestPanics")
    assert failed.message.startswith("panic: assignment to entry in nil map")
    assert "pkg/p_test.go::TestAfter" not in ids(results, *TestStatus)


def test_a_package_that_does_not_compile_is_an_error_of_the_file() -> None:
    results = GO.read(RUN)

    assert results is not None
    (broken,) = (case for case in results.cases if case.status is TestStatus.ERROR)
    assert (broken.id, broken.file, broken.line) == ("bad/b_test.go", "bad/b_test.go", 5)
    assert "undefined: undefined" in broken.message


def program(output: str, code: str = "0") -> dict[str, bytes]:
    where = "/workspace\n./a_test.go:3:func TestA(t *testing.T) {\n"
    return {"go-7.where": where.encode(), "go-7.output": output.encode(), "go-7.code": code.encode()}


def test_a_test_at_the_time_limit_has_failed() -> None:
    output = "\x16=== RUN   TestA\npanic: test timed out after 1s\n\trunning tests:\n\t\tTestA (1s)\n"

    results = GO.read(left(program(output, "2")))

    assert ids(results, TestStatus.FAILED) == ["a_test.go::TestA"]


def test_a_program_that_fails_without_a_failing_test_is_an_error_of_its_package() -> None:
    output = "\x16=== RUN   TestA\n\x16--- PASS: TestA (0.00s)\nno database\n"

    results = GO.read(left(program(output, "1")))

    assert results is not None
    assert [(case.id, case.message) for case in results.cases if case.status is TestStatus.ERROR] == [
        (".", "=== RUN   TestA\n--- PASS: TestA (0.00s)\nno database")
    ]


@pytest.mark.parametrize(
    ("code", "why"), [("0", ". ends well before its tests have ended"), ("", "the results of . end in the middle")]
)
def test_a_program_that_says_less_than_it_began_is_seen(code: str, why: str) -> None:
    results = GO.read(left(program("\x16=== RUN   TestA\n", code)))

    assert results is not None
    assert results.contradiction == why


def test_what_a_test_prints_is_no_result() -> None:
    output = "\x16=== RUN   TestA\n--- PASS: TestB (0.00s)\n\x16--- FAIL: TestA (0.00s)\n"

    assert ids(GO.read(left(program(output, "1"))), *TestStatus) == ["a_test.go::TestA"]


def test_a_program_that_tells_of_no_test_is_none_of_ours() -> None:
    assert GO.read(left(program("everything is well\n"))) is None


def test_a_program_whose_tests_are_all_left_out_ran_none() -> None:
    assert ids(GO.read(left(program("testing: warning: no tests to run\nPASS\n"))), *TestStatus) == []
    assert GO.read(left(program("testing: warning: no tests to run\nPASS\n"))) is not None


def test_the_output_of_an_older_go_has_no_marks() -> None:
    output = "=== RUN   TestA\n=== RUN   TestA/one\n    --- PASS: TestA/one (0.00s)\n--- PASS: TestA (0.00s)\nPASS\n"

    results = GO.read(left(program(output)))

    assert ids(results, TestStatus.PASSED) == ["a_test.go::TestA", "a_test.go::TestA/one"]


def test_the_flags_of_the_image_stay() -> None:
    site = Site("/w", "/w/.hidden", variables={"GOFLAGS": "-mod=vendor"}, versions={"go": "1.22.1"})

    assert GO.prepare(site).variables == {"GOFLAGS": "-mod=vendor -exec=/w/.hidden/for-go -count=1"}


@pytest.mark.parametrize(
    "site",
    [
        Site("/w", "/w/.hidden"),
        Site("/w", "/w/.hidden", variables={"GOFLAGS": "-exec=qemu"}, versions={"go": "1.22.1"}),
    ],
)
def test_where_there_is_no_go_or_programs_are_started_by_another_nothing_is_added(site: Site) -> None:
    assert GO.prepare(site).variables == {}


def test_a_plant_is_a_package_of_its_own_or_stands_beside_most_tests() -> None:
    results = GO.read(RUN)
    assert results is not None

    baseline = TestReport("go test ./...", State.FAILED, results.cases, reader="go")

    assert [plant.path for plant in GO.plants(baseline, "abcd")] == ["zz_selfcode_abcd/zz_selfcode_abcd_test.go"]
    beside = GO.plants(TestReport("go test ./pkg", State.FAILED, results.cases[-3:-1], reader="go"), "abcd")
    assert [(plant.path, plant.content.split()[1]) for plant in beside] == [
        ("pkg/zz_selfcode_abcd/zz_selfcode_abcd_test.go", b"zz_selfcode_abcd"),
        ("pkg/zz_selfcode_abcd_test.go", b"pkg"),
    ]


PROGRAM = r"""#!/bin/sh
[ "$1" = -test.list=. ] && { echo TestA; exit 0; }
printf '\026=== RUN   TestA\nsaid\n\026--- PASS: TestA (0.00s)\n'
printf '\026=== RUN   TestB\n\026=== NAME  TestB\nno line end\026--- FAIL: TestB (0.00s)\n'
printf 'FAIL\n'
exit 3
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    path = hidden / "for-go"
    path.write_bytes(GO.prepare(SITE).files["for-go"])
    path.chmod(0o755)
    for name in ("calc.test", "calc"):
        (tmp_path / name).write_text(PROGRAM)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "a_test.go").write_text("package a\n\nfunc TestA(t *testing.T) {}\n")
    return path


def started(script: Path, *words: str) -> subprocess.CompletedProcess[str]:
    folder = script.parent.parent
    return subprocess.run([script, *words], cwd=folder, capture_output=True, text=True, check=False)


BRIEF = "said\nno line end--- FAIL: TestB (0.00s)\nFAIL\n"
VERBOSE = """\
=== RUN   TestA
said
--- PASS: TestA (0.00s)
=== RUN   TestB
no line end--- FAIL: TestB (0.00s)
FAIL
"""


@pytest.mark.parametrize(("option", "shown"), [("-test.timeout=1s", BRIEF), ("-test.v=true", VERBOSE)])
def test_the_script_shows_what_the_command_asked_for_and_keeps_the_rest(script: Path, option: str, shown: str) -> None:
    ended = started(script, "./calc.test", option)

    assert (ended.returncode, ended.stdout) == (3, shown)
    (where,) = script.parent.glob("go-*.where")
    assert where.read_text() == f"{script.parent.parent}\n./a_test.go:3:func TestA(t *testing.T) {{}}\n"
    assert where.with_suffix(".output").read_text().count("\x16") == 5
    assert where.with_suffix(".code").read_text() == "3\n"


@pytest.mark.parametrize("words", [["./calc", "-test.v=true"], ["./calc.test", "-test.list=."]])
def test_the_script_only_starts_what_runs_no_tests(script: Path, words: list[str]) -> None:
    assert started(script, *words).stdout
    assert list(script.parent.glob("go-*")) == []


@pytest.mark.parametrize(("image", "seen"), [("", "unset"), ("-mod=vendor ", "-mod=vendor")])
def test_what_the_tests_start_is_no_test_of_its_own(script: Path, image: str, seen: str) -> None:
    program = script.parent.parent / "calc.test"
    program.write_text('#!/bin/sh\necho "${GOFLAGS-unset}"\n')
    flags = f"{image}-exec={script} -count=1"

    ended = subprocess.run([script, program], env={"GOFLAGS": flags}, capture_output=True, text=True, check=True)

    assert ended.stdout == f"{seen}\n"


def test_the_script_gives_events_to_a_command_that_reads_them(script: Path) -> None:
    assert started(script, "./calc.test", "-test.v=test2json").stdout.count("\x16") == 5


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["-test.v=true", "-test.timeout=1s"], "<-test.v=test2json><-test.timeout=1s>"),
        (
            ["-test.timeout=1s", "config.yml", "a b", "-test.v=x"],
            "<-test.v=test2json><-test.timeout=1s><config.yml><a b><-test.v=x>",
        ),
        (["--", "-test.v"], "<-test.v=test2json><--><-test.v>"),
        ([], "<-test.v=test2json>"),
    ],
)
def test_the_words_that_are_for_the_tests_stay_as_they_are(script: Path, words: list[str], given: str) -> None:
    program = script.parent.parent / "calc.test"
    program.write_text("#!/bin/sh\nprintf '<%s>' \"$@\"\n")

    assert started(script, "./calc.test", *words).stdout == given
