"""What is not tested on this machine, for want of something: said aloud, with the reason, and counted."""

import os
from typing import NoReturn

import pytest

_WORDS = "left out for want of"


def leave_out(what: str, why: str = "") -> NoReturn:
    """Leave the test out, which needs `what`; in CI, which promises it, the test fails."""
    reason = f"{_WORDS} {what}: {why}" if why else f"{_WORDS} {what}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def tell(reporter: pytest.TerminalReporter, what: str, *, to_have: str) -> None:
    """Say at the end how many tests were left out for want of it, and how to have them."""
    skipped = [str(report.longrepr) for report in reporter.stats.get("skipped", ())]
    count = sum(f"{_WORDS} {what}" in reason for reason in skipped)
    if count:
        reporter.section(f"{count} tests {_WORDS} {what}", sep="!", red=True, bold=True)
        reporter.write_line(f"To have them: {to_have}", red=True)
