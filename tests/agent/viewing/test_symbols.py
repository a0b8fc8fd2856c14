"""What a file defines, calls and imports, in each language, whatever is in the file."""

import pytest

from bot.agent.viewing.reading import symbols_in
from bot.agent.viewing.symbols import NO_SYMBOLS, Symbols

PYTHON = """\
import os
from .prices import price_of

RATE = 2


@cached
def total(cart):
    return sum(price_of(one) for one in cart)


class Cart(Base):
    @property
    def total(self):
        return self.rounded(total(self))
"""

LANGUAGES = {
    "a.py": (PYTHON, ["RATE", "total", "Cart", "Cart.total"], "price_of", "from .prices import price_of"),
    "a.js": (
        (
            'const b = require("./b");\nclass A {\n  m() { return f(); }\n}\n'
            "const g = () => h();\nexports.x = function () {};\n"
        ),
        ["b", "A", "A.m", "g", "x"],
        "h",
        'require("./b")',
    ),
    "a.ts": (
        (
            'import { b } from "./b";\nexport interface I {}\nexport abstract class A {\n  m(): void { f(); }\n}\n'
            "type T = string;\n"
        ),
        ["I", "A", "A.m", "T"],
        "f",
        'import { b } from "./b";',
    ),
    "a.tsx": ("export const G = () => <p onClick={() => h()}/>;\n", ["G"], "h", None),
    "a.go": (
        'package a\nimport "fmt"\ntype Cart struct{}\nfunc (c *Cart) Total() int { return sum(1) }\nconst Z = 1\n',
        ["Cart", "Cart.Total", "Z"],
        "sum",
        '"fmt"',
    ),
    "a.rs": (
        "use crate::b::c;\nstruct Cart;\nimpl Cart {\n    fn total(&self) -> i32 { b::sum(1) }\n}\nfn main() {}\n",
        ["Cart", "Cart", "Cart.total", "main"],
        "sum",
        "use crate::b::c;",
    ),
    "A.java": (
        "import b.C;\nclass Cart {\n  Cart() { }\n  int total() { return new Sum().of(1); }\n}\n",
        ["Cart", "Cart.Cart", "Cart.total"],
        "Sum",
        "import b.C;",
    ),
    "a.rb": (
        'require_relative "b"\nmodule Shop\n  class Cart\n    def total\n      sum(1)\n    end\n  end\nend\n',
        ["Shop", "Shop.Cart", "Shop.Cart.total"],
        "sum",
        'require_relative "b"',
    ),
    "a.c": (
        '#include "b.h"\n#define X(a) a\nstatic int *total(int a) { return sum(a); }\nstruct S { int a; };\n',
        ["X", "total", "S"],
        "sum",
        '#include "b.h"\n',
    ),
    "a.cpp": (
        (
            '#include "b.h"\nnamespace shop {\nclass Cart { int q() { return 1; } };\n}\n'
            "std::string& Cart::name() { return std::max(1); }\n"
        ),
        ["shop", "shop.Cart", "shop.Cart.q", "Cart.name"],
        "max",
        '#include "b.h"\n',
    ),
    "a.cs": (
        "using A.B;\nclass Cart {\n  int Total() { return Sum(1); }\n}\n",
        ["Cart", "Cart.Total"],
        "Sum",
        "using A.B;",
    ),
    "a.php": (
        "<?php\nuse A\\B;\nclass Cart {\n  function total() { return $this->sum(1); }\n}\n",
        ["Cart", "Cart.total"],
        "sum",
        "use A\\B;",
    ),
}


def of(path: str, text: str) -> Symbols:
    return symbols_in({path: text})[path]


@pytest.mark.parametrize("path", LANGUAGES)
def test_each_language_gives_definitions_with_their_owners_calls_and_imports(path: str) -> None:
    text, defined, called, imported = LANGUAGES[path]

    found = of(path, text)

    assert [one.qualified for one in found.definitions] == defined
    assert called in {call.name for call in found.calls}
    assert imported is None or imported in found.imports


def test_a_definition_reaches_from_its_decorator_to_its_last_line() -> None:
    total = next(one for one in of("a.py", PYTHON).definitions if one.name == "total")

    assert (total.first, total.line, total.last) == (7, 8, 9)


def test_callers_and_callees_are_told_by_lines() -> None:
    found = of("a.py", PYTHON)
    function = next(one for one in found.definitions if one.qualified == "total")

    assert "price_of" in found.called_in(function)
    assert [one.qualified for one in found.callers_of(["total"])] == ["Cart.total"]


def test_a_file_that_does_not_parse_gives_what_can_be_read_of_it() -> None:
    found = of("a.py", PYTHON + "\ndef broken(:\n    return (\n")

    assert {"total", "Cart"} <= {one.name for one in found.definitions}


def test_a_language_that_is_not_known_has_no_symbols() -> None:
    assert of("a.xyz", "def a(): pass\n") == NO_SYMBOLS


@pytest.mark.parametrize(
    "hostile",
    [
        "(" * 300_000,
        "[{(\n" * 60_000,
        "\0" * 300_000,
        'f"{\n' * 60_000,
        "x = '" + "a" * 5_000_000 + "'",
        "".join(" " * depth + "if x:\n" for depth in range(600)),
        "\ufffd\x85\u2028\f" * 1_000,
    ],
    ids=["parentheses", "brackets", "nul", "f-strings", "a line of 5 MB", "indentation", "odd white space"],
)
def test_a_hostile_file_costs_no_other_file_its_symbols(hostile: str) -> None:
    found = symbols_in({"a.py": hostile, "b.js": hostile, "z.py": PYTHON})

    assert len(found["z.py"].definitions) == 4
