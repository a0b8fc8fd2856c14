"""A run as a story in time: which phases it went through, when, and in which steps."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.records import Happening, HappeningKind
from bot.writing.progress import Phase, phase_of_step


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a run. Moments are seconds since the epoch; `ended_at` is None while it goes on, or was cut off."""

    name: str
    began_at: float
    ended_at: float | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """A phase, and the steps of it. It goes on while its last step does."""

    phase: Phase
    steps: tuple[Step, ...]

    @property
    def began_at(self) -> float:
        return self.steps[0].began_at

    @property
    def ended_at(self) -> float | None:
        return self.steps[-1].ended_at


def steps_in(happenings: Sequence[Happening]) -> tuple[Step, ...]:
    """The steps, as they began. One that was cut off and told again stands once, from when it began first."""
    steps: dict[str, Step] = {}
    for each in happenings:
        match each.kind:
            case HappeningKind.BEGAN:
                known = steps.get(each.text)
                steps[each.text] = Step(each.text, known.began_at if known else each.at)
            case HappeningKind.DONE if each.text in steps:
                steps[each.text] = Step(each.text, steps[each.text].began_at, each.at)
            case _:
                pass
    return tuple(steps.values())


def stages_in(happenings: Sequence[Happening]) -> tuple[Stage, ...]:
    """The phases that a run of work went through, as they began: proof and baseline may come more than once."""
    stages: list[Stage] = []
    for step in steps_in(happenings):
        phase = phase_of_step(step.name)
        if stages and stages[-1].phase is phase:
            stages[-1] = Stage(phase, (*stages[-1].steps, step))
        else:
            stages.append(Stage(phase, (step,)))
    return tuple(stages)
