import pytest

from bot.proof.failures import place_of, places_in
from bot.proof.results import line_of
from tests.proof.laboratory import report_on

PYTEST = "tests/test_a.py:4: in test_a\n    double('x')\ncalc.py:2: in double\n    return n + 1\nE   TypeError: no"
UNITTEST = """\
(n=1)
Traceback (most recent call last):
  File "tests/test_a.py", line 4, in test_a
    double("x")
  File "calc.py", line 2, in double
    return n + 1
TypeError: no
"""


@pytest.mark.parametrize("message", [PYTEST, UNITTEST])
def test_where_an_error_was_raised_is_known_in_pytests_form_and_in_pythons_own(message: str) -> None:
    assert list(places_in(message)) == [("tests/test_a.py", 4), ("calc.py", 2)]
    assert place_of(message) == "calc.py"
    assert line_of(message, "tests/test_a.py", None) == 4


def test_a_message_without_a_traceback_names_no_place() -> None:
    assert place_of('AssertionError: File "x" is not there: see line 3') is None


def test_an_error_of_the_program_under_unittest_is_placed_in_the_program() -> None:
    source = "def double(n):\n    return twise(n)\n"
    test = """
        import unittest
        from calc import double

        class TestDouble(unittest.TestCase):
            def test_large(self):
                self.assertEqual(double(20), 40)
    """

    report = report_on({"calc.py": source, "test_large.py": test}, "python -m unittest")

    (failed,) = report.cases
    assert place_of(failed.message) == "calc.py"
    assert (failed.file, failed.line) == ("test_large.py", 6)
