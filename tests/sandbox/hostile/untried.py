"""Which hostile tests were not tried on which backend, for the summary."""

from collections import Counter
from collections.abc import Iterable, Mapping

import pytest

UNTRIED = "not tried on"
"""How the reason of such a skip begins; what follows is `backend: GUARANTEE: reason`."""


def counted(reasons: Iterable[str]) -> Mapping[str, int]:
    """How often each such reason is among the reasons of all skips."""
    found = (reason[reason.index(UNTRIED) :] for reason in reasons if UNTRIED in reason)
    return Counter(found)


def tell(reporter: pytest.TerminalReporter) -> None:
    """A line for each backend and guarantee."""
    reasons = [report.longrepr[2] for report in reporter.stats.get("skipped", ()) if isinstance(report.longrepr, tuple)]
    untried = counted(reasons)
    if untried:
        reporter.section("hostile tests that were not tried", sep="-", yellow=True)
    for reason, count in sorted(untried.items()):
        reporter.write_line(f"{count} hostile tests {reason}", yellow=True)
