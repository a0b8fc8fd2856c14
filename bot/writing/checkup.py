"""What a checkup found, line by line for a terminal and as one object for programs."""

from collections.abc import Sequence
from typing import Any

from bot.records import Check, CheckState, Checkup
from bot.writing.safe import on_screen

LONGEST = 1000

_MARKS = {CheckState.GOOD: "ok", CheckState.NOTED: "note", CheckState.BAD: "BAD", CheckState.UNKNOWN: "?"}


def check_text(check: Check) -> str:
    """One thing that was looked at, safe for a terminal; what mends it on a line of its own."""
    line = f"{_MARKS[check.state]:<5}{check.part:<13}{on_screen(check.words, LONGEST)}"
    return f"{line}\n{'':<18}→ {on_screen(check.mend, LONGEST)}" if check.mend else line


def headline(found: Checkup) -> str:
    """What it comes to."""
    bad = _count(found.checks, CheckState.BAD)
    unknown = _count(found.checks, CheckState.UNKNOWN)
    if found.is_healthy:
        return "HEALTHY: all that was looked at works."
    parts = [f"{bad} {'thing does' if bad == 1 else 'things do'} not work"] if bad else []
    parts += [f"{unknown} could not be looked at"] if unknown else []
    return f"UNHEALTHY: {', '.join(parts)}."


def summary(found: Checkup) -> dict[str, Any]:
    """What `selfcode doctor --json` prints."""
    return {
        "outcome": "healthy" if found.is_healthy else "unhealthy",
        "checks": [
            {"part": each.part, "state": str(each.state), "words": each.words, "mend": each.mend or None}
            for each in found.checks
        ],
    }


def _count(checks: Sequence[Check], state: CheckState) -> int:
    return sum(1 for check in checks if check.state is state)
