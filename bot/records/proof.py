"""What the runs on base and head say of a change, side by side."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.records.reports import TestReport


@dataclass(frozen=True, slots=True)
class Evidence:
    """Base report and head report side by side, as sorted test ids.

    `red`: failed on the base with the head's tests (run A), twice, and pass on the head (run B). `broke`: passed in the
    baseline and do not pass with the base's own tests on the head (run C). `still_failing`: failed in the baseline and
    fail in run B. `new`: in B, not in the baseline. `gone`: in the baseline, not in B. `new_interface`: those of `red`
    that could not even be imported on the base, because the change defines what they name.
    """

    red: tuple[str, ...] = ()
    broke: tuple[str, ...] = ()
    still_failing: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    new_interface: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hunk:
    """One changed hunk of a source file, as in a diff without context.

    `start`, from 1 on, and `lines` are of the head's file; where `lines` is 0, lines were only taken away, behind line
    `start`. `text` is the hunk's removed and added lines with their `-` and `+`, bounded. `noticed_by` are tests that
    noticed it missing, as far as they are known by name.
    """

    path: str
    start: int
    lines: int
    text: str
    noticed_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HunkCheck:
    """Each changed hunk of the source reverted alone: did a test notice? Time did not allow to try the `untried`."""

    noticed: tuple[Hunk, ...] = ()
    unnoticed: tuple[Hunk, ...] = ()
    untried: tuple[Hunk, ...] = ()
    budget_s: float = 0.0
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True)
class ImageIdentity:
    """The image that tests run in, and the base image that it was prepared from: names, and digests as the engine has
    them. Without a setup the two are the same; in a sandbox without images all is "".
    """

    name: str = ""
    digest: str = ""
    base: str = ""
    base_digest: str = ""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a proof was made of, so that another one's difference can be explained.

    `base` and `head` are commits, `head` "" where the change was none yet. `image_digest` identifies the image that the
    tests ran in, "" in a sandbox without images; a prepared one is another on each machine, so `base_image` and its
    digest are what two machines compare. `versions` are of the programs that ran: selfcode, Python, pytest, …
    """

    base: str
    head: str
    command: str
    build: str = ""
    directory: str = "."
    sandbox: str = ""
    image: str = ""
    image_digest: str = ""
    base_image: str = ""
    base_image_digest: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proof:
    """The judgement over a change. `holds` exactly where `missing` is empty; `missing` says for people what lacks.

    `acceptance_passed` and `acceptance_failed` count the operator's hidden tests; None where there are none, or where
    nothing can be told of them. `second_looks` are signs that something was made for show: a reviewer is to look, and
    they don't keep the proof from holding. `accepted_by` is the login of who accepted what the change does to existing
    tests.
    """

    missing: tuple[str, ...]
    evidence: Evidence
    baseline: TestReport
    head_tests_on_base: TestReport | None = None
    head: TestReport | None = None
    base_tests_on_head: TestReport | None = None
    tests_changed: tuple[str, ...] = ()
    tests_altered: tuple[str, ...] = ()
    acceptance_passed: int | None = None
    acceptance_failed: int = 0
    accepted_by: str = ""
    hunks: HunkCheck | None = None
    provenance: Provenance | None = None
    second_looks: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return not self.missing

    @property
    def newly_failing(self) -> tuple[str, ...]:
        """Tests that fail with the change and did not before, but those that `broke` or are flaky."""
        failed = self.head.failed if self.head else frozenset()
        return tuple(sorted(failed - self.baseline.failed - {*self.evidence.broke, *self.evidence.flaky}))
