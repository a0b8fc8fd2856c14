"""Output of programs with the colours that they gave it: as pieces of plain text, each with the names of its styles."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rich.ansi import AnsiDecoder
from rich.color import Color
from rich.style import Style

from bot.writing.safe import spelled

_SELECT = re.compile(r"\x1b\[[0-9;:]{0,60}m")
_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


@dataclass(frozen=True, slots=True)
class Piece:
    """Plain text in one style: a colour's name among them, `on-` before that of a background."""

    text: str
    styles: tuple[str, ...] = ()


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
    for text, styles in _runs(output):
        if styles != names and gathered:
            yield spelled(gathered), names
            gathered = ""
        gathered, names = gathered + text, styles
    if gathered:
        yield spelled(gathered), names


def _runs(output: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    decoder, after = AnsiDecoder(), 0
    for found in _SELECT.finditer(output):
        if found.start() > after:
            yield output[after : found.start()], _names(decoder.style)
        decoder.decode_line(found[0].replace(":", ";"))
        after = found.end()
    if after < len(output):
        yield output[after:], _names(decoder.style)


def _names(style: Style) -> tuple[str, ...]:
    colour, ground = _colour(style.color), _colour(style.bgcolor)
    marks = {
        "bold": style.bold,
        "faint": style.dim,
        "italic": style.italic,
        "struck": style.strike,
        "underlined": style.underline,
    }
    named = (colour, ground and f"on-{ground}", *(name for name, has in marks.items() if has))
    return tuple(name for name in named if name)


def _colour(colour: Color | None) -> str:
    """The colour's name; of those by number or by parts, only the first sixteen have one."""
    number = colour.number if colour else None
    return _NAMES[number % 8] if number is not None and number < 16 else ""
