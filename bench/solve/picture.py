"""Solved tasks by iteration as an SVG that is legible on light and on dark ground. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from bench.solve.figures import Figures
from bench.solve.intervals import wilson

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 56, 190, 64, 56
LABEL_GAP = 17.0
COLOURS = (("#6b7280", "#9ca3af"), ("#b45309", "#f59e0b"), ("#1d4ed8", "#60a5fa"), ("#047857", "#34d399"))
"""For each system one for light ground and one for dark."""


@dataclass(frozen=True, slots=True)
class Caption:
    """What a picture says of itself."""

    title: str
    subtitle: str


def picture(figures: Sequence[Figures], caption: Caption) -> str:
    """One line a system, its 95 % interval as a band, its name at its end."""
    drawn = [_line(each, number) for number, each in enumerate(figures)]
    labels = [
        _label(each, number, y) for number, (each, y) in enumerate(zip(figures, _label_heights(figures), strict=True))
    ]
    family = 'font-family="system-ui, sans-serif" font-size="13"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" {family}>',
        f"<title>{escape(caption.title)}</title>",
        f"<style>{_style(len(figures))}</style>",
        _text(caption.title, LEFT, 26, 'class="ink" font-size="17" font-weight="600"'),
        _text(caption.subtitle, LEFT, 46, 'class="soft" font-size="12"'),
        *_axes(len(figures[0].solved) if figures else 0),
        *drawn,
        *labels,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _style(count: int) -> str:
    light = [".ink{fill:#111827}.soft{fill:#4b5563}.grid{stroke:#d1d5db}"]
    dark = [".ink{fill:#f3f4f6}.soft{fill:#c7cbd1}.grid{stroke:#4b5563}"]
    for number in range(count):
        for theme, colour in zip((light, dark), COLOURS[number % len(COLOURS)], strict=True):
            theme.append(f".s{number}{{stroke:{colour}}}.f{number}{{fill:{colour}}}")
    return "".join(light) + "@media (prefers-color-scheme:dark){" + "".join(dark) + "}"


def _axes(iterations: int) -> Iterator[str]:
    for percent in range(0, 101, 20):
        y = _y(percent / 100)
        yield f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke-width="1"/>'
        yield _text(f"{percent} %", LEFT - 8, y + 4, 'class="soft" text-anchor="end"')
    for number in range(iterations):
        yield _text(str(number + 1), _x(number, iterations), HEIGHT - BOTTOM + 20, 'class="soft" text-anchor="middle"')
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield _text("solved within so many iterations", middle, HEIGHT - 14, 'class="soft" text-anchor="middle"')


def _text(words: str, x: float, y: float, attributes: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(words)}</text>'


def _line(figures: Figures, number: int) -> str:
    places = [_x(index, len(figures.solved)) for index in range(len(figures.solved))]
    ends = [wilson(solved, figures.count) for solved in figures.solved]
    above = [f"{x:.1f},{_y(end.high):.1f}" for x, end in zip(places, ends, strict=True)]
    below = [f"{x:.1f},{_y(end.low):.1f}" for x, end in zip(places, ends, strict=True)]
    shares = [solved / figures.count for solved in figures.solved]
    points = [(x, _y(share)) for x, share in zip(places, shares, strict=True)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle class="f{number}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in points)
    return (
        f'<polygon class="f{number}" points="{" ".join(above + below[::-1])}" fill-opacity="0.13"/>\n'
        f'<polyline class="s{number}" points="{line}" fill="none" stroke-width="2.5"/>\n{dots}'
    )


def _label(figures: Figures, number: int, y: float) -> str:
    words = f"{figures.system} {100 * figures.solved[-1] / figures.count:.0f} %"
    return _text(words, WIDTH - RIGHT + 12, y + 4, f'class="f{number}" font-weight="600"')


def _label_heights(figures: Sequence[Figures]) -> Sequence[float]:
    """Where each line ends, moved down where two names would lie on each other."""
    wanted = sorted((_y(each.solved[-1] / each.count), number) for number, each in enumerate(figures))
    heights = [0.0] * len(figures)
    last = 0.0
    for y, number in wanted:
        last = heights[number] = max(y, last + LABEL_GAP)
    return heights


def _x(index: int, count: int) -> float:
    return LEFT + 24 + index * (WIDTH - LEFT - RIGHT - 36) / max(1, count - 1)


def _y(share: float) -> float:
    return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)
