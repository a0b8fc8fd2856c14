"""How a bug gets into a source: each kind of change, what stays as it was, and what is refused."""

import re

import pytest
from pydantic import ValidationError

from bench.solve.edits import Mutation
from bench.solve.mutations import Misplaced, mutate
from bench.solve.places import Change, places
from bench.solve.spans import Text


def a_mutation(change: str, original: str, **rest: object) -> Mutation:
    return Mutation.model_validate({"file": "m.py", "change": change, "from": original} | rest)


def mutated(code: str, change: str, original: str, **rest: object) -> str:
    return mutate(code.encode(), [a_mutation(change, original, **rest)]).decode()


CHANGES: list[tuple[str, dict[str, object], str]] = [
    ("a = x < y <= z\n", {"change": "compare", "at": 2, "from": "<=", "to": "<"}, "a = x < y < z\n"),
    ("a = x not  in y\n", {"change": "compare", "from": "not in", "to": "in"}, "a = x in y\n"),
    ("a = (x) + (y)\n", {"change": "operator", "from": "+", "to": "-"}, "a = (x) - (y)\n"),
    ("a += 1\n", {"change": "operator", "from": "+=", "to": "-="}, "a -= 1\n"),
    ("a = x or y or z\n", {"change": "operator", "at": 2, "from": "or", "to": "and"}, "a = x or y and z\n"),
    ("a = x or (y) or z\n", {"change": "operand", "from": "or", "drop": 2}, "a = x or z\n"),
    ("if (x or y) and z: a\n", {"change": "operand", "from": "and", "drop": 1}, "if z: a\n"),
    ("a = (x and\n     y)\n", {"change": "operand", "from": "and", "drop": 2}, "a = (x)\n"),
    ("if x == y: a\n", {"change": "negate", "from": "Compare"}, "if not (x == y): a\n"),
    ("if not (x == y): a\n", {"change": "negate", "from": "UnaryOp"}, "if (x == y): a\n"),
    ("a = [x for x in y if x]\n", {"change": "negate", "from": "Name"}, "a = [x for x in y if not x]\n"),
    ("a = 1, 0x10\n", {"change": "constant", "at": 2, "from": "16", "to": "15"}, "a = 1, 15\n"),
    ("a = 'x'\n", {"change": "constant", "from": '"x"', "to": "'y'"}, "a = 'y'\n"),
    ("a = r'\\d+$'\n", {"change": "text", "from": "+$", "to": "*$"}, "a = r'\\d*$'\n"),
    ("a = f'{x:>3}'\n", {"change": "text", "from": ">", "to": "<"}, "a = f'{x:<3}'\n"),
    ("y = f(x)\nreturned = y\n", {"change": "name", "at": 3, "from": "y", "to": "x"}, "y = f(x)\nreturned = x\n"),
    ("a = x.first.last\n", {"change": "attribute", "at": 2, "from": "last", "to": "end"}, "a = x.first.end\n"),
    ("a = min(x, y.find(z))\n", {"change": "call", "from": "min", "to": "max"}, "a = max(x, y.find(z))\n"),
    ("a = min(x, y.find(z))\n", {"change": "call", "at": 2, "from": "find", "to": "get"}, "a = min(x, y.get(z))\n"),
    ("a = sorted(x, key=f)\n", {"change": "unwrap", "from": "sorted"}, "a = x\n"),
    ("a = x.strip().lower()\n", {"change": "unwrap", "at": 1, "from": "strip"}, "a = x.lower()\n"),
    ("a = 2 * abs(x - y)\n", {"change": "unwrap", "from": "abs"}, "a = 2 * (x - y)\n"),
    ("a = int(round(x / y))\n", {"change": "unwrap", "at": 2, "from": "round"}, "a = int(x / y)\n"),
    ("a = f(x, (y), z)\n", {"change": "swap", "from": "f", "arguments": [1, 2]}, "a = f((y), x, z)\n"),
    ("a = f(x, y, k=z)\n", {"change": "argument", "from": "f", "drop": "k"}, "a = f(x, y)\n"),
    ("a = f(x, y, k=z)\n", {"change": "argument", "from": "f", "drop": 1}, "a = f(y, k=z)\n"),
    ("a = f(x)\n", {"change": "argument", "from": "f", "drop": 1}, "a = f()\n"),
    ("a = x[:n]\n", {"change": "slice", "from": "n", "to": "n - 1"}, "a = x[:n - 1]\n"),
    ("a = x[1:]\n", {"change": "slice", "part": "lower", "from": "1", "to": ""}, "a = x[:]\n"),
    ("a = x[::-1]\n", {"change": "slice", "part": "step", "from": "-1", "to": "1"}, "a = x[::1]\n"),
    ("def f(x=1): a\n", {"change": "default", "function": "f", "part": "x", "from": "1", "to": "0"}, "def f(x=0): a\n"),
    ("try: a\nexcept (B, C.d): e\n", {"change": "except", "from": "B"}, "try: a\nexcept C.d: e\n"),
    ("try: a\nexcept (B, C, D): e\n", {"change": "except", "from": "C"}, "try: a\nexcept (B, D): e\n"),
    ("try: a\nexcept B: e\n", {"change": "except", "from": "B", "to": "C"}, "try: a\nexcept C: e\n"),
    ("a = 1\nb = 2  # two\nc = 3\n", {"change": "statement", "at": 2, "from": "Assign"}, "a = 1\nc = 3\n"),
    ("if x:\n    a = 1\n", {"change": "statement", "at": 2, "from": "Assign"}, "if x:\n    pass\n"),
    ("a = 1; b = 2\n", {"change": "statement", "at": 2, "from": "Assign"}, "a = 1; pass\n"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "mutation", "after"), CHANGES)
