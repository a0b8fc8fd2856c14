"""How many were solved within how many iterations, as a picture: a line for each of those that are compared."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.writing.palette import COLOURS, Caption, headings, place, svg, words
from bot.writing.safe import cut
from bot.writing.shares import wilson

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 56, 200, 64, 56
LABEL_GAP = 17.0
LABEL_LIMIT = 16
DASHES = ("", "7 4", "2 4")
"""Beyond as many lines as there are colours, a line is told by its dashes, too."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One of those that are compared: how many of `count` it has solved after 1, 2, … iterations."""

    name: str
    solved: tuple[int, ...]
    count: int


def curves(drawn: Sequence[Curve], caption: Caption) -> str:
    """One line a curve, its 95 % interval as a band, its name at its end. Those of nothing are left out."""
    shown = [each for each in drawn if each.count and each.solved]
    heights = _label_heights(shown)
    parts = [
        *headings(caption, LEFT),
        *_axes(len(shown[0].solved) if shown else 0),
        *(_line(each, number) for number, each in enumerate(shown)),
        *(_label(each, number, y) for number, (each, y) in enumerate(zip(shown, heights, strict=True))),
    ]
    return svg(caption, WIDTH, HEIGHT, len(shown), parts)


def _axes(iterations: int) -> Iterator[str]:
    for percent in range(0, 101, 20):
        y = _y(percent / 100)
        yield f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke-width="1"/>'
        yield words(f"{percent} %", LEFT - 8, y + 4, 'class="soft" text-anchor="end"')
    for number in range(iterations):
        yield words(str(number + 1), _x(number, iterations), HEIGHT - BOTTOM + 20, 'class="soft" text-anchor="middle"')
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield words("solved within so many iterations", middle, HEIGHT - 14, 'class="soft" text-anchor="middle"')


def _line(curve: Curve, number: int) -> str:
    colour, dashes = place(number), DASHES[number // len(COLOURS) % len(DASHES)]
    places = [_x(index, len(curve.solved)) for index in range(len(curve.solved))]
    ends = [wilson(solved, curve.count) for solved in curve.solved]
    above = [f"{x:.1f},{_y(end.high):.1f}" for x, end in zip(places, ends, strict=True)]
    below = [f"{x:.1f},{_y(end.low):.1f}" for x, end in zip(places, ends, strict=True)]
    points = [(x, _y(solved / curve.count)) for x, solved in zip(places, curve.solved, strict=True)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle class="f{colour}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<polygon class="f{colour}" points="{" ".join(above + below[::-1])}" fill-opacity="0.13"/>\n'
        f'<polyline class="s{colour}" points="{line}" fill="none" stroke-width="2.5"{dashed}/>\n{dots}'
    )


def _label(curve: Curve, number: int, y: float) -> str:
    text = f"{cut(curve.name, LABEL_LIMIT)} {100 * curve.solved[-1] / curve.count:.0f} %"
    return words(text, WIDTH - RIGHT + 12, y + 4, f'class="f{place(number)}" font-weight="600"')


def _label_heights(drawn: Sequence[Curve]) -> Sequence[float]:
    """Where each line ends, moved where two names would lie on each other: down, and up again from the ground."""
    wanted = sorted((_y(each.solved[-1] / each.count), number) for number, each in enumerate(drawn))
    heights, last = [0.0] * len(drawn), 0.0
    for y, number in wanted:
        last = heights[number] = max(y, last + LABEL_GAP)
    last = HEIGHT - BOTTOM + LABEL_GAP
    for _, number in reversed(wanted):
        last = heights[number] = min(heights[number], last - LABEL_GAP)
    return heights


def _x(index: int, count: int) -> float:
    return LEFT + 24 + index * (WIDTH - LEFT - RIGHT - 36) / max(1, count - 1)


def _y(share: float) -> float:
    return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)
