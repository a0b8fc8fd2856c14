"""What who asks about a proof that is there already can have seen of it: nobody accepts what they never saw. Pure."""

from datetime import datetime

from bot.errors import Refused
from bot.runs.judgement import Judgement
from bot.writing.outcomes import short

CLOCKS_APART_S = 60.0
"""How far GitHub's clock and ours may be apart, and a delivery be under way."""


def can_be_seen(finished_at: float | None, *, accepted_at: float | None, occurred_at: str) -> bool:
    """Whether who asked can have seen what the run said that ended at `finished_at`.

    By our own clock it ended before the request came in; where the request came in late, it ended before the moment
    that GitHub tells as well.
    """
    if finished_at is None or accepted_at is None:
        return False
    return finished_at <= min(accepted_at, datetime.fromisoformat(occurred_at).timestamp() + CLOCKS_APART_S)


def refuse_unacceptable(shown: Judgement | None, head: str, *, is_seen: bool) -> None:
    """Raise `Refused` where a word on the tests would change nothing, or be about something else than was seen.

    `shown` is the newest proof that was told, `head` what the branch holds.
    """
    if shown is None:
        raise Refused(
            "The newest proof could not be shown. Press “Re-run” on the check `selfcode` first, then accept what the "
            "new proof shows."
        )
    if shown.head != head:
        raise Refused(
            f"The proof is of `{short(shown.head)}`, and the branch is at `{short(head)}` by now. "
            "Press “Re-run” on the check `selfcode` first, then accept what the new proof shows."
        )
    if not shown.proof.tests_altered:
        raise Refused("There is nothing to accept: the change alters no existing test.")
    if shown.proof.accepted_by:
        raise Refused(f"What the change does to existing tests was accepted already, by {shown.proof.accepted_by}.")
    if not is_seen:
        raise Refused("A newer proof came meanwhile: look at that one, then say it again.")
