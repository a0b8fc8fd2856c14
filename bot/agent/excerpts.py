"""A block that holds some of a file's functions and classes, whole: each takes the place of the one of its name.

Small models write a function better than a file or a diff. What a block leaves out is kept, never dropped.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bot.agent.elision import elided
from bot.agent.texts import Unplaced, normalised
from bot.agent.viewing.mentions import is_test
from bot.agent.viewing.reading import symbols_in
from bot.agent.viewing.symbols import Definition, Symbols, language_of
from bot.records import Readable

NAMED = 5
MOST = 0.7
"""The part of a file's lines from which on an answer is the file and no excerpt."""

_COMMENT = re.compile(r"\s*(?:#(?!include)|//|/?\*|--|$)")


@dataclass(frozen=True, slots=True)
class Spliced:
    """A file's new text, and the names of what was put into it."""

    text: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines to put in: over a definition of the file, or, where there is none of the name, before the next one."""

    lines: tuple[str, ...]
    name: str
    over: Definition | None


@dataclass(frozen=True, slots=True)
class _Text:
    """Source with what it defines and imports."""

    lines: tuple[str, ...]
    symbols: Symbols

    @property
    def names(self) -> frozenset[str]:
        return frozenset(one.qualified for one in self.symbols.definitions)


def spliced(path: str, old: str, new: str) -> Spliced | Unplaced | None:
    """The file with the answer's definitions in place of its own; None where the answer is not an excerpt of it."""
    if language_of(path) is None:
        return None
    file, answer = _read(path, old, normalised(new).strip("\n"))
    outer = _outermost(answer.symbols.definitions)
    outside = _outside(answer.lines, outer)
    if not _leaves_out(file, answer) or not _are_known(outside, file.lines, answer.symbols.imports):
        return None
    pieces: list[_Piece] = []
    for one in outer:
        found = _pieces(path, one, file, answer)
        if isinstance(found, Unplaced):
            return found
        pieces += found
    return _put_in(path, file, pieces, [one for one in answer.symbols.imports if one in "\n".join(outside)])


def file_of(content: str, suffix: str, bench: Readable) -> str | None:
    """The one file of source that has all the functions and classes of a block which names no file."""
    (answer,) = _read(f"a{suffix}", content)
    names = [one.name for one in _outermost(answer.symbols.definitions)]
    found: set[str] | None = None
    for name in names:
        lines = bench.search(rf"(def|class|func|function|fn|struct)[[:space:]]+{re.escape(name)}([^A-Za-z0-9_]|$)")
        paths = {line.split(":", 1)[0].removeprefix("./") for line in lines}
        found = paths if found is None else found & paths
    sources = [path for path in found or () if not is_test(path) and path.endswith(suffix)]
    return sources[0] if len(sources) == 1 else None


def _leaves_out(file: _Text, answer: _Text) -> bool:
    """Whether an answer is short of definitions, or has not half of what stands in the file beside definitions."""
    if not file.names <= answer.names and len(answer.lines) < MOST * len(file.lines):
        return True
    beside = _outside(file.lines, _outermost(file.symbols.definitions))
    code = [line.strip() for line in beside if not _COMMENT.match(line)]
    there = {line.strip() for line in answer.lines}
    return sum(line not in there for line in code) * 2 > len(code)


def _put_in(path: str, file: _Text, pieces: Sequence[_Piece], imports: Sequence[str]) -> Spliced | Unplaced | None:
    places = [piece.over for piece in pieces if piece.over]
    if _overlap(places) or not (places or (pieces and is_test(path))):
        return None
    for piece in pieces:
        before = "\n".join(file.lines[piece.over.first - 1 : piece.over.last]) if piece.over else ""
        left_out = elided(before, "\n".join(piece.lines), path=path)
        if left_out is not None:
            return left_out
    text = _with_imports("\n".join(_placed(file.lines, pieces)), file.symbols, imports)
    return None if text is None else Spliced(text, tuple(piece.name for piece in pieces))


def _read(path: str, *texts: str) -> list[_Text]:
    symbols = symbols_in({f"{at}/{path}": text for at, text in enumerate(texts)})
    return [_Text(tuple(text.split("\n")), found) for text, found in zip(texts, symbols.values(), strict=True)]


def _outermost(definitions: Sequence[Definition]) -> list[Definition]:
    return [one for one in definitions if not any(_is_inside(one, other) for other in definitions)]


def _is_inside(one: Definition, other: Definition) -> bool:
    return other.first <= one.first and one.last <= other.last and one.lines < other.lines


