"""Charts for pages: columns of stacked parts, as SVG whose colours are the style sheet's."""

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.records import IterationLine, TestReport
from bot.writing.figures import cost, tokens

HEIGHT, TOP, BOTTOM, LEFT = 150, 12, 20, 66
WIDTH = 560
WIDEST, NARROWEST = 44, 9


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, and its parts from the ground up. `said` is all of it in words."""

    name: str
    parts: tuple[float, ...]
    said: str


def count_in_words(number: float) -> str:
    """A count at an axis; half of an odd one is no whole."""
    return f"{number:,.0f}" if number >= 10 or number == int(number) else f"{number:.1f}"


def columns(
    title: str,
    classes: Sequence[str],
    drawn: Sequence[Column],
    *,
    in_words: Callable[[float], str] = count_in_words,
) -> str:
    """The chart; "" where there is nothing to draw. `classes` name the parts for the style sheet.

    `in_words` writes a number at the axis. Each column says what it is when it is pointed at; for who sees none of it
    the title stands alone, and a table of the same numbers has to be near.
    """
    highest = max((sum(each.parts) for each in drawn), default=0.0)
    if highest <= 0:
        return ""
    step = min(max(WIDTH / len(drawn), NARROWEST), WIDEST)
    width = round(LEFT + step * len(drawn) + 8)
    scale = (HEIGHT - TOP - BOTTOM) / highest
    every = max(1, round(28 / step))
    marks = "".join(
        _column(each, LEFT + place * step, step, scale, classes, is_named=place % every == 0)
        for place, each in enumerate(drawn)
    )
    return (
        f'<svg class="chart" role="img" aria-label="{html.escape(title)}" width="{width}" height="{HEIGHT}" '
        f'viewBox="0 0 {width} {HEIGHT}">{_axis(highest, width, in_words)}{marks}</svg>'
    )


def _axis(highest: float, width: int, in_words: Callable[[float], str]) -> str:
    """The ground, half the height, and the top."""
    lines = []
    for part in (0.0, 0.5, 1.0):
        y = HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>')
        if part:
            words = html.escape(in_words(highest * part))
            lines.append(f'<text class="tick" text-anchor="end" x="{LEFT - 6}" y="{y + 4:.1f}">{words}</text>')
    return "".join(lines)


def _column(each: Column, x: float, step: float, scale: float, classes: Sequence[str], *, is_named: bool) -> str:
    gap, y, shapes = min(step * 0.25, 6), float(HEIGHT - BOTTOM), []
    for name, part in zip(classes, each.parts, strict=True):
        height = part * scale
        if height > 0:
            y -= height
            box = f'x="{x + gap / 2:.1f}" y="{y:.1f}" width="{step - gap:.1f}" height="{height:.1f}"'
            shapes.append(f'<rect class="{name}" {box}/>')
    middle = x + step / 2
    label = f'<text class="tick" text-anchor="middle" x="{middle:.1f}" y="{HEIGHT - 6}">{html.escape(each.name)}</text>'
    return f"<g><title>{html.escape(each.said)}</title>{''.join(shapes)}{label if is_named else ''}</g>"


def chart_of_tests(iterations: Sequence[IterationLine], baseline: TestReport | None) -> str:
    """Tests that pass and fail on the base and after each iteration, as far as they ran."""
    drawn = []
    if baseline is not None and baseline.cases:
        passed, failed = len(baseline.passed), len(baseline.failed)
        drawn.append(Column("base", (passed, failed), f"base: {baseline.counts}"))
    for each in iterations:
        if each.passed is not None and each.failed is not None:
            said = f"iteration {each.number}: {each.counts}"
            drawn.append(Column(str(each.number), (each.passed, each.failed), said))
    return columns("Tests by iteration: those that pass, those that fail", ("good", "bad"), drawn)


def chart_of_spend(iterations: Sequence[IterationLine]) -> str:
    """What each iteration cost; its tokens, where the price is not known."""
    if any(each.cost_usd for each in iterations):
        drawn = [Column(str(each.number), (each.cost_usd or 0.0,), _spent(each)) for each in iterations]
        return columns("Cost by iteration", ("plain",), drawn, in_words=cost)
    by_tokens = [Column(str(each.number), (float(each.tokens),), _spent(each)) for each in iterations]
    return columns("Tokens by iteration", ("plain",), by_tokens)


def _spent(each: IterationLine) -> str:
    return f"iteration {each.number}: {cost(each.cost_usd)}, {tokens(each.tokens)} tokens"
