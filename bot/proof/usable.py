"""Whether the results of the untouched base are something to compare with. Pure."""

from bot.proof.failures import error_of, is_whole_file, raised_in
from bot.proof.interface import may_be_wanted
from bot.records import ReportState, TestReport

_TELLING = frozenset({ReportState.USAGE_ERROR, ReportState.CRASHED, ReportState.NOTHING_RAN})
"""States in which what was printed may name the error behind them."""


def what_is_broken(baseline: TestReport, *, build: str = "") -> str:
    """Why nothing can be told by the base's tests, in a line: the command that fails, how, and its error; "" where
    something can. `build` is the plan's build command: a report that is of it blames no test.
    """
    error = raised_in(baseline.output) if baseline.state in _TELLING else ""
    if build and baseline.command == build:
        how = f"exit code {baseline.exit_code}" if baseline.exit_code and not _is_told(baseline) else baseline.state
        return _line(f"The build command on the untouched base fails: {how}", error)
    if not baseline.could_run:
        return _line(f"The test command on the untouched base: {baseline.state}", error)
    unloaded = [case for case in baseline.cases if is_whole_file(case)]
    others = len(baseline.cases) - len(unloaded)
    if not unloaded or others or any(may_be_wanted(case.message) for case in unloaded):
        return ""
    more = f" and {len(unloaded) - 1:,} more" if len(unloaded) > 1 else ""
    said = f"The test command on the untouched base: no test was run, for {unloaded[0].id}{more} can't be loaded"
    return _line(said, error_of(unloaded[0].message))


def _is_told(baseline: TestReport) -> bool:
    """Whether the state says more than that the command failed."""
    return baseline.state is not ReportState.CRASHED


def _line(said: str, error: str) -> str:
    return f"{said}. {error}." if error else f"{said}."
