"""What the runs on base and head say of a change, side by side."""

from dataclasses import dataclass

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
class Proof:
    """The judgement over a change. `holds` exactly where `missing` is empty; `missing` says for people what lacks.

    `acceptance_passed` and `acceptance_failed` count the operator's hidden tests; None where there are none, or where
    nothing can be told of them.
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

    @property
    def holds(self) -> bool:
        return not self.missing
