"""What was not tried is told."""

from tests.sandbox.hostile.untried import UNTRIED, counted


def test_tests_that_were_not_tried_are_counted_by_backend_guarantee_and_reason() -> None:
    reasons = [f"Skipped: {UNTRIED} x: MEMORY: no cgroups", f"Skipped: {UNTRIED} x: MEMORY: no cgroups", "no engine"]

    assert counted([*reasons, f"{UNTRIED} y: CPU: why"]) == {
        "not tried on x: MEMORY: no cgroups": 2,
        "not tried on y: CPU: why": 1,
    }
