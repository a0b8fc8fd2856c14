"""The figures: intervals known by hand, systems side by side, a table and a picture."""

import math
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bench.solve.figures import compared
from bench.solve.intervals import sign_test, wilson
from bench.solve.picture import Caption, picture
from bench.solve.records import Attempt, Kind, Used

SYSTEMS = ("plain", "selfcode")


def attempt(task: str, system: str, *steps: bool, tokens: int = 100, failed: bool = False) -> Attempt:
    return Attempt(
        task=task,
        kind=Kind.PROGRAM,
        system=system,
        steps=steps,
        used=Used(calls=2, prompt_tokens=tokens),
        cost_usd=0.5,
        seconds=3.0,
        ended="",
        failed=failed,
        at="2026-01-02T03:04:05+00:00",
    )


@pytest.mark.parametrize(
    ("solved", "count", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I
        (0, 0, 0.0, 1.0),
    ],
)
def test_a_share_has_wilsons_interval(solved: int, count: int, low: float, high: float) -> None:
    assert wilson(solved, count) == pytest.approx((low, high), abs=0.0001)


@pytest.mark.parametrize(("one", "other", "p"), [(0, 0, 1.0), (5, 0, 0.0625), (1, 9, 22 / 1024), (3, 3, 1.0)])
def test_an_uneven_split_is_weighed_by_mcnemars_exact_test(one: int, other: int, p: float) -> None:
    assert math.isclose(sign_test(one, other), p)


def test_solved_at_counts_the_state_after_so_many_iterations_or_the_last() -> None:
    made = attempt("a", "plain", False, True)

    assert [made.solved_at(number) for number in range(1, 6)] == [False, True, True, True, True]
    assert attempt("b", "plain", True, False).solved is False
    assert attempt("c", "plain").solved_at(3) is False


def test_tokens_and_cost_are_shared_among_the_solved_tasks() -> None:
    made = [attempt("a", "plain", True, tokens=300), attempt("b", "plain", False, tokens=700)]

    (figures,) = compared(made, SYSTEMS).figures()

    assert (figures.solved, figures.tokens_per_solved, figures.cost_per_solved) == ((1, 1, 1, 1, 1), 1000, 1.0)
    assert figures.calls == 4


def test_nothing_is_said_per_solved_task_where_none_is_solved() -> None:
    (figures,) = compared([attempt("a", "plain", False)], SYSTEMS).figures()

    assert (figures.tokens_per_solved, figures.cost_per_solved) == (None, None)


def test_only_tasks_that_every_system_was_measured_on_are_compared() -> None:
    made = [
        *(attempt(task, "plain", True) for task in "abc"),
        *(attempt(task, "selfcode", True) for task in "ab"),
        attempt("c", "selfcode", failed=True),
    ]

    found = compared(made, SYSTEMS)

    assert (found.tasks, found.left_out) == (["a", "b"], 1)


def test_two_systems_are_told_side_by_side() -> None:
    plain = [attempt(task, "plain", task in "ab") for task in "abcd"]
    ours = [attempt(task, "selfcode", task in "ac") for task in "abcd"]

    (pair,) = compared([*plain, *ours], SYSTEMS).pairs()

    assert (pair.both, pair.only_one, pair.only_other, pair.neither) == (1, 1, 1, 1)


def test_the_picture_is_svg_for_light_and_dark_that_names_what_it_shows(tmp_path: Path) -> None:
    made = [attempt("a", "plain", False, True), attempt("a", "selfcode", False, True)]

    drawn = picture(compared(made, SYSTEMS).figures(), Caption("Programs solved, n = 1", "model <m> · seed 4"))

    texts = [text.text for text in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert {"Programs solved, n = 1", "model <m> · seed 4", "plain 100 %", "selfcode 100 %"} <= set(texts)
    assert "prefers-color-scheme:dark" in drawn


def test_names_of_lines_that_end_in_one_place_do_not_lie_on_each_other() -> None:
    made = [attempt("a", "plain", True), attempt("a", "selfcode", True)]

    drawn = picture(compared(made, SYSTEMS).figures(), Caption("", ""))

    labels = [
        float(text.attrib["y"])
        for text in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
        if (text.text or "").endswith("100 %") and text.attrib.get("font-weight")
    ]
    assert abs(labels[0] - labels[1]) >= 13
