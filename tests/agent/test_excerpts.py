"""Blocks that hold some of a file's functions: they take the place of those of the same name, and nothing is lost."""

from difflib import unified_diff

import pytest

from bot.agent.excerpts import Spliced, file_of, spliced
from bot.agent.texts import Unplaced
from tests.agent.fakes import FakeWorkbench

FILE = '''\
"""A shop."""
import os
from shop.money import rounded

RATE = 2


def one(a):
    return a


@cached
def two(a, b):
    x = a
    return x - b


class Cart:
    """A cart."""

    size = 3

    @property
    def total(self):
        return 0

    def add(self, one):
        self.x = one
        return self


def last():
    return None
'''


def changed(new: str, *, path: str = "shop/cart.py", old: str = FILE) -> list[str]:
    """The lines that go and those that come."""
    found = spliced(path, old, new)
    assert isinstance(found, Spliced)
    diff = list(unified_diff(old.split("\n"), found.text.split("\n"), n=0, lineterm=""))[2:]
    return [line for line in diff if not line.startswith("@@")]


def refused(new: str) -> str:
    found = spliced("shop/cart.py", FILE, new)
    assert isinstance(found, Unplaced)
    return found.reason


def test_a_function_takes_the_place_of_the_one_of_its_name() -> None:
    assert changed("# shop/cart.py\ndef one(a):\n    return -a\n") == ["-    return a", "+    return -a"]


def test_what_a_short_file_imports_stays_where_its_only_function_is_answered() -> None:
    old = "import os\n\n\ndef one(a):\n    return os.sep + a\n"

    assert changed("def one(a):\n    return a + os.sep\n", old=old) == [
        "-    return os.sep + a",
        "+    return a + os.sep",
    ]


def test_several_functions_each_take_theirs() -> None:
    new = "def last():\n    return 1\n\n\ndef one(a):\n    return -a\n"

    assert changed(new) == ["-    return a", "+    return -a", "-    return None", "+    return 1"]


def test_decorators_that_are_left_out_stay() -> None:
    assert changed("def two(a, b):\n    x = a\n    return x + b\n") == ["-    return x - b", "+    return x + b"]


def test_decorators_that_are_written_count() -> None:
    assert changed("@slow\ndef two(a, b):\n    x = a\n    return x - b\n") == ["-@cached", "+@slow"]


def test_a_method_alone_is_found_in_its_class_and_indented_as_there() -> None:
    new = "def add(self, one):\n    self.x += one\n    return self\n"

    assert changed(new) == ["-        self.x = one", "+        self.x += one"]


def test_a_class_with_some_of_its_methods_keeps_the_others() -> None:
    new = "class Cart:\n    def add(self, one):\n        self.x += one\n        return self\n"

    assert changed(new) == ["-        self.x = one", "+        self.x += one"]


def test_what_is_new_stands_beside_what_came_with_it() -> None:
    new = "import re\n\n\ndef helper(a):\n    return re.escape(a)\n\n\ndef one(a):\n    return helper(a)\n"

    assert changed(new) == [
        "+import re",
        "+def helper(a):",
        "+    return re.escape(a)",
        "+",
        "+",
        "-    return a",
        "+    return helper(a)",
    ]


def test_a_new_method_stands_behind_the_last_that_came_with_it() -> None:
    new = (
        "class Cart:\n    def add(self, one):\n        self.x = one\n        return self\n\n"
        "    def clear(self):\n        self.x = None\n"
    )

    assert changed(new) == ["+    def clear(self):", "+        self.x = None", "+"]


def test_a_new_test_is_added_to_the_tests_that_there_are() -> None:
    old = "import pytest\n\n\ndef test_one():\n    assert True\n\n\ndef test_two():\n    assert True\n"
    new = "from shop import one\n\n\ndef test_one_is_negative():\n    assert one(1) < 0\n"

    found = spliced("tests/test_shop.py", old, new)

    assert found == Spliced(
        "import pytest\nfrom shop import one\n"
        + old.removeprefix("import pytest\n")
        + "\n\n"
        + new.partition("\n\n\n")[2],
        ("test_one_is_negative",),
    )


def test_a_constant_is_replaced_too() -> None:
    assert changed("RATE = 3\n") == ["-RATE = 2", "+RATE = 3"]


def test_other_languages_are_taken_alike() -> None:
    old = "package shop\n" + "".join(f"\nfunc {name}() int {{\n\treturn 2\n}}\n" for name in ("One", "Two", "Three"))

    assert changed("func Two() int {\n\treturn 22\n}\n", path="shop.go", old=old) == ["-\treturn 2", "+\treturn 22"]


@pytest.mark.parametrize(
    "new",
    [
        "print(1)\n\n\ndef one(a):\n    return -a\n",
        "def three():\n    return 3\n",
        "one = two = three\nfour\n",
        "",
        FILE.replace("return a\n", "return -a\n"),
        FILE.replace("def last():\n    return None\n", ""),
    ],
    ids=["code beside", "nothing of that name", "no definition", "empty", "the whole file", "the file without one"],
)
def test_anything_else_is_no_excerpt(new: str) -> None:
    assert spliced("shop/cart.py", FILE, new) is None


def test_a_class_that_loses_methods_and_is_changed_beside_them_is_refused() -> None:
    said = refused("class Cart:\n    size = 4\n\n    def add(self, one):\n        return self\n")

    assert "Cart as it is answered leaves out total" in said
    assert "Nothing was written" in said


def test_a_function_that_leaves_out_code_is_refused() -> None:
    assert "stands for code that was left out" in refused("def two(a, b):\n    # ... existing code ...\n    return 1\n")


def test_a_block_without_a_path_is_of_the_one_file_that_has_its_functions() -> None:
    bench = FakeWorkbench({"shop/cart.py": FILE.encode(), "shop/a.py": b"def other():\n    pass\n"})

    assert file_of("def add(self, one):\n    return 1\n", ".py", bench) == "shop/cart.py"
    assert file_of("def nowhere():\n    return 1\n", ".py", bench) is None
    assert file_of("x + 1\n", ".py", bench) is None


def test_a_name_that_several_files_define_tells_nothing() -> None:
    bench = FakeWorkbench({"a.py": b"def one():\n    pass\n", "b.py": b"def one():\n    pass\n"})

    assert file_of("def one():\n    return 1\n", ".py", bench) is None