def test_one_place_is_changed(before: str, mutation: dict[str, object], after: str) -> None:
    assert mutate(before.encode(), [Mutation.model_validate({"file": "m.py"} | mutation)]).decode() == after


CASES = "if a:\n    1\nelif b:\n    2\nelif c:\n    3\nelse:\n    4\n"


@pytest.mark.parametrize(
    ("at", "left"),
    [
        (3, "if a:\n    1\nelif c:\n    3\nelse:\n    4\n"),
        (5, "if a:\n    1\nelif b:\n    2\nelse:\n    4\n"),
    ],
)
def test_one_case_of_several_is_dropped(at: int, left: str) -> None:
    assert mutated(CASES, "statement", "If", at=at) == left


def test_the_last_case_is_dropped() -> None:
    assert mutated("if a:\n    1\nelif b:\n    2\nc = 3\n", "statement", "If", at=3) == "if a:\n    1\nc = 3\n"


def test_every_kind_of_change_is_shown_above() -> None:
    assert {mutation["change"] for _, mutation, _ in CHANGES} == set(Change)


def test_places_are_counted_in_the_function_that_is_named() -> None:
    code = "x = 1\n\nclass A:\n    def f(self):\n        return 2\n\n    def g(self):\n        return 3, 4\n"

    assert mutated(code, "constant", "4", function="A.g", at=2, to="5") == code.replace("4", "5")


def test_docstrings_and_f_strings_are_not_counted() -> None:
    code = 'def f(x):\n    """Say "x"."""\n    y = f"{x + 1}"\n    return "y" + y\n'

    assert mutated(code, "constant", "'y'", function="f", to='"z"') == code.replace('"y"', '"z"')
    assert mutated(code, "operator", "+", function="f", to="*") == code.replace('" +', '" *')


def test_overloads_are_passed_over() -> None:
    code = "@t.overload\ndef f(x: int) -> int: ...\ndef f(x):\n    return 1\n"

    assert mutated(code, "constant", "1", function="f", to="2") == code.replace("1", "2")


