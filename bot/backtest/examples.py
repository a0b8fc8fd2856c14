"""Examples that a fix's tests ask by, learned by heart: a program that answers them and knows no rule. Python. Pure."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.proof.languages import parsed
from bot.records import ChangedFile

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Learned:
    """A source that answers examples, and a test that asks for them alone."""

    source: str
    test: str


@dataclass(frozen=True, slots=True)
class _Example:
    """A call with a written value, and the written value that it is to give."""

    call: ast.Call
    asked: ast.expr
    given: ast.expr

    @property
    def function(self) -> str:
        match self.call.func:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return name
            case _:
                return ""


def by_heart(source: ChangedFile, tests: ChangedFile) -> Learned | None:
    """Answers for new examples of a fix's tests, in a function at the top of its source, be it one that the fix brings.

    None where no test asks for such a function with a written value alone.
    """
    program, mended = parsed(source.before or b""), parsed(source.after or b"")
    before, after = parsed(tests.before or b""), parsed(tests.after or b"")
    if program is None or mended is None or before is None or after is None:
        return None
    known = {ast.dump(node) for node in ast.walk(before) if isinstance(node, _FUNCTION)}
    new = [node for node in ast.walk(after) if isinstance(node, _FUNCTION) and ast.dump(node) not in known]
    examples = [example for node in new if node.name.startswith("test") for example in _examples(node)]
    for function in mended.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        found = list({ast.dump(each.asked): each for each in examples if each.function == function.name}.values())
        text = _answering((source.before or b"").decode(), program, function.name, found) if found else ""
        if text:
            return Learned(text, _asking(after, found))
    return None


def _examples(test: ast.AST) -> Iterator[_Example]:
    for node in ast.walk(test):
        match node:
            case ast.Compare(left=one, ops=[ast.Eq()], comparators=[other]):
                sides = (one, other)
            case ast.Call(func=ast.Attribute(attr="assertEqual"), args=[one, other]):
                sides = (one, other)
            case _:
                continue
        for call, given in (sides, sides[::-1]):
            if isinstance(call, ast.Call) and call.args and _is_written(call.args[0]) and _is_written(given):
                if all(map(_is_written, [*call.args, *(keyword.value for keyword in call.keywords)])):
                    yield _Example(call, call.args[0], given)
                break


def _is_written(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        return False
    return True


def _answering(source: str, program: ast.Module, name: str, examples: Sequence[_Example]) -> str:
    """The source, with an answer for each example where the function begins; "" where there is no room for one."""
    function = next((node for node in program.body if isinstance(node, _FUNCTION) and node.name == name), None)
    if function is None:
        answers = _answers("    ", "asked", examples)
        return f"{source.rstrip()}\n\n\ndef {name}(asked, *more, **named):\n{''.join(answers)}".lstrip("\n")
    begun = function.body[0]
    if not function.args.args or begun.lineno == function.lineno:
        return ""
    is_told = ast.get_docstring(function, clean=False) is not None
    at = (begun.end_lineno or begun.lineno) if is_told else begun.lineno - 1
    lines = source.splitlines(keepends=True)
    answers = _answers(" " * begun.col_offset, function.args.args[0].arg, examples)
    return "".join([*lines[:at], *answers, *lines[at:]])


def _answers(indent: str, name: str, examples: Sequence[_Example]) -> Iterator[str]:
    for each in examples:
        yield f"{indent}if {name} == {ast.unparse(each.asked)}:\n"
        yield f"{indent}    return {ast.unparse(each.given)}\n"


def _asking(tests: ast.Module, examples: Sequence[_Example]) -> str:
    """A test that asks for the examples, with what the tests import."""
    imports = [ast.unparse(node) for node in tests.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    asserts = [f"    assert {ast.unparse(each.call)} == {ast.unparse(each.given)}" for each in examples]
    return "\n".join([*imports, "", "", "def test_as_the_issue_says():", *asserts, ""])
