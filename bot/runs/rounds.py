"""Whose turn it is where more repositories have something on a shelf than can be looked at in one go."""

from dataclasses import dataclass, field

from bot.runs.shelf import Shelf
from bot.runs.shelves import REPOSITORIES_AT_ONCE, Front
from bot.runs.store import Store, Waiting

FEW = 20
"""Of how many repositories something is looked at whole, where more have some."""


@dataclass
class Rounds:
    """Looks at shelves: in one turn at as many repositories as it may, in the next at those that come then."""

    store: Store
    most: int = REPOSITORIES_AT_ONCE
    _filled: frozenset[Shelf] = field(default=frozenset(Shelf), init=False)
    _after: dict[Shelf, int] = field(default_factory=dict, init=False)
    _reached: dict[Shelf, int] = field(default_factory=dict, init=False)
    _seen: dict[Shelf, int] = field(default_factory=dict, init=False)

    def next(self) -> None:
        """A new turn begins: go on behind what was looked at in the one before."""
        self._after, self._reached = self._reached, {}

    def look(self) -> frozenset[Shelf]:
        """The shelves on which something lies by now: what is said of them holds until it is looked again."""
        self._filled = self.store.shelves.filled()
        return self._filled

    def fronts(self, shelf: Shelf) -> list[Front]:
        """The first of each repository, as far as it is their turn: within a turn the same ones again."""
        if shelf not in self._filled:
            return []
        found = self.store.shelves.fronts(shelf, after=self._after.get(shelf, -1), most=self.most)
        if len(found) == self.most:
            self._reached[shelf] = found[-1].repository_id
        return found

    def some(self, shelf: Shelf, most: int) -> list[Waiting]:
        """Some of what lies there, of a few repositories a part each: the next time of those that come then."""
        shelves, after = self.store.shelves, self._seen.get(shelf, -1)
        fronts = shelves.fronts(shelf, after=after, most=FEW)
        if not fronts and after >= 0:
            fronts = shelves.fronts(shelf, most=FEW)
        self._seen[shelf] = fronts[-1].repository_id if len(fronts) == FEW else -1
        each = most // max(len(fronts), 1)
        return [waiting for front in fronts for waiting in shelves.first(shelf, front.repository_id, each)]

    def first_of_accounts(self, shelf: Shelf) -> list[Front]:
        """Of these the first of each installation, the oldest first."""
        first: dict[int, Front] = {}
        for front in sorted(self.fronts(shelf), key=lambda front: front.seq):
            first.setdefault(front.installation_id, front)
        return list(first.values())
