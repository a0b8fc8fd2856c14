from bot.records import Progress, ReportState
from bot.writing.chart import POINTS_AT_MOST, chart
from bot.writing.document import LIMIT
from bot.writing.progress import Phase, ProgressView, progress_comment
from tests.writing.builders import a_progress, a_report, an_iteration
from tests.writing.rendering import code_blocks

ONE = ("tests/a.py::b",)
TWO = (*ONE, "tests/a.py::c")


def drawn(progress: Progress, *, passed: int = 12) -> list[str]:
    return [line.strip() for line in chart(progress, a_report(passed=passed)).splitlines()]


def going(*reports: tuple[int, tuple[str, ...]]) -> Progress:
    made = (
        an_iteration(n, report=a_report(passed=passed, failing=failing))
        for n, (passed, failing) in enumerate(reports, 1)
    )
    return a_progress(*made)


def test_tests_are_drawn_from_the_base_on_with_those_that_fail_above_those_that_pass() -> None:
    lines = drawn(going((12, TWO), (13, ONE)))

    assert 'x-axis ["base", "1", "2"]' in lines
    assert "bar [12, 14, 14]" in lines
    assert "bar [12, 12, 13]" in lines
    assert "y-axis 0 --> 20" in lines


def test_a_few_that_fail_beside_thousands_that_pass_are_drawn_alone() -> None:
    lines = drawn(going((2340, TWO), (2341, ONE)), passed=2340)

    assert "line [0, 2, 1]" in lines
    assert "y-axis 0 --> 10" in lines
    assert not any(line.startswith("bar") for line in lines)


def test_one_iteration_and_tests_that_never_fail_are_not_drawn() -> None:
    assert chart(going((12, ONE)), a_report()) == ""
    assert chart(going((12, ()), (13, ())), a_report()) == ""
    assert chart(Progress(), None) == ""


def test_tests_that_could_not_run_have_no_bar() -> None:
    broken = an_iteration(2, report=a_report(state=ReportState.CRASHED, cases=()))
    progress = a_progress(an_iteration(1, report=a_report(failing=ONE)), broken, an_iteration(3, report=None))

    assert 'x-axis ["base", "1"]' in drawn(progress)


def test_of_many_iterations_the_newest_are_drawn() -> None:
    lines = drawn(going(*[(12, ONE)] * 100))

    axis = next(line for line in lines if line.startswith("x-axis"))
    assert axis.count('"') == 2 * POINTS_AT_MOST
    assert '"100"]' in axis


def test_no_word_of_a_stranger_is_in_a_chart() -> None:
    hostile = 'x"] --> y\n```\n@ada <script>'
    made = [an_iteration(n, summary=hostile, report=a_report(failing=(hostile,))) for n in (1, 2)]

    (block,) = code_blocks(chart(a_progress(*made), a_report(command=hostile)))

    assert "ada" not in block
    assert "script" not in block


def shown_of(count: int) -> str:
    made = (an_iteration(n, summary="😀" * 150, report=a_report(failing=ONE)) for n in range(1, count + 1))
    return progress_comment(ProgressView("r-1", Phase.WORKING, progress=a_progress(*made), baseline=a_report()))


def test_the_chart_gives_way_before_anything_else() -> None:
    shown = [shown_of(count) for count in range(150, 300, 2)]

    assert all(len(each) <= LIMIT for each in shown)
    assert {("mermaid" in each, "| tokens |" in each) for each in shown} == {
        (True, True),
        (False, True),
        (False, False),
    }
