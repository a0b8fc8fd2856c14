"""What pictures share that are legible on light and on dark ground: colours, words, the file around them."""

import html
from collections.abc import Iterable
from dataclasses import dataclass

COLOURS = (
    ("#1d4ed8", "#60a5fa"),
    ("#b45309", "#f59e0b"),
    ("#047857", "#34d399"),
    ("#7e22ce", "#c084fc"),
    ("#be123c", "#fb7185"),
    ("#0e7490", "#22d3ee"),
    ("#4d7c0f", "#a3e635"),
    ("#6b7280", "#9ca3af"),
)
"""For each thing that is shown one for light ground and one for dark."""

NARROW = 600
"""A picture that is wider can't be read when it is made as narrow as a telephone."""


@dataclass(frozen=True, slots=True)
class Caption:
    """What a picture says of itself."""

    title: str
    subtitle: str = ""


def svg(caption: Caption, width: int, height: int, things: int, parts: Iterable[str]) -> str:
    """A picture of so many things, to be read alone or within a page: it has its style with it."""
    kind = "wide picture" if width > NARROW else "picture"
    family = 'font-family="system-ui, sans-serif" font-size="13"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" viewBox="0 0 {width} {height}" role="img" {family}>',
        f"<title>{html.escape(caption.title)}</title>",
        f"<style>{_style(things)}</style>",
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def headings(caption: Caption, x: float) -> tuple[str, ...]:
    """Title and subtitle at the top."""
    title = words(caption.title, x, 26, 'class="ink" font-size="17" font-weight="600"')
    return (title, words(caption.subtitle, x, 46, 'class="soft" font-size="12"')) if caption.subtitle else (title,)


def words(text: str, x: float, y: float, attributes: str) -> str:
    """A line of text, whatever stands in it."""
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{html.escape(text)}</text>'


def _style(things: int) -> str:
    light = [".ink{fill:#111827}.soft{fill:#4b5563}.grid{stroke:#d1d5db}.ground{fill:#e5e7eb}.ends{stroke:#111827}"]
    dark = [".ink{fill:#f3f4f6}.soft{fill:#c7cbd1}.grid{stroke:#4b5563}.ground{fill:#30363d}.ends{stroke:#f3f4f6}"]
    for number in range(min(things, len(COLOURS))):
        for theme, colour in zip((light, dark), COLOURS[number], strict=True):
            theme.append(f".s{number}{{stroke:{colour}}}.f{number}{{fill:{colour}}}")
    return "".join(light) + "@media (prefers-color-scheme:dark){" + "".join(dark) + "}"


def place(number: int) -> int:
    """Which of the colours the thing of this number has: `s…` for its lines, `f…` for what is filled."""
    return number % len(COLOURS)
