import re

from bot.records import Aim, IterationLine
from bot.writing.drawing import Column, chart_of_spend, chart_of_tests, columns
from tests.writing.builders import a_report


def an_iteration_line(number: int, *, passed: int | None = 12, cost_usd: float | None = 0.25) -> IterationLine:
    return IterationLine(
        number=number,
        summary="",
        aim=Aim.CHANGE,
        counts="",
        passed=passed,
        failed=None if passed is None else 1,
        prompt_tokens=1000,
        completion_tokens=100,
        cached_tokens=0,
        is_estimated=False,
        cost_usd=cost_usd,
        duration_s=1.0,
        why_next="",
        calls=1,
        others=0,
        paths=1,
        added_lines=1,
        removed_lines=1,
    )


def bars(chart: str, name: str) -> list[float]:
    """The heights of one kind of part."""
    return [float(found) for found in re.findall(rf'<rect class="{name}"[^>]* height="([0-9.]+)"', chart)]


def test_columns_are_as_high_as_their_numbers() -> None:
    chart = columns("Some", ("good", "bad"), [Column("1", (1, 1), "one"), Column("2", (4, 0), "four")], in_words=str)

    first, second = bars(chart, "good")
    assert second == 4 * first
    assert bars(chart, "bad") == [first]


def test_nothing_is_drawn_of_nothing() -> None:
    assert columns("Some", ("good",), [], in_words=str) == ""
    assert columns("Some", ("good",), [Column("1", (0,), "none")], in_words=str) == ""


def test_words_in_a_chart_are_text() -> None:
    chart = columns('<a "b">', ("good",), [Column("<i>", (1,), "<b>")], in_words=lambda _: "<u>")

    assert not re.search(r"<[abiu][ >]", chart)


def test_tests_are_drawn_of_the_base_and_of_iterations_whose_tests_ran() -> None:
    chart = chart_of_tests([an_iteration_line(1), an_iteration_line(2, passed=None)], a_report(passed=3))

    assert len(bars(chart, "good")) == 2
    assert len(bars(chart, "bad")) == 1


def test_spend_is_money_and_tokens_where_the_price_is_not_known() -> None:
    known = chart_of_spend([an_iteration_line(1), an_iteration_line(2)])
    unknown = chart_of_spend([an_iteration_line(1, cost_usd=None)])

    assert "Cost by iteration" in known
    assert "USD 0.25" in known
    assert "Tokens by iteration" in unknown


def test_many_columns_stay_in_the_width_of_a_page() -> None:
    chart = chart_of_spend([an_iteration_line(number) for number in range(1, 51)])

    [width] = re.findall(r'role="img"[^>]* width="(\d+)"', chart)
    assert int(width) < 700