def _outside(lines: Sequence[str], definitions: Sequence[Definition]) -> list[str]:
    return [line for at, line in enumerate(lines, 1) if not any(one.holds(at) for one in definitions)]


def _are_known(outside: Sequence[str], lines: Sequence[str], imports: Sequence[str] = ()) -> bool:
    """Whether the lines say nothing new but what is imported."""
    there = {line.strip() for line in (*lines, *"\n".join(imports).split("\n"))}
    return all(_COMMENT.match(line) or line.strip() in there for line in outside)


def _pieces(path: str, one: Definition, file: _Text, answer: _Text) -> list[_Piece] | Unplaced:
    """A definition of the answer; of a class that leaves out methods, those that it has."""
    over = _counterpart(one, file.symbols)
    own = {part.name: part for part in file.symbols.definitions if over and part.owner == over.qualified}
    parts = [part for part in answer.symbols.definitions if part.owner == one.qualified]
    left_out = own.keys() - {part.name for part in parts}
    if over is None or not parts or not left_out:
        return [_piece(one, answer, over)]
    around = _outside(answer.lines[one.first - 1 : one.last], [_moved(part, 1 - one.first) for part in parts])
    if not _are_known(around, file.lines):
        return Unplaced(
            f"{path}: {one.name} as it is answered leaves out {', '.join(sorted(left_out)[:NAMED])}, and is changed "
            "beside its methods. Nothing was written. Write it whole, or only the methods to change"
        )
    return [_piece(part, answer, own.get(part.name)) for part in parts]


def _piece(one: Definition, answer: _Text, over: Definition | None) -> _Piece:
    """Decorators that the answer leaves out stay."""
    if over is not None and one.first == one.line:
        over = replace(over, first=over.line)
    return _Piece(answer.lines[one.first - 1 : one.last], over.qualified if over else one.qualified, over)


def _counterpart(one: Definition, mine: Symbols) -> Definition | None:
    """The file's definition of that name: the one that belongs to nothing, else the only one."""
    same = [mate for mate in mine.definitions if mate.name == one.name]
    top = [mate for mate in same if mate.qualified == one.qualified]
    chosen = top or same
    return chosen[0] if len(chosen) == 1 else None


def _moved(one: Definition, by: int) -> Definition:
    return replace(one, first=one.first + by, line=one.line + by, last=one.last + by)


def _overlap(places: Sequence[Definition]) -> bool:
    ordered = sorted(places, key=lambda one: one.first)
    return any(one.last >= other.first for one, other in pairwise(ordered))


def _placed(lines: Sequence[str], pieces: Sequence[_Piece]) -> list[str]:
    """The lines with the pieces put in. One that is new stands before the next, or behind the last, or at the end."""
    found, waiting = list(lines), list[_Piece]()
    put: list[tuple[Definition, list[str]]] = []
    for piece in pieces:
        if piece.over is None:
            waiting.append(piece)
            continue
        indent = _indent(lines[piece.over.first - 1])
        new = [line for before in waiting for line in (*_indented(before.lines, indent), *_gap(indent))]
        put.append((piece.over, [*new, *_indented(piece.lines, indent)]))
        waiting = []
    if not put:
        end = [line for piece in waiting for line in (*_gap(""), *piece.lines)]
        return [*"\n".join(lines).rstrip("\n").split("\n"), *end, ""]
    for piece in waiting:
        last, text = put[-1]
        indent = _indent(lines[last.first - 1])
        text += [*_gap(indent), *_indented(piece.lines, indent)]
    for over, text in sorted(put, key=lambda one: -one[0].first):
        found[over.first - 1 : over.last] = text
    return found


def _gap(indent: str) -> list[str]:
    return [""] if indent else ["", ""]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _indented(lines: Sequence[str], indent: str) -> list[str]:
    had = _indent(lines[0])
    return [indent + line.removeprefix(had) if line.strip() else line for line in lines]


def _with_imports(text: str, mine: Symbols, imports: Sequence[str]) -> str | None:
    """The text with what it imports anew behind its other imports; None where these can't be found."""
    known = {" ".join(one.split()) for one in mine.imports}
    new = [one.strip() for one in imports if " ".join(one.split()) not in known]
    if not new:
        return text
    ends = [
        found.end() for one in mine.imports if (found := re.search(f"^{re.escape(one.strip())}", text, re.MULTILINE))
    ]
    if not ends:
        return None
    at = max(ends)
    return "\n".join([text[:at], *new]) + text[at:]
