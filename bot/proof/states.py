"""What one run of the test command came to, from how it ended, its words and its results. Pure."""

import re

from bot.proof.results import Results
from bot.records import ReportState, TestStatus
from sandbox.contract import Ending, ExecutionResult

_NAMES_PYTEST = re.compile(r"(^|[\s/;&|(])(pytest|py\.test)($|[\s;&|)])")
_NO_PYTEST = re.compile(r"No module named '?pytest\b'?|pytest: (command )?not found|pytest: No such file or directory")
_NOT_FOUND = re.compile(
    r"(^|: )[^\s:]+: (command )?not found$|^g?make(\[\d+\])?: \*\*\* .*\bError 12[67]$", re.MULTILINE
)
_BAD_USAGE = re.compile(
    r"^ERROR: (file or directory )?not found:|^ERROR: usage:|^ERROR: Wrong expression passed to|: error: unrecognized "
    r"arguments|^ERROR: .*conftest\.py|^ImportError while loading conftest"
    r"|^[ \t]*● Unrecognized (CLI Parameter|Option)|^CACError: |^\S*node: bad option:|^Could not find '"
    r"|^npm (ERR!|error) Missing script:|^flag provided but not defined:|^go: go\.mod file not found"
    r"|^error: (unexpected argument '|could not find `Cargo\.toml`|no test target named)",
    re.MULTILINE,
)
_NOTHING_RAN = re.compile(
    r"^Ran 0 tests in |^NO TESTS RAN|^=*[ \t]*no tests ran\b|\[no test files\]|^No tests found|"
    r"^(Error: )?No test files found|^no packages to test$|"
    r"^(#|ℹ) tests 0$|^0 examples,",
    re.MULTILINE | re.IGNORECASE,
)
_SOMETHING_RAN = re.compile(r"^Ran [1-9]\d* tests? in |^ok\s+\S+|\b[1-9]\d* (passed|examples?)\b", re.MULTILINE)
_PASSED_SUMMARY = re.compile(r"\b[1-9]\d* passed\b.{0,500} in [\d.]+s")

_OWN_LIMIT = re.compile(
    r"^FATAL ERROR: .*JavaScript heap out of memory|^fatal error: runtime: out of memory", re.MULTILINE
)
"""What a runtime says that ends itself before the sandbox's limit does; Node's heap is a part of the memory it sees."""

_ENDINGS = {
    Ending.TIMED_OUT: ReportState.TIMED_OUT,
    Ending.OUT_OF_MEMORY: ReportState.OUT_OF_MEMORY,
    Ending.OUTPUT_LIMIT: ReportState.OUTPUT_LIMIT,
    Ending.STOPPED: ReportState.STOPPED,
}


def state_of(command: str, result: ExecutionResult, results: Results | None, *, expect_failure: bool) -> ReportState:
    """The state of a run. `expect_failure`: the planted test failed, so a failing exit code says nothing more."""
    if result.ending in _ENDINGS:
        return _ENDINGS[result.ending]
    output = result.stdout + "\n" + result.stderr
    if result.exit_code is None or result.exit_code < 0 or result.exit_code > 128:
        return ReportState.OUT_OF_MEMORY if _OWN_LIMIT.search(output) else ReportState.CRASHED
    if results is not None:
        return _by_results(result.exit_code, output, results, expect_failure=expect_failure)
    return _by_exit_code(command, result.exit_code, output)


def _by_results(exit_code: int, output: str, results: Results, *, expect_failure: bool) -> ReportState:
    statuses = {case.status for case in results.cases}
    if results.internal_error:
        return ReportState.CRASHED
    if _BAD_USAGE.search(output) and not statuses:
        return ReportState.USAGE_ERROR
    if statuses & {TestStatus.FAILED, TestStatus.ERROR}:
        return ReportState.FAILED
    if not statuses:
        return ReportState.NOTHING_RAN
    if TestStatus.PASSED not in statuses:
        return ReportState.ALL_SKIPPED
    return ReportState.PASSED if exit_code == 0 or expect_failure else ReportState.FAILED


def _by_exit_code(command: str, exit_code: int, output: str) -> ReportState:
    if exit_code in (126, 127) or (exit_code != 0 and (_NO_PYTEST.search(output) or _NOT_FOUND.search(output))):
        return ReportState.COMMAND_NOT_FOUND
    if _NAMES_PYTEST.search(command):
        return _by_pytest_exit_code(exit_code, output)
    if exit_code != 0 and _BAD_USAGE.search(output):
        return ReportState.USAGE_ERROR
    if _NOTHING_RAN.search(output) and not _SOMETHING_RAN.search(output):
        return ReportState.NOTHING_RAN
    return ReportState.PASSED if exit_code == 0 else ReportState.FAILED


def _by_pytest_exit_code(exit_code: int, output: str) -> ReportState:
    """Without results. A process that ends pytest early may leave any exit code: 0 counts with a summary alone.

    Source: https://docs.pytest.org/en/stable/reference/exit-codes.html
    """
    match exit_code:
        case 0:
            return ReportState.PASSED if _PASSED_SUMMARY.search(output) else ReportState.CRASHED
        case 1:
            return ReportState.FAILED
        case 5:
            return ReportState.NOTHING_RAN
        case 4:
            return ReportState.USAGE_ERROR
        case 2 if "usage:" in output or _BAD_USAGE.search(output):
            return ReportState.USAGE_ERROR
        case _:
            return ReportState.CRASHED
