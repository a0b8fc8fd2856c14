import pytest

from bot.proof.states import state_of
from bot.records import ReportState
from sandbox.contract import Ending, ExecutionResult


@pytest.mark.parametrize(
    ("exit_code", "said", "state"),
    [
        (1, "No tests found, exiting with code 1", ReportState.NOTHING_RAN),
        (1, "No test files found, exiting with code 1", ReportState.NOTHING_RAN),
        (1, 'Error: No test files found: "test"', ReportState.NOTHING_RAN),
        (0, "ℹ tests 0\nℹ suites 0", ReportState.NOTHING_RAN),
        (1, 'go: warning: "./..." matched no packages\nno packages to test', ReportState.NOTHING_RAN),
        (1, '● Unrecognized CLI Parameter:\n\n  Unrecognized option "nope".', ReportState.USAGE_ERROR),
        (1, "CACError: Unknown option `--nope`", ReportState.USAGE_ERROR),
        (9, "/usr/bin/node: bad option: --nope", ReportState.USAGE_ERROR),
        (1, "Could not find '/workspace/nowhere'", ReportState.USAGE_ERROR),
        (1, 'npm error Missing script: "test"', ReportState.USAGE_ERROR),
        (2, "flag provided but not defined: -nope", ReportState.USAGE_ERROR),
        (1, "go: go.mod file not found in current directory or any parent directory", ReportState.USAGE_ERROR),
        (1, "error: unexpected argument '--nope' found", ReportState.USAGE_ERROR),
        (101, "error: could not find `Cargo.toml` in `/workspace` or any parent directory", ReportState.USAGE_ERROR),
        (101, "error: no test target named `nope`.", ReportState.USAGE_ERROR),
        (127, "sh: 1: jest: not found", ReportState.COMMAND_NOT_FOUND),
        (1, "1 test failed", ReportState.FAILED),
    ],
)
def test_what_test_programs_say_when_they_ran_no_test(exit_code: int, said: str, state: ReportState) -> None:
    ended = ExecutionResult(exit_code, "", said, Ending.EXITED, truncated=False, duration_s=1.0)

    assert state_of("make test", ended, None, expect_failure=False) is state
