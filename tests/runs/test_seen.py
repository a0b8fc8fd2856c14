"""Whether who asks about a proof can have seen it: two clocks, and deliveries that come late."""

from datetime import datetime

import pytest

from bot.runs.seen import CLOCKS_APART_S, can_be_seen
from tests.runs.builders import at

ASKED = datetime.fromisoformat(at(30)).timestamp()
"""When it was asked, by GitHub's clock."""


@pytest.mark.parametrize(
    ("ended", "came_in", "is_seen"),
    [
        (ASKED - 100, ASKED + 2, True),
        (ASKED + 0.9, ASKED + 1, True),
        (ASKED + 1, ASKED + 1, True),
        (ASKED + 3, ASKED + 2, False),
        (ASKED + 40, ASKED + 45, True),
        (ASKED - 1000, ASKED - 950, True),
        (ASKED - 950, ASKED - 1000, False),
        (ASKED + CLOCKS_APART_S + 1, ASKED + 3600, False),
        (None, ASKED + 1, False),
        (ASKED - 100, None, False),
    ],
    ids=[
        "long before",
        "in the same second",
        "at the same moment",
        "between comment and delivery's end",
        "GitHub's clock is behind",
        "GitHub's clock is ahead",
        "GitHub's clock is ahead, and the proof is newer",
        "the delivery came an hour late",
        "not ended",
        "not known when it came in",
    ],
)
def test_a_proof_is_seen_that_was_there_before_the_word_on_it(
    ended: float | None, came_in: float | None, is_seen: bool
) -> None:
    assert can_be_seen(ended, accepted_at=came_in, occurred_at=at(30)) is is_seen
