"""The examples that a task gives itself, which are no secret: calls with their results. Pure."""

import ast
import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_EXAMPLES = 8

_LINE = re.compile(
    r"(?<![\w.])(?P<call>[A-Za-z_]\w*\(.*?\))\s*"
    r"(?:==|=>|➞|→|⇒|->|=|\bis\b|(?:should|must|will)\s+(?:return|be|give)|\breturns?\b|\bgives?\b)\s*:?\s*"
    r"(?P<result>.+)$"
)
_REST = re.compile(r"(?:\s+#|\s+\(|[.;,]\s).*$")
_END = re.compile(r"(?m)^[ \t]*(?:\"{3}|'{3}|`{3}|~{3}).*$")
"""The line at which a docstring or a fence begins or ends: what stands before it is whole."""
_BLANK = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Example:
    """A call, and the literal that it results in, both as Python text."""

    call: str
    result: str

    def as_test(self, name: str) -> str:
        """A test function that says what the call should give and what it gives."""
        said = f"{self.call} should be {self.result}, and is "
        return f"def {name}():\n    got = {self.call}\n    assert got == {self.result}, {said!r} + repr(got)"


def examples_of(task: str) -> tuple[Example, ...]:
    """The examples in a task's text: doctests, and lines such as `f(1, 2) == 3`, `f("a") => True`, `f(0) returns None`.

    Only calls of a plain name with literals or such calls as arguments, and with a literal result.
    """
    found = dict.fromkeys((*_doctests(task), *_lines(task)))
    return tuple(found)[:MOST_EXAMPLES]


def _doctests(task: str) -> Iterator[Example]:
    for part in _BLANK.split(_END.sub("", task)):
        try:
            parsed = doctest.DocTestParser().get_examples(part)
        except ValueError:  # a line is not indented as the others are
            continue
        for example in parsed:
            wants = (example.want.strip(), example.want.split("\n", maxsplit=1)[0].strip())
            if made := next((made for want in wants if (made := _example(example.source.strip(), want))), None):
                yield made


def _lines(task: str) -> Iterator[Example]:
    for line in task.splitlines():
        found = None if line.lstrip().startswith((">>>", "def ")) else _LINE.search(line.strip().replace("`", ""))
        if found is not None:
            results = (found["result"].rstrip(" .;,"), _REST.sub("", found["result"]).rstrip(" .;,"))
            made = next((made for result in results if (made := _example(found["call"], result))), None)
            if made:
                yield made


def _example(call: str, result: str) -> Example | None:
    """The example, where call and result are what they look like."""
    try:
        called = ast.parse(call, mode="eval").body
        ast.literal_eval(result)
        made = Example(ast.unparse(called), ast.unparse(ast.parse(result, mode="eval")))
        return made if _is_plain_call(called) else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _is_plain_call(node: ast.expr) -> bool:
    """Whether it calls a name, with literals and such calls as arguments. Raises `ValueError` for others."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    for given in (*node.args, *(keyword.value for keyword in node.keywords)):
        if not _is_plain_call(given):
            ast.literal_eval(given)
    return True
