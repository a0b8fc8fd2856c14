"""Output of programs with the colours that they gave it: as pieces of plain text, each with the names of its styles."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.writing.safe import spelled

_SELECT = re.compile(r"\x1b\[([0-9;:]{0,60})m")
_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_ON = {1: "bold", 2: "faint", 3: "italic", 4: "underlined", 9: "struck"}
_OFF = {22: ("bold", "faint"), 23: ("italic",), 24: ("underlined",), 29: ("struck",)}


@dataclass(frozen=True, slots=True)
class Piece:
    """Plain text in one style: a colour's name among them, `on-` before that of a background."""

    text: str
    styles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Style:
    colour: str = ""
    ground: str = ""
    marks: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in (self.colour, self.ground, *sorted(self.marks)) if name)


def coloured(output: str) -> tuple[Piece, ...]:
    """The output's pieces, harmless as by `spelled`: all other terminal sequences are gone, what nobody sees is shown.

    Where a secret is masked, it is plain: a colour may stand inside of it.
    """
    whole = spelled(output)
    if "\x1b[" not in output:
        return (Piece(whole),) if whole else ()
    pieces = [Piece(text, names) for text, names in _merged(output) if text]
    return tuple(pieces) if "".join(piece.text for piece in pieces) == whole else (Piece(whole),)


def _merged(output: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Neighbours of one style together, each spelled."""
    gathered, names = "", tuple[str, ...]()
    for text, style in _runs(output):
        if style.names != names and gathered:
            yield spelled(gathered), names
            gathered = ""
        gathered, names = gathered + text, style.names
    if gathered:
        yield spelled(gathered), names


def _runs(output: str) -> Iterator[tuple[str, _Style]]:
    style, after = _Style(), 0
    for found in _SELECT.finditer(output):
        if found.start() > after:
            yield output[after : found.start()], style
        style, after = _selected(style, found[1]), found.end()
    if after < len(output):
        yield output[after:], style


def _selected(style: _Style, text: str) -> _Style:
    """The style after a selection; of colours by number or by parts, only the first sixteen have a name."""
    codes = iter(int(each[:4] or 0) for each in text.replace(":", ";").split(";"))
    for code in codes:
        if code == 0:
            style = _Style()
        elif code in (38, 48):
            name = _by_number(codes)
            style = replace(style, colour=name) if code == 38 else replace(style, ground=f"on-{name}" if name else "")
        elif code in _ON:
            style = replace(style, marks=style.marks | {_ON[code]})
        elif code in _OFF:
            style = replace(style, marks=style.marks - set(_OFF[code]))
        else:
            style = _with_colour(style, code)
    return style


def _by_number(codes: Iterator[int]) -> str:
    """The name of a colour that is given by its number, or by three parts, which are passed over."""
    if next(codes, 0) != 5:
        for _ in range(3):
            next(codes, 0)
        return ""
    number = next(codes, 0)
    return _NAMES[number % 8] if number < 16 else ""


def _with_colour(style: _Style, code: int) -> _Style:
    tens, number = divmod(code, 10)
    name = _NAMES[number] if number < 8 else ""
    if tens in (3, 9):
        return replace(style, colour=name)
    return replace(style, ground=f"on-{name}" if name else "") if tens in (4, 10) else style
