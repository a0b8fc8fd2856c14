"""The order in which those get a free place who were let in: by counting, for the line may be long."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.runs.deciding import Spot, ranks, spot_of
from bot.runs.shelf import Shelf
from bot.runs.shelves import REPOSITORIES_AT_ONCE, Front
from bot.runs.store import RunRow, Store, Waiting
from bot.writing.progress import NAMED_PLACES

OTHERS_AT_ONCE = 20
"""Of how many, further back, it is looked in one turn whether they know."""

_START = (-1, 0)


@dataclass
class Ranking:
    """The line for a free place."""

    store: Store
    _seen_up_to: tuple[int, int] = field(default=_START, init=False)

    def first(self, active: Sequence[RunRow]) -> list[Waiting]:
        """Those whose place is told by its number, the next one first; nobody where too many repositories wait."""
        rank, shelves = ranks(active), self.store.shelves
        fronts = shelves.fronts(Shelf.PLACES)
        if len(fronts) == REPOSITORIES_AT_ONCE:
            return []
        first = sorted(fronts, key=lambda front: (*rank(spot_at(front)), front.seq))[:NAMED_PLACES]
        found = [each for front in first for each in shelves.first(Shelf.PLACES, front.repository_id, NAMED_PLACES)]
        return sorted(found, key=lambda each: (*rank(spot_of(each.trigger)), each.seq))[:NAMED_PLACES]

    def others(self) -> list[Waiting]:
        """Some of all in line: who asks again and again sees everyone."""
        found = self.store.shelves.after(Shelf.PLACES, self._seen_up_to, OTHERS_AT_ONCE)
        is_end = len(found) < OTHERS_AT_ONCE
        self._seen_up_to = _START if is_end else (found[-1].trigger.issue.repository.id, found[-1].seq)
        return found

    def place_of(self, each: Waiting) -> tuple[int | None, int]:
        """Which place it has, from 1 on, and how many there are; no place where it is not in line."""
        counts = self.store.shelves.counts(Shelf.PLACES, before=each.seq)
        in_all = sum(count.all for count in counts)
        if not self.store.shelves.lies_on(Shelf.PLACES, each.seq):
            return None, in_all
        rank = ranks(self.store.unfinished())
        own = rank(spot_of(each.trigger))
        before = 0
        for count in counts:
            other = rank(Spot(count.installation_id, count.repository_id))
            before += count.all if other < own else count.before if other == own else 0
        return before + 1, in_all


def spot_at(front: Front, *, is_cheap: bool = False) -> Spot:
    """Where what a repository has there would be at work."""
    return Spot(front.installation_id, front.repository_id, is_cheap)
