"""A test that says less than it did: each of its assertions holds whatever the code does. Pure."""

import ast
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import PurePosixPath

from bench.solve.spans import Span, Text
from bench.verify.scripts import GRAMMARS, loosened_script

_TEST = ast.FunctionDef | ast.AsyncFunctionDef
_RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex", "assertWarns", "assertWarnsRegex", "warns"})
_ANYTHING = "__import__('contextlib').suppress(Exception)"
Edit = tuple[Span, str]


def loosened(path: str, before: bytes | None, after: bytes) -> bytes | None:
    """The file of tests with every assertion loosened that the change added, or that stands in what it changed.

    None where there is none, or where the language is not known here.
    """
    if path.endswith(".py"):
        return _loosened_python(before or b"", after)
    if PurePosixPath(path).suffix in GRAMMARS:
        return loosened_script(path, after, _added_lines(before or b"", after))
    return None


def _added_lines(before: bytes, after: bytes) -> frozenset[int]:
    """Numbers of new lines, from 0 on."""
    old, new = before.splitlines(), after.splitlines()
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return frozenset(line for tag, _, _, start, end in opcodes if tag != "equal" for line in range(start, end))


def _loosened_python(before: bytes, after: bytes) -> bytes | None:
    known = {ast.dump(node) for node in ast.walk(ast.parse(before)) if isinstance(node, _TEST)}
    text = Text.of(after)
    tests = [node for node in ast.walk(text.tree) if isinstance(node, _TEST) and ast.dump(node) not in known]
    edits = {span: words for test in tests for span, words in _edits(text, test)}
    return edited(after, list(edits.items())) if edits else None


def _edits(text: Text, test: _TEST) -> Iterator[Edit]:
    for node in ast.walk(test):
        match node:
            case ast.Assert(test=claim):
                span = text.bracketed(claim)
                yield span, f"True or ({text.text(span)})"
            case ast.With(items=[ast.withitem(context_expr=ast.Call() as call)]) if _raises(call):
                yield text.span(call), _ANYTHING
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)) as call) if (
                name.startswith("assert")
            ):
                yield text.span(call), f"self.assertTrue(True or {_arguments(text, call)})"
            case _:
                pass


def _raises(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return name in _RAISES


def _arguments(text: Text, call: ast.Call) -> str:
    """What was asserted, still there to be read, as a list that is never made."""
    given = [text.text(text.span(each)) for each in call.args if not isinstance(each, ast.Starred)]
    return f"[{', '.join(f'({each})' for each in given)}]"


def edited(source: bytes, edits: Sequence[Edit]) -> bytes:
    """The source with some spans replaced. Of two, one in the other, the outer one counts."""
    end, kept = len(source), source
    for span, words in sorted(_outermost(edits), key=lambda edit: -edit[0].start):
        if span.end <= end:
            kept = kept[: span.start] + words.encode() + kept[span.end :]
            end = span.start
    return kept


def _outermost(edits: Sequence[Edit]) -> Iterator[Edit]:
    spans = [span for span, _ in edits]
    for span, words in edits:
        if not any(other != span and other.start <= span.start and span.end <= other.end for other in spans):
            yield span, words
