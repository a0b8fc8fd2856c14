"""Python that is nested so deeply that no recursion gets to its ground: a sum of many terms, a long chain of `elif`."""

import ast

import pytest

from bot.proof import altered_tests
from bot.proof.behaviour import behave_alike
from bot.proof.doc_tests import lost_examples
from bot.proof.hunks import reverts_of
from bot.proof.interface import names_of
from bot.proof.languages import is_past_reading, parsed
from bot.proof.python_tests import defined_names
from bot.proof.reaching import reached
from bot.proof.second_looks import second_looks_of
from bot.proof.steering import steers_tests
from tests.proof.laboratory import changed

SUM = "total = " + " + ".join("n" for _ in range(1_100)) + "\n"
BRANCHES = "if n: pass\n" + "elif n: pass\n" * 300
SIGNS = "n = " + "-" * 100_000 + "1\n"
EXAMPLE = '"""\n>>> 1 + 1\n2\n"""\n'


@pytest.mark.parametrize("source", [SUM, BRANCHES, "def f():\n    " + SUM, SIGNS, "n = 1\n" * 400_000])
def test_what_is_too_deep_or_too_long_is_taken_as_what_can_not_be_parsed(source: str) -> None:
    assert parsed(source) is None
    assert is_past_reading(source)


@pytest.mark.parametrize("source", ["n = (", "n = 1\0", "[" * 300 + "]" * 300, "\xff".encode("latin-1")])
def test_what_is_not_valid_python_does_not_run_and_hides_nothing(source: str | bytes) -> None:
    assert parsed(source) is None
    assert not is_past_reading(source)


@pytest.mark.parametrize("source", ["n = 1", "total = " + "n + " * 100 + "n", "n.a()" + ".a()" * 60])
def test_what_people_write_is_parsed_and_written_down_again(source: str) -> None:
    tree = parsed(source)

    assert tree is not None
    assert ast.unparse(tree) == source
    assert ast.dump(tree)


@pytest.mark.parametrize("deep", [SUM, BRANCHES, SIGNS])
def test_no_question_of_the_proof_fails_for_such_a_file(deep: str) -> None:
    test = changed("tests/test_a.py", f"def test_a():\n    assert n\n{deep}", f"def test_a():\n    pass\n{deep}")
    source = changed("calc.py", f"n = 1\n{deep}", f"n = 2\n# two\n{deep}")

    assert altered_tests([test]) == (
        "tests/test_a.py: can't be compared: it is not valid Python on one side, or nested too deeply",
    )
    assert [revert.hunk.text for revert in reverts_of([source])] == ["-n = 1\n+n = 2\n+# two"]
    assert second_looks_of([source, test], ["tests/test_a.py::test_a"]) == ()
    assert names_of(source.after) == defined_names(test.before or b"") == frozenset()
    assert not steers_tests(source)
    assert list(lost_examples((EXAMPLE + deep).encode(), (EXAMPLE.replace("2", "3") + deep).encode(), is_python=True))


def test_it_is_compared_by_its_lines() -> None:
    assert behave_alike("calc.py", SUM.encode(), f"\n{SUM}\n".encode())
    assert not behave_alike("calc.py", SUM.encode(), f"# new\n{SUM}".encode())


def test_source_in_which_nobody_can_see_what_it_reaches_for_is_named() -> None:
    hidden = changed("calc.py", "n = 1\n", f"import sys\nsys.modules.clear()\n{SUM}")

    assert reached([hidden]) == ("calc.py: what is nested too deeply, or too long, to be looked through",)
