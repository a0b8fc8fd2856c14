from bot.records import Happening, HappeningKind
from bot.writing.progress import Phase
from bot.writing.story import Step, stages_in, steps_in

BEGAN, DONE, TOLD = HappeningKind.BEGAN, HappeningKind.DONE, HappeningKind.TOLD


def happened(*what: tuple[HappeningKind, str]) -> list[Happening]:
    """One each second."""
    return [Happening(seq, float(seq), kind, text) for seq, (kind, text) in enumerate(what, 1)]


def test_steps_have_the_time_that_they_took() -> None:
    steps = steps_in(happened((BEGAN, "fetch"), (TOLD, "…"), (DONE, "fetch"), (BEGAN, "baseline")))

    assert steps == (Step("fetch", 1.0, 3.0), Step("baseline", 4.0))


def test_a_step_that_was_cut_off_and_told_again_is_one() -> None:
    steps = steps_in(happened((BEGAN, "fetch"), (DONE, "fetch"), (BEGAN, "fetch"), (DONE, "fetch"), (DONE, "other")))

    assert steps == (Step("fetch", 1.0, 4.0),)


def test_phases_come_in_the_order_of_their_steps_and_may_come_again() -> None:
    names = ("admit", "fetch", "environment", "baseline", "iteration 1", "iteration 2", "proof", "push 1", "baseline 2")

    stages = stages_in(happened(*((BEGAN, name) for name in names)))

    assert [(stage.phase, len(stage.steps)) for stage in stages] == [
        (Phase.PREPARING, 3),
        (Phase.BASELINE, 1),
        (Phase.WORKING, 2),
        (Phase.PROVING, 1),
        (Phase.PUBLISHING, 1),
        (Phase.BASELINE, 1),
    ]
    assert (stages[0].began_at, stages[0].ended_at) == (1.0, None)
