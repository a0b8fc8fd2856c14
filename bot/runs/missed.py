"""What of GitHub's deliveries was missed, by their list alone. Pure."""

from collections.abc import Collection, Iterable, Iterator

from bot.records import DeliveryAttempt
from bot.triggers.mattering import can_matter, is_said_by_machines

LATE_S = 15 * 60.0
"""How late something may come into the list (“a few minutes”), or be told by another clock.

Source: https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/troubleshooting-webhooks
"""


def unseen(attempts: Iterable[DeliveryAttempt], mark: int, *, oldest: float = 0.0) -> Iterator[DeliveryAttempt]:
    """Those of a list, newest first, that were not looked at yet, or may not have been there when it was looked at.

    `mark` is the newest id that everything was done up to. Reads no more of the list than it takes. Nothing older than
    `oldest` is given.
    """
    edge, is_marked = oldest, False
    for attempt in attempts:
        if attempt.id <= mark and not is_marked:
            edge, is_marked = max(edge, attempt.delivered_at - LATE_S), True
        if attempt.delivered_at < edge:
            return
        yield attempt


def missed(attempts: Collection[DeliveryAttempt], *, everything: bool) -> list[DeliveryAttempt]:
    """What is worth reading, in the order to read it in: what people did before what machines say, the oldest first.

    Each delivery once, however often it was tried; none that was taken in any try, unless `everything` is asked for.
    """
    mattering = [each for each in attempts if can_matter(each.event, each.action)]
    taken = set() if everything else {each.guid for each in mattering if each.was_taken}
    newest = {each.guid: each for each in sorted(mattering, key=lambda each: each.id) if each.guid not in taken}
    return sorted(newest.values(), key=lambda each: (is_said_by_machines(each.event, each.action), each.id))


def mark_after(newest: int, undone: Collection[int], *, mark: int) -> int:
    """The id that everything is done up to, where these are left to do. It never goes back."""
    return max(mark, min(undone) - 1 if undone else newest)
