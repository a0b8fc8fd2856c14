"""One real-looking bug, put into a source file that is not ours: said as what changes where, with nothing of it kept.

A mutation names a function, a kind of change and the n-th place of that kind in the function. What stands there must be
what the mutation says, else it is `Misplaced`. Every byte outside stays.
"""

import ast
from collections.abc import Sequence
from itertools import pairwise

from bench.solve.edits import Edit, Mutation, edits
from bench.solve.places import Change, Place, Unknown, places
from bench.solve.spans import Text


class Misplaced(Exception):
    """A mutation that does not fit the source; the text says where, and what is there."""


def mutate(source: bytes, mutations: Sequence[Mutation]) -> bytes:
    """The source with all mutations made, each placed in the source as it was. Raises `Misplaced`."""
    try:
        text = Text.of(source)
    except SyntaxError as wrong:
        raise Misplaced(f"{mutations[0].file}: no Python in UTF-8: {wrong}") from wrong
    ordered = sorted(
        (edit for mutation in mutations for edit in _edits_for(text, mutation)), key=lambda edit: edit.span
    )
    if any(first.span.end > second.span.start for first, second in pairwise(ordered)):
        raise Misplaced(f"{mutations[0].file}: two mutations change the same place")
    changed = source
    for edit in reversed(ordered):
        changed = changed[: edit.span.start] + edit.content + changed[edit.span.end :]
    return _checked(source, changed, mutations)


def _checked(source: bytes, changed: bytes, mutations: Sequence[Mutation]) -> bytes:
    """What came out, where it differs and is Python. Raises `Misplaced`."""
    where = "; ".join(map(str, mutations))
    try:
        ast.parse(changed)
    except SyntaxError as wrong:
        raise Misplaced(f"{where}: what comes out is no Python: {wrong}") from wrong
    if changed == source:
        raise Misplaced(f"{where}: changes nothing")
    return changed


def _edits_for(text: Text, mutation: Mutation) -> tuple[Edit, ...]:
    """What a mutation comes to in this source. Raises `Misplaced`."""
    try:
        found = places(text, mutation.change, mutation.function, mutation.part)
    except Unknown as unknown:
        raise Misplaced(f"{mutation}: {unknown}") from unknown
    if mutation.at > len(found):
        raise Misplaced(f"{mutation}: there are {len(found)}")
    place = found[mutation.at - 1]
    if not _fits(mutation, place):
        raise Misplaced(f"{mutation}: {mutation.original!r} was expected, {place.token!r} is there")
    try:
        return edits(text, place, mutation)
    except (ValueError, TypeError, IndexError) as wrong:
        raise Misplaced(f"{mutation}: {wrong}") from wrong


def _fits(mutation: Mutation, place: Place) -> bool:
    """Whether what is there is what the mutation expects."""
    match mutation.change:
        case Change.TEXT:
            return place.token.count(mutation.original) == 1
        case Change.EXCEPT:
            return mutation.original in place.token.split()
        case Change.CONSTANT | Change.DEFAULT | Change.SLICE if mutation.original:
            return _plain(mutation.original) == place.token
        case _:
            return mutation.original == place.token


def _plain(code: str) -> str:
    """An expression without regard to how it is written; what is none, as it is."""
    try:
        return ast.unparse(ast.parse(code, mode="eval"))
    except SyntaxError:
        return code
