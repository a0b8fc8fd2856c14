"""What a project prints or holds is searched for in time that grows with its length, whatever it is.

Each of these texts would take a search that goes back and forth over it hours.
"""

from collections.abc import Callable

import pytest

from bot.proof.absences import absences
from bot.proof.alterations import altered_tests
from bot.proof.failures import error_of, missing_in, place_of
from bot.proof.interface import Interface, import_failed
from bot.proof.readers.cargo import CARGO
from bot.proof.readers.go import GO
from bot.proof.readers.pytest import PYTEST, sessions_in
from bot.proof.readers.tap import TAP
from bot.proof.results import line_of
from bot.proof.states import state_of
from bot.proof.steering import steers_tests
from bot.records import ReportState, TestStatus
from sandbox.contract import Ending, ExecutionResult
from tests.proof.laboratory import changed
from tests.proof.readers.recordings import ids, left

pytestmark = pytest.mark.timeout(20)

MANY = 300_000
BLANK = "\n" * MANY + "x"


@pytest.mark.parametrize(
    "message",
    [
        "cannot find " + "a, " * 40 + "a" * 40 + "!",
        "cannot find " + "a " * 2000,
        "no " + "named " * 2000,
        "use of undeclared " + "a " * 2000,
        "a" * 4000 + " is not",
    ],
)
def test_what_a_compiler_says(message: str) -> None:
    assert absences(message) == frozenset()


@pytest.mark.parametrize("lines", ["#[a] " * 5000, "#[a]\n" * 5000, "#[cfg(test)]\n" * 5000, BLANK])
def test_rust_that_may_hold_tests(lines: str) -> None:
    source = f"#[cfg(test)]\n{lines}fn"

    assert altered_tests([changed("src/lib.rs", source, f"{source} main() {{}}")]) == ()


@pytest.mark.parametrize(
    "search", [error_of, missing_in, place_of, import_failed, Interface(frozenset(), frozenset()).explains]
)
def test_a_failure_of_blank_lines(search: Callable[[str], object]) -> None:
    assert not search(BLANK) or search is error_of


def test_a_traceback_of_blank_lines() -> None:
    assert line_of(BLANK, "a.py", None) is None


@pytest.mark.parametrize("output", [BLANK, "1 passed " * MANY, "=" * MANY])
@pytest.mark.parametrize("command", ["make test", "pytest"])
def test_what_a_command_prints(output: str, command: str) -> None:
    ended = ExecutionResult(1, output, "", Ending.EXITED, truncated=False, duration_s=1.0)

    assert state_of(command, ended, None, expect_failure=False) is ReportState.FAILED


@pytest.mark.parametrize("output", [BLANK, "1 passed " * MANY, "=" * MANY])
def test_what_pytest_prints(output: str) -> None:
    assert sessions_in(output) == 0
    assert PYTEST.read(left(stdout=output)) is None


@pytest.mark.parametrize("name", ["a.py", "a.go"])
def test_source_of_blank_lines(name: str) -> None:
    assert not steers_tests(changed(name, BLANK, f"{BLANK}x"))


def test_what_tap_prints() -> None:
    results = TAP.read(left(stdout=f"1..1\nok 1 - a{' ' * MANY}b"))

    assert results is not None
    assert len(results.cases) == 1


def test_what_go_prints() -> None:
    output = f"=== RUN   TestA\n=== RUN {' ' * MANY}x y\n--- PASS: TestA (0.00s)\n"
    files = {"go-7.where": b"/workspace\n", "go-7.output": output.encode(), "go-7.code": b"0"}

    assert ids(GO.read(left(files)), *TestStatus) == [".::TestA"]


@pytest.mark.parametrize(
    ("stdout", "stderr"),
    [
        ("running 1 test\ntest a" + " - compile" * MANY, ""),
        (f"running 1 test\ntest src/lib.rs - a{' ' * MANY}x ... ok\n", ""),
        ("", "error: could not compile `a`\nerror: a\n" + "  \n" * MANY),
    ],
)
def test_what_cargo_prints(stdout: str, stderr: str) -> None:
    assert CARGO.read(left(stdout=stdout, stderr=stderr)) is not None
