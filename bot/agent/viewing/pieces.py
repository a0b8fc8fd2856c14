"""Files as a model sees them within a budget: whole where they are small, else the definitions that matter. Pure.

A definition is never cut where there is room for it; a line stands for each of the others, with its number.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.agent.quoting import fenced
from bot.agent.viewing.mentions import is_test
from bot.agent.viewing.ranking import Ranked
from bot.agent.viewing.symbols import Definition
from sandbox.contract import clipped

LINE_CHARS = 400
OUTLINE_LINES = 60
OUTLINE_CHARS = 120
AROUND = 12
SHORTEST_PIECE = 300
WHOLE = 8
CHARS_PER_POINT = 80
"""A file whole comes after what is wanted of it, by so much, and by a point for each so many characters more."""
WHOLE_CHARS = 12_000


@dataclass(slots=True)
class _View:
    """What is shown of one file by now."""

    file: Ranked
    is_whole: bool = False
    is_outlined: bool = False
    ranges: set[tuple[int, int]] = field(default_factory=set)

    @property
    def text(self) -> str:
        lines = self.file.text.split("\n")
        if self.is_whole:
            return f"{self.file.path}:\n\n{_fenced(lines)}"
        if not self.ranges:
            return ""
        parts = [f"{self.file.path} (parts of its {len(lines) - (not lines[-1])} lines):"]
        joined = _joined(self.ranges, len(lines))
        for first, last in joined:
            parts.append(f"lines {first}-{last}:\n\n{_fenced(lines[first - 1 : last])}")
        if self.is_outlined:
            outline = _outline(self.file, lines, joined)
            parts += [f"the rest, by the line where it begins:\n\n{fenced(outline, 'text')}"] if outline else []
        return "\n\n".join(parts)


def shown(files: Sequence[Ranked], chars: int) -> str:
    """The files within so many characters: what matters most first, whichever file it is in."""
    views = [_View(file) for file in files]
    head, left = "", chars
    best = max(files, key=lambda file: max(file.wanted.values(), default=0), default=None)
    if best is not None and best.wanted and _cost(best) > chars >= 2 * SHORTEST_PIECE:
        head = _squeezed(best, chars * 2 // 3)
        views = [view for view in views if view.file is not best]
        left = chars - len(head) - 2
    for _, _, view, step in _steps(views):
        before, state = len(view.text), (view.is_whole, view.is_outlined, set(view.ranges))
        _take(view, step)
        cost = len(view.text) - before + (2 if not before else 0)
        if cost > left:
            view.is_whole, view.is_outlined, view.ranges = state
        else:
            left -= cost
    text = "\n\n".join([*([head] if head else []), *(view.text for view in views if view.text)])
    if text or not files or chars < SHORTEST_PIECE:
        return text
    return _squeezed(files[0], chars)


def _cost(file: Ranked) -> int:
    """What the definition that matters most takes, shown whole."""
    view = _View(file)
    best = max(file.wanted, key=lambda one: file.wanted[one])
    view.ranges.add((best.first, best.last))
    return len(view.text)


def _steps(views: Sequence[_View]) -> list[tuple[int, int, _View, Definition | str]]:
    """What could be shown, the most useful first."""
    steps: list[tuple[int, int, _View, Definition | str]] = []
    for at, view in enumerate(views):
        file = view.file
        steps += [(-score, at, view, one) for one, score in file.wanted.items()]
        if file.wanted and is_test(file.path):
            steps.append((1 - max(file.wanted.values()), at, view, "imports"))
        if file.lines and not any(one.holds(line) for one in file.wanted for line in file.lines):
            steps.append((-file.score, at, view, "lines"))
        if len(file.text) <= WHOLE_CHARS:
            steps.append((-(file.score - WHOLE - _rest_chars(file) // CHARS_PER_POINT), at, view, "whole"))
        if file.wanted:
            steps.append((-(file.score // 2), at, view, "outline"))
        else:
            steps.append((-(file.score // 2), at, view, "head"))
    return sorted(steps, key=lambda step: step[:2])


def _first_line(file: Ranked) -> int:
    """Where the first definition begins: what a file imports stands above it."""
    return min(one.first for one in file.symbols.definitions)


def _rest_chars(file: Ranked) -> int:
    """What the file holds beside the definitions that it is wanted for."""
    lines = file.text.split("\n")
    wanted = _joined({(one.first, one.last) for one in file.wanted}, len(lines))
    return len(file.text) - sum(len("\n".join(lines[first - 1 : last])) for first, last in wanted)


def _take(view: _View, step: Definition | str) -> None:
    match step:
        case Definition():
            view.ranges.add((step.first, step.last))
        case "whole":
            view.is_whole = True
        case "outline":
            view.is_outlined = True
        case "imports":
            view.ranges.add((1, min(_first_line(view.file) - 1, 2 * AROUND)))
        case "lines":
            view.ranges |= {(line - AROUND, line + AROUND) for line in view.file.lines[:3]}
        case _:
            view.ranges.add((1, 2 * AROUND))


def _squeezed(file: Ranked, chars: int) -> str:
    """The one thing that matters most, cut round where it matters: there is room for nothing else."""
    lines = [line[:LINE_CHARS] for line in file.text.split("\n")]
    best = max(file.wanted, key=lambda one: file.wanted[one], default=None)
    first, last = (best.first, best.last) if best else (1, len(lines))
    inside = [line for line in file.lines if first <= line <= last]
    around = lines[first - 1 : last]
    if inside:
        at = inside[0] - first
        while len("\n".join(around)) > chars - SHORTEST_PIECE // 2 and len(around) > 1:
            if at >= len(around) // 2:
                around, at, first = around[1:], at - 1, first + 1
            else:
                around = around[:-1]
    text = clipped("\n".join(around), max(chars - len(file.path) - 120, 0))
    return f"{file.path} (parts of its {len(lines)} lines):\n\nfrom line {first}:\n\n{fenced(text, 'text')}"


def _joined(ranges: set[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        first, last = max(begin, 1), min(end, count)
        if joined and first <= joined[-1][1] + 3:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        elif first <= last:
            joined.append((first, last))
    return joined


def _outline(file: Ranked, lines: Sequence[str], joined: Sequence[tuple[int, int]]) -> str:
    hidden = [
        one
        for one in file.symbols.definitions
        if one.line <= len(lines) and not any(first <= one.line <= last for first, last in joined)
    ]
    told = [f"{one.line}: {lines[one.line - 1][:OUTLINE_CHARS]}" for one in hidden[:OUTLINE_LINES]]
    return "\n".join(told + ([f"… and {len(hidden) - OUTLINE_LINES} more"] if len(hidden) > OUTLINE_LINES else []))


def _fenced(lines: Sequence[str]) -> str:
    cut = [
        line if len(line) <= LINE_CHARS else f"{line[:LINE_CHARS]} [… {len(line) - LINE_CHARS} more]" for line in lines
    ]
    return fenced("\n".join(cut), "text")
