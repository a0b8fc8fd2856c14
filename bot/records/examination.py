"""What an examination finds (`doctor`)."""

from dataclasses import dataclass
from enum import StrEnum

from bot.records.plans import Finding, TestPlan
from bot.records.reports import TestCase, TestReport


class Health(StrEnum):
    """What an examination comes to. HEALTHY: tests run here, and a change to the source shows in them.

    INTERRUPTED is no verdict: a person ended it before there was one.
    """

    HEALTHY = "healthy"
    UNHEALTHY = "unhealthy"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Offline:
    """A test that failed for want of the network; `test` is "" where no test is known by name.

    `hosts` are those that the failure names, `words` the line of it that says so.
    """

    test: str
    hosts: tuple[str, ...]
    words: str


@dataclass(frozen=True, slots=True)
class Fault:
    """What the tests made of source that can't work: `files` files of it, each with a fault of ours.

    `asked` tests passed without the fault, `noticed` of them don't with it; both 0 where no test is known by name.
    """

    files: int
    report: TestReport
    noticed: int = 0
    asked: int = 0

    @property
    def is_noticed(self) -> bool:
        return self.noticed > 0 if self.asked else not self.report.is_green


@dataclass(frozen=True, slots=True)
class SandboxFacts:
    """The sandbox of an examination: `about` in its own words, `unheld` what it does not hold, each with why.

    `unheld` is None where it is not known, for the sandbox does not answer.
    """

    name: str
    about: str = ""
    unheld: tuple[tuple[str, str], ...] | None = ()
    has_network: bool = False


@dataclass(frozen=True, slots=True)
class Examination:
    """What is known of a repository's health by now.

    `repository` is what was examined, as people name it; `commit` is "" for a folder that is no git repository.
    `configured` is the text of the configuration that it has. `image` is the base image, "" where the sandbox has
    none, `prepared` the one that was made of it. `elsewhere` and `wishes` are lines on what else was seen, `left_out`
    what of a folder was not looked at. `blocked` are hosts that setup was refused, a line each. `runs` are runs of the
    tests on the untouched source. `trouble` says for people what it ended at, or "". `seconds` are those of each
    phase. `obstacles` keep changes from being proven, `remarks` don't; both are there at the end. `notes` are remarks
    that were made on the way.
    """

    repository: str
    sandbox: SandboxFacts
    commit: str = ""
    configured: str = ""
    plan: TestPlan | None = None
    found: tuple[Finding, ...] = ()
    elsewhere: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    image: str = ""
    prepared: str | None = None
    blocked: tuple[str, ...] = ()
    runs: tuple[TestReport, ...] = ()
    offline: tuple[Offline, ...] = ()
    fault: Fault | None = None
    trouble: str = ""
    seconds: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    is_interrupted: bool = False

    @property
    def health(self) -> Health:
        if self.is_interrupted:
            return Health.INTERRUPTED
        return Health.UNHEALTHY if self.obstacles or self.trouble else Health.HEALTHY

    @property
    def could_run(self) -> bool:
        """Whether the tests ran each time."""
        return bool(self.runs) and all(report.could_run for report in self.runs)

    @property
    def steady(self) -> frozenset[str]:
        """The tests that passed each time."""
        return frozenset.intersection(*(report.passed for report in self.runs)) if self.runs else frozenset()

    @property
    def failing(self) -> tuple[TestCase, ...]:
        """The tests that failed each time, as they did the first time."""
        ids = frozenset.intersection(*(report.failed for report in self.runs)) if self.runs else frozenset[str]()
        return tuple(case for case in self.runs[0].cases if case.id in ids) if self.runs else ()

    @property
    def flaky(self) -> tuple[str, ...]:
        """The tests that passed at one time and failed, or were not there, at another."""
        ever = frozenset[str]().union(*(report.passed for report in self.runs))
        return tuple(sorted(ever - self.steady))
