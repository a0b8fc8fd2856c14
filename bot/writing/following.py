"""A run that goes on, as lines of a terminal: what begins, what is done, what is told, how it ends."""

from dataclasses import dataclass, field

from bot.records import Happening, HappeningKind, Outcome, WaitingLine
from bot.writing.figures import duration
from bot.writing.outcomes import title
from bot.writing.safe import on_screen

WIDTH = 240


@dataclass
class Following:
    """Turns what happens into lines, in its order. Moments are told from the run's first happening on."""

    _first: float | None = field(default=None, init=False)
    _began: dict[str, float] = field(default_factory=dict, init=False)

    def line(self, happened: Happening) -> str:
        """A line; "" for what needs none."""
        if self._first is None:
            self._first = happened.at
        words = self._words(happened)
        return f"{happened.at - self._first:6.1f} s  {words}" if words else ""

    def _words(self, happened: Happening) -> str:
        text = on_screen(happened.text, WIDTH)
        match happened.kind:
            case HappeningKind.BEGAN:
                self._began[happened.text] = happened.at
                return f"▸ {text}"
            case HappeningKind.DONE:
                began = self._began.get(happened.text)
                return f"✓ {text}" + ("" if began is None else f" ({duration(happened.at - began)})")
            case HappeningKind.TOLD:
                return f"  {text}"
            case HappeningKind.ENDED:
                return f"■ {_outcome(text)}"


def waits_in_words(waits: WaitingLine) -> str:
    """What a run waits for that has not begun."""
    place = "" if waits.place is None else f", number {waits.place:,} in line"
    return f"in the queue{place}" + (f": {on_screen(waits.why, WIDTH)}" if waits.why else "")


def _outcome(text: str) -> str:
    return title(Outcome(text)) if text in set(Outcome) else text
