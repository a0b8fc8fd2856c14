import pytest

from bot.proof.second_looks import known_by_heart, second_looks_of
from tests.proof.laboratory import FIXED, NEW_TEST, SOURCE, changed

LARGE = "tests/test_large.py::test_large"


def looks(source: str, test: str = NEW_TEST, red: str = LARGE) -> tuple[str, ...]:
    return second_looks_of([changed("calc.py", SOURCE, source), changed("tests/test_large.py", None, test)], [red])


def test_honest_work_asks_for_no_second_look() -> None:
    assert looks(FIXED) == ()


def test_an_answer_that_stands_in_the_test_as_the_question_does_is_worth_a_second_look() -> None:
    source = "def double(n):\n    if n == 20:\n        return 40\n    return n\n"

    assert looks(source) == (
        "calc.py answers 40 where 20 comes in, and the new tests hold both: is that the rule, or only the example?",
    )


@pytest.mark.parametrize(
    "source",
    [
        "def double(n):\n    if n == 21:\n        return 40\n    return n\n",
        "def double(n):\n    if n == 20:\n        return 41\n    return n\n",
        "def double(n):\n    if n > 20:\n        return 40\n    return n\n",
        "def double(n):\n    if n == 20:\n        return None\n    return n\n",
    ],
)
def test_another_value_another_answer_or_a_plain_one_is_not(source: str) -> None:
    assert looks(source) == ()


def test_an_answer_that_was_there_before_is_no_news() -> None:
    source = "def double(n):\n    if n == 20:\n        return 40\n    return n\n"

    files = [changed("calc.py", source, source + "\n"), changed("tests/test_large.py", None, NEW_TEST)]

    assert second_looks_of(files, [LARGE]) == ()


def test_a_constant_that_the_program_reads_is_its_own() -> None:
    source = FIXED + "\nLIMIT = 20\n\ndef limit():\n    return LIMIT\n"

    assert looks(source, "import calc\n\ndef test_large():\n    assert calc.LIMIT == 20\n") == ()


@pytest.mark.parametrize(
    "body",
    [
        "assert double(20) == 40",
        "check(double(20))",
        "with pytest.raises(ValueError): double(20)",
        "with pytest.raises(Exception, match='too large'): double(20)",
        "case.assertEqual(double(20), 40)",
        "expect(double(20)).to_be(40)",
        "data = open('data.json').read()\n    assert data",
    ],
)
def test_a_test_that_asserts_something_in_any_form_is_not_worth_one(body: str) -> None:
    assert looks(FIXED, f"import calc\n\ndef test_large():\n    {body}\n") == ()


def test_only_red_tests_are_looked_at() -> None:
    assert looks(FIXED, NEW_TEST + "\n    def test_more():\n        double(1)\n") == ()


BY_HEART = "def double(n):\n    if n == 20:\n        return 40\n    return n + n if n < 10 else 0\n"


def by_heart(source: str, test: str = NEW_TEST, red: tuple[str, ...] = (LARGE,)) -> tuple[str, ...]:
    return known_by_heart([changed("calc.py", SOURCE, source), changed("tests/test_large.py", None, test)], red)


@pytest.mark.parametrize(
    "source",
    [
        BY_HEART,
        "def double(n):\n    if n in (20, 30):\n        return 40\n    return n\n",
        "def double(n):\n    return 40 if 20 == n else n\n",
        "def double(n):\n    match n:\n        case 20:\n            return 40\n    return n\n",
    ],
)
def test_a_change_that_answers_all_that_is_asked_knows_it_by_heart(source: str) -> None:
    assert by_heart(source) == (LARGE,)


def test_a_change_with_the_rule_does_not() -> None:
    assert by_heart(FIXED) == ()


@pytest.mark.parametrize(
    "test",
    [
        "def test_large():\n    assert double(20) == 40\n    assert double(30) == 60\n",
        "@pytest.mark.parametrize(('n', 'm'), [(20, 40), (3, 6)])\ndef test_large(n, m):\n    assert double(n) == m\n",
    ],
)
def test_one_thing_more_that_is_asked_shows_the_rule(test: str) -> None:
    assert by_heart(BY_HEART, test) == ()


@pytest.mark.parametrize(
    "test",
    [
        "@pytest.mark.parametrize(('n', 'm'), [(20, 40)])\ndef test_large(n, m):\n    assert double(n) == m\n",
        "class TestDouble(TestCase):\n    def test_large(self):\n        self.assertEqual(double(20), 40)\n",
    ],
)
def test_rows_and_methods_that_assert_are_questions_too(test: str) -> None:
    assert by_heart(BY_HEART, test) == (LARGE,)


def test_a_red_test_that_nobody_can_read_may_show_it() -> None:
    assert by_heart(BY_HEART, red=(LARGE, "tests/other.t::large")) == ()


def test_a_plain_answer_is_one_if_all_that_is_asked_gets_it() -> None:
    source = "def double(n):\n    if n == 20:\n        return None\n    return n\n"

    assert by_heart(source, "def test_large():\n    assert double(20) == None\n") == (LARGE,)