def test_several_mutations_are_placed_in_the_source_as_it_was() -> None:
    mutations = [a_mutation("constant", "2", at=2, to="20"), a_mutation("constant", "1", to="10")]

    assert mutate(b"a = 1, 2\n", mutations) == b"a = 10, 20\n"


@pytest.mark.parametrize(
    "source",
    [
        b"a = 1 < 2\r\nb = '\xc3\xa9' < c  # \xe2\x82\xac\r\n",
        b"\xef\xbb\xbfa = 1 < 2\nb = '\xc3\xa9' < c",
        b"# coding: utf-8\na = 1 < 2\n\x0c\nb = '\xc3\xa9'   <   c ;d\t= 1  \n\n",
        b"a = 1 < 2\rb = (\xc3\xa9\r   <\r   c)\n",
    ],
)
def test_every_byte_outside_stays(source: bytes) -> None:
    at = source.rindex(b"<")

    assert mutate(source, [a_mutation("compare", "<", at=2, to=">=")]) == source[:at] + b">=" + source[at + 1 :]


@pytest.mark.parametrize(
    ("mutation", "complaint"),
    [
        (a_mutation("compare", "<=", to="<"), "m.py: the file: compare 1: '<=' was expected, '<' is there"),
        (a_mutation("compare", "<", at=3, to="<="), "there are 2"),
        (a_mutation("compare", "<"), "says no `to`"),
        (a_mutation("compare", "<", to="<"), "changes nothing"),
        (a_mutation("compare", "<", to="<>"), "no Python"),
        (a_mutation("constant", "1", function="g", to="2"), "0 definitions of g"),
        (a_mutation("constant", "1", function="twice", to="2"), "2 definitions of twice"),
        (a_mutation("constant", "1 +", to="2"), "'1 +' was expected"),
        (a_mutation("argument", "h", drop="k"), "no argument k"),
        (a_mutation("argument", "h"), "says no argument"),
        (a_mutation("swap", "h", arguments=[1, 5]), "index"),
        (a_mutation("swap", "h"), "says no `arguments`"),
        (a_mutation("operand", "or", drop=3), "none to drop at 3"),
        (a_mutation("except", "E"), "say `to`"),
        (a_mutation("text", "t", to="T"), "was expected"),
        (a_mutation("default", "1", part="x", to="2"), "there are 0"),
        (a_mutation("statement", "Assign", at=4), "'FunctionDef' is there"),
        (a_mutation("statement", "FunctionDef", at=4), "a definition is not dropped"),
    ],
)  # fmt: skip
def test_a_mutation_that_does_not_fit_says_what_is_there(mutation: Mutation, complaint: str) -> None:
    code = b"a = 1 < 2\nb = h(a, 'tt') or c\nd = a < b\ndef twice(x): a\ndef twice(x): a\ntry: a\nexcept E: b\n"

    with pytest.raises(Misplaced, match=re.escape(complaint)):
        mutate(code, [mutation])


def test_two_mutations_of_one_place_are_refused() -> None:
    mutations = [a_mutation("constant", "1", to="2"), a_mutation("constant", "1", to="3")]

    with pytest.raises(Misplaced, match="the same place"):
        mutate(b"a = 1\n", mutations)


@pytest.mark.parametrize("source", [b"a = \xe9 < 1\n", b"a <\n"])
def test_a_source_that_can_not_be_read_is_refused(source: bytes) -> None:
    with pytest.raises(Misplaced, match="no Python"):
        mutate(source, [a_mutation("compare", "<", to=">")])


def test_an_unknown_kind_of_change_is_refused() -> None:
    with pytest.raises(ValidationError, match="change"):
        a_mutation("rewrite", "x")


def test_places_can_be_listed() -> None:
    found = places(Text.of(b"a = f(x)[1:]\n"), Change.SLICE, part="lower")

    assert [place.token for place in found] == ["1"]
