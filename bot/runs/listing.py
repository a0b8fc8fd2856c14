"""GitHub's list of deliveries, gone through in stretches: what was listed once is not asked for again."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.errors import Gone, Refused, Unavailable
from bot.records import DeliveryAttempt, Hindsight
from bot.runs.missed import unseen


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the list that was gone through without a gap, from the id `top` on.

    `below` is the cursor that it goes on at; None where it reaches what was done before.
    """

    top: int
    below: str | None


@dataclass
class Listing:
    """One in a process: it remembers how far it came. The list grows at its top meanwhile."""

    hindsight: Hindsight
    _stretches: list[Stretch] = field(default_factory=list, init=False)
    """What was listed, the newest last, with gaps between them."""
    _cursor: str | None = field(default=None, init=False)

    @property
    def top(self) -> int:
        """The newest id that was listed; 0 where there is none."""
        return self._stretches[-1].top if self._stretches else 0

    def attempts(self, mark: int, *, oldest: float) -> Iterator[DeliveryAttempt]:
        """What was not listed yet, the newest first, down to what was done before: the id `mark`, the time `oldest`.

        What may have come into the list late is given again. To be taken to its end: where that is `Unavailable`, the
        next one goes on there.
        """
        top, self._cursor = 0, None
        try:
            while True:
                known = [each for each in self._stretches if each.top > mark]
                for attempt in unseen(self._pages(), known[-1].top if known else mark, oldest=oldest):
                    top = max(top, attempt.id)
                    yield attempt
                if not known:
                    break
                self._stretches = known[:-1]
                top, self._cursor = max(top, known[-1].top), known[-1].below
                if self._cursor is None:
                    break
        except Unavailable:
            if self._cursor is not None:
                self._stretches.append(Stretch(top, self._cursor))
            raise
        except (Gone, Refused):  # what GitHub hands out to go on at may be good for some time only
            self._stretches.clear()
            raise
        self._stretches = [Stretch(max(top, mark), None)]

    def _pages(self) -> Iterator[DeliveryAttempt]:
        """The list from the cursor on; asks for a page when it is needed."""
        while True:
            page = self.hindsight.deliveries(self._cursor)
            yield from page.attempts
            self._cursor = page.before
            if not page.attempts or page.before is None:
                return
