"""What a run of the test command came to."""

from dataclasses import dataclass
from enum import StrEnum


class TestStatus(StrEnum):
    """How one test ended. ERROR: it could not be collected, imported, set up or torn down."""

    __test__ = False

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class TestCase:
    """One test's result. `id` is stable between runs; `file` is relative to the repository where the report tells.

    `line`, from 1 on, is where the test, or its failure in `file`, stands; None where the report does not tell.
    """

    __test__ = False

    id: str
    status: TestStatus
    message: str = ""
    file: str | None = None
    line: int | None = None


class ReportState(StrEnum):
    """What one run of the test command came to. Only PASSED is green."""

    PASSED = "passed"
    FAILED = "failed"
    NOTHING_RAN = "nothing ran"
    ALL_SKIPPED = "everything skipped"
    COMMAND_NOT_FOUND = "command not found"
    USAGE_ERROR = "the test command is broken"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    OUTPUT_LIMIT = "too much output"
    CRASHED = "crashed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class TestReport:
    """One run of the test command. `cases` is empty where `reader` is "exit code": then nothing more is known.

    `output` is stdout and stderr, bounded. `planted_failed` says whether the test that the host added was reported as
    failing, as it must be; None where none was added. `tampered` says why the results can't be trusted, or "".
    """

    __test__ = False

    command: str
    state: ReportState
    cases: tuple[TestCase, ...] = ()
    exit_code: int | None = None
    output: str = ""
    duration_s: float = 0.0
    reader: str = "exit code"
    planted_failed: bool | None = None
    tampered: str = ""

    def ids(self, *statuses: TestStatus) -> frozenset[str]:
        """The ids of the tests that ended so."""
        return frozenset(case.id for case in self.cases if case.status in statuses)

    @property
    def passed(self) -> frozenset[str]:
        return self.ids(TestStatus.PASSED)

    @property
    def failed(self) -> frozenset[str]:
        return self.ids(TestStatus.FAILED, TestStatus.ERROR)

    @property
    def skipped(self) -> frozenset[str]:
        return self.ids(TestStatus.SKIPPED)

    @property
    def is_green(self) -> bool:
        return self.state is ReportState.PASSED

    def is_good_beside(self, baseline: "TestReport | None") -> bool:
        """Whether it is green, or nothing fails in it but what failed in the baseline already."""
        if self.is_green:
            return True
        known = baseline.failed if baseline is not None else frozenset[str]()
        return self.state is ReportState.FAILED and bool(self.passed) and bool(self.failed) and self.failed <= known

    @property
    def could_run(self) -> bool:
        """Whether the command ran tests at all, whatever came of them."""
        return self.state in (ReportState.PASSED, ReportState.FAILED)

    @property
    def counts(self) -> str:
        """“12 passed, 1 failed”, or the state where no test is known by name."""
        if not self.cases:
            return f"exit code {self.exit_code}" if self.could_run else str(self.state)
        parts = [(len(self.passed), "passed"), (len(self.failed), "failed"), (len(self.skipped), "skipped")]
        return ", ".join(f"{count} {word}" for count, word in parts if count or word == "passed")
