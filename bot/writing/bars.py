"""Bars beside each other, as a picture: shares with their intervals, or amounts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bot.writing.palette import Caption, headings, place, svg, words
from bot.writing.safe import cut
from bot.writing.shares import Share

WIDTH, LEFT, RIGHT = 560, 12, 150
TOP, STEP, HIGH = 60, 46, 14
NAME_LIMIT = 60


@dataclass(frozen=True, slots=True)
class Rate:
    """A share that a bar shows, by its name."""

    name: str
    share: Share


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount that a bar shows, by its name; None where it can't be said. `said` is it in words."""

    name: str
    value: float | None
    said: str


def rates(shown: Sequence[Rate], caption: Caption) -> str:
    """A bar for each share, whose interval is a line with two ends over it."""
    return _picture(caption, [(each.name, _rate(each.share, number)) for number, each in enumerate(shown)])


def amounts(shown: Sequence[Amount], caption: Caption) -> str:
    """A bar for each amount, the largest of which is as long as there is room; "" where none can be said."""
    largest = max((each.value for each in shown if each.value is not None), default=0.0)
    if largest <= 0:
        return ""
    drawn = [(each.name, _amount(each, number, largest)) for number, each in enumerate(shown)]
    return _picture(caption, drawn)


def _picture(caption: Caption, drawn: Sequence[tuple[str, Callable[[float], Iterator[str]]]]) -> str:
    parts = [*headings(caption, LEFT)]
    for number, (name, draw) in enumerate(drawn):
        y = float(TOP + number * STEP)
        parts += [words(cut(name, NAME_LIMIT), LEFT, y + 12, 'class="ink"'), *draw(y + 19)]
    return svg(caption, WIDTH, TOP + max(len(drawn), 1) * STEP + 6, len(drawn), parts)


def _rate(share: Share, number: int) -> Callable[[float], Iterator[str]]:
    def draw(y: float) -> Iterator[str]:
        yield _bar("ground", 1.0, y)
        yield _bar(f"f{place(number)}", share.value, y)
        if share.is_of_something:
            low, high = (_x(end) for end in share.interval)
            middle, top, bottom = y + HIGH / 2, y + 2, y + HIGH - 2
            yield (
                f'<path class="ends" fill="none" stroke-width="1.5" d="M{low:.1f} {top:.1f}V{bottom:.1f}'
                f'M{low:.1f} {middle:.1f}H{high:.1f}M{high:.1f} {top:.1f}V{bottom:.1f}"/>'
            )
        said = f"{share} ({share.part} of {share.whole})" if share.is_of_something else "none was asked for"
        yield words(said, WIDTH - RIGHT + 10, y + 12, 'class="ink" font-weight="600"')

    return draw


def _amount(amount: Amount, number: int, largest: float) -> Callable[[float], Iterator[str]]:
    def draw(y: float) -> Iterator[str]:
        if amount.value is not None:
            yield _bar(f"f{place(number)}", amount.value / largest, y)
        end = _x((amount.value or 0.0) / largest)
        yield words(amount.said, end + 8, y + 12, 'class="ink"')

    return draw


def _bar(kind: str, part: float, y: float) -> str:
    return f'<rect class="{kind}" x="{LEFT}" y="{y:.1f}" width="{_x(part) - LEFT:.1f}" height="{HIGH}" rx="2"/>'


def _x(part: float) -> float:
    return LEFT + part * (WIDTH - LEFT - RIGHT)
