"""The figures: one system, and systems side by side."""

from bench.solve.figures import compared
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
