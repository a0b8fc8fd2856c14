"""What each kind of change does to the place where it is made, as new bytes for a span."""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from bench.solve.places import Change, Place
from bench.solve.spans import Span, Text


class Mutation(BaseModel):
    """What changes where; README.md of the tasks says what each kind of change takes."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_name=True)

    file: str
    change: Change
    original: Annotated[str, Field(alias="from")]
    """What is there now."""
    function: str = ""
    """A function, method or class by its qualified name; empty for the whole file."""
    at: Annotated[int, Field(ge=1)] = 1
    to: str | None = None
    part: str = ""
    """The parameter of a default; `lower`, `upper` or `step` of a slice."""
    drop: int | str | None = None
    """The operand or argument that goes: its number, counted from 1, or its keyword."""
    arguments: tuple[int, int] | None = None
    """The arguments that change places."""

    def __str__(self) -> str:
        return f"{self.file}: {self.function or 'the file'}: {self.change} {self.at}"


@dataclass(frozen=True, slots=True)
class Edit:
    """New bytes for a span."""

    span: Span
    content: bytes


def edits(text: Text, place: Place, mutation: Mutation) -> tuple[Edit, ...]:
    """What a mutation comes to at a place. Raises `ValueError` where it lacks something, or the place does."""
    return tuple(_EDITORS.get(mutation.change, _replacing)(text, place, mutation))


def _wanted(mutation: Mutation) -> str:
    """What is to stand there. Raises `ValueError` where the mutation does not say."""
    if mutation.to is None:
        raise ValueError("says no `to`")
    return mutation.to


def _replacing(_: Text, place: Place, mutation: Mutation) -> Iterator[Edit]:
    yield Edit(place.span, _wanted(mutation).encode())


def _rewriting_text(_: Text, place: Place, mutation: Mutation) -> Iterator[Edit]:
    yield Edit(place.span, place.token.replace(mutation.original, _wanted(mutation)).encode())


def _negating(text: Text, place: Place, _: Mutation) -> Iterator[Edit]:
    match place.node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield Edit(place.span, text.text(text.bracketed(operand)).encode())
        case ast.Name() | ast.Call() | ast.Attribute():
            yield Edit(place.span, f"not {text.text(place.span)}".encode())
        case _:
            yield Edit(place.span, f"not ({text.text(place.span)})".encode())


def _dropping_operand(text: Text, place: Place, mutation: Mutation) -> Iterator[Edit]:
    match place.node, mutation.drop:
        case ast.BoolOp(values=values), int(number):
            yield _dropped([text.bracketed(value) for value in values], number)
        case _:
            raise ValueError("says no operand to `drop`")


def _dropped(parts: Sequence[Span], number: int) -> Edit:
    """One of several parts taken out, with what joins it to the next, or the last to the one before."""
    if not 1 <= number <= len(parts) or len(parts) < 2:
        raise ValueError(f"{len(parts)} parts, none to drop at {number}")
    part = parts[number - 1]
    last = number == len(parts)
    return Edit(Span(parts[number - 2].end, part.end) if last else Span(part.start, parts[number].start), b"")


def _call_of(place: Place) -> ast.Call:
    if not isinstance(place.node, ast.Call):
        raise TypeError("no call")
    return place.node


def _unwrapping(text: Text, place: Place, _: Mutation) -> Iterator[Edit]:
    call = _call_of(place)
    match call:
        case ast.Call(args=[first, *_]) if isinstance(call.func, ast.Name) or len(call.args) == 1:
            kept = first
        case ast.Call(func=ast.Attribute(value=kept), args=[]):
            pass
        case _:
            raise ValueError("neither an argument nor an object that could stand alone")
    alone = text.text(text.bracketed(kept))
    yield Edit(text.span(call), (f"({alone})" if _binds_less(text, call, kept) else alone).encode())


def _binds_less(text: Text, call: ast.Call, kept: ast.expr) -> bool:
    """Whether what is kept would be torn apart by what stands around the call."""
    loose = isinstance(kept, ast.BinOp | ast.BoolOp | ast.UnaryOp | ast.Compare | ast.IfExp | ast.Lambda)
    around = next(node for node in ast.walk(text.tree) if call in ast.iter_child_nodes(node))
    tight = isinstance(around, ast.BinOp | ast.BoolOp | ast.UnaryOp | ast.Compare | ast.Attribute | ast.Subscript)
    return loose and tight and text.bracketed(kept) == text.span(kept)


def _swapping(text: Text, place: Place, mutation: Mutation) -> Iterator[Edit]:
    call = _call_of(place)
    if mutation.arguments is None:
        raise ValueError("says no `arguments`")
    one, other = (text.bracketed(call.args[number - 1]) for number in mutation.arguments)
    yield Edit(one, text.text(other).encode())
    yield Edit(other, text.text(one).encode())


def _dropping_argument(text: Text, place: Place, mutation: Mutation) -> Iterator[Edit]:
    call = _call_of(place)
    spans = sorted([*map(text.bracketed, call.args), *map(text.span, call.keywords)])
    match mutation.drop:
        case int(number):
            gone = text.bracketed(call.args[number - 1])
        case str(name):
            gone = next((text.span(keyword) for keyword in call.keywords if keyword.arg == name), Span(-1, -1))
        case None:
            raise ValueError("says no argument to `drop`")
    if gone not in spans:
        raise ValueError(f"no argument {mutation.drop}")
    yield Edit(gone, b"") if len(spans) == 1 else _dropped(spans, spans.index(gone) + 1)


def _moving_bound(text: Text, place: Place, mutation: Mutation) -> Iterator[Edit]:
    bounds = {
        part: "" if (node := getattr(place.node, part)) is None else text.text(text.bracketed(node))
        for part in ("lower", "upper", "step")
    }
    bounds[mutation.part or "upper"] = _wanted(mutation)
    step = bounds.pop("step")
    yield Edit(place.span, (":".join(bounds.values()) + (f":{step}" if step else "")).encode())


def _dropping_type(text: Text, place: Place, mutation: Mutation) -> Iterator[Edit]:
    caught = place.node.elts if isinstance(place.node, ast.Tuple) else [place.node]
    types = [node for node in caught if isinstance(node, ast.expr)]
    number = place.token.split().index(mutation.original)
    kept = [text.text(text.span(node)) for node in types]
    if mutation.to is None:
        del kept[number]
    else:
        kept[number] = mutation.to
    if not kept:
        raise ValueError("the only type caught: say `to`")
    yield Edit(place.span, (kept[0] if len(kept) == 1 else f"({', '.join(kept)})").encode())


def _dropping_statement(text: Text, place: Place, _: Mutation) -> Iterator[Edit]:
    lines = text.whole_lines(place.span)
    match place.node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            raise ValueError("a definition is not dropped")
        case ast.If(orelse=otherwise) if text.text(place.span).startswith("elif"):
            yield Edit(_case_of(text, place.span, otherwise), b"")
        case _ if len(place.block) == 1 or lines is None:
            yield Edit(place.span, b"pass")
        case _:
            yield Edit(lines, b"")


def _case_of(text: Text, span: Span, otherwise: Sequence[ast.stmt]) -> Span:
    """The lines of one `elif`, up to the case that follows it."""
    start = max(begin for begin in text.lines if begin <= span.start)
    indent = span.start - start
    following = [
        begin
        for begin in text.lines
        if span.start < begin < span.end and text.source[begin + indent :].startswith((b"elif", b"else"))
    ]
    inner = text.span(otherwise[0]).start if otherwise else span.end
    cases = [begin for begin in following if begin <= inner and not text.source[begin : begin + indent].strip()]
    lines = text.whole_lines(span)
    if lines is None:
        raise ValueError("other code on its lines")
    return Span(start, cases[-1] if otherwise and cases else lines.end)


_Editor = Callable[[Text, Place, Mutation], Iterator[Edit]]

_EDITORS: dict[Change, _Editor] = {
    Change.TEXT: _rewriting_text,
    Change.NEGATE: _negating,
    Change.OPERAND: _dropping_operand,
    Change.UNWRAP: _unwrapping,
    Change.SWAP: _swapping,
    Change.ARGUMENT: _dropping_argument,
    Change.SLICE: _moving_bound,
    Change.EXCEPT: _dropping_type,
    Change.STATEMENT: _dropping_statement,
}
