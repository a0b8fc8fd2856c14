"""How the next iteration differs from the last: as before while there is progress, in kind where there is none. Pure.

There is no progress where a change repeats one that was tried before, or what the run began with, or where neither of
the last two reports is better than the best before them. Each time the next step of the ladder is taken; a better
report leads to its foot.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from bot.agent.sameness import Essence, essence
from bot.agent.standing import NOWHERE, Standing, standing, words
from bot.agent.starting import is_idle
from bot.records import Aim, Change, Iteration, Progress, TestReport

WITHOUT_PROGRESS = 2
"""So many reports in a row that are no better than the best before them are no progress."""


class Step(IntEnum):
    """What the next iteration does differently; each step does what the ones before it do, too.

    DIAGNOSE: says in words first what is wrong, with the failed change out of the files and out of the model's mouth.
    ELSEWHERE: reads another file, and the critic's word. AFRESH: begins where the run began, as a rule from the base
    again. END: nothing is left.
    """

    ON = 0
    DIAGNOSE = 1
    ELSEWHERE = 2
    AFRESH = 3
    END = 4


TEMPERATURES = {Step.ON: 0.2, Step.DIAGNOSE: 0.6, Step.ELSEWHERE: 0.8, Step.AFRESH: 0.9, Step.END: 0.9}
WARMEST = 1.0

_TRIED = {
    Step.DIAGNOSE: "a diagnosis first",
    Step.ELSEWHERE: "another file in view",
    Step.AFRESH: "a fresh start",
}


@dataclass(frozen=True, slots=True)
class Approach:
    """How the next iteration goes about it, and `why`. `failed` is the change that is shown as “tried, failed because”.

    `earlier` is the iteration that the last one repeated, if it did. `line` are the iterations whose words may still be
    told as they were: those since the last new beginning. A change with which the tests pass, and which only lacks
    something, is never taken back: then only the temperature rises.
    """

    step: Step
    temperature: float
    line: tuple[Iteration, ...] = ()
    why: str = ""
    failed: Iteration | None = None
    earlier: Iteration | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """A change that was made before in this run: `where`, in words, and what came of it."""

    where: str
    report: TestReport | None
    why: str = ""


def approach(progress: Progress, baseline: TestReport | None) -> Approach:
    """How to go on after these iterations."""
    changes = [each for each in progress.iterations if each.aim is Aim.CHANGE]
    origin = progress.start
    step, best, number, since, start = Step.ON, NOWHERE, 0, 0, 0
    for at, each in enumerate(changes):
        found = standing_of(each, changes[:at], baseline, origin)
        if found > best:
            step, best, number, since = Step.ON, found, each.number, 0
            continue
        since += 1
        is_old = is_idle(each.change, origin) or repeated(changes[:at], each, origin) is not None
        if is_old or since >= WITHOUT_PROGRESS:
            step = Step(min(step + 1, Step.END))
            start = at + 1
    if not changes:
        return Approach(Step.ON, TEMPERATURES[Step.ON])
    *before, last = changes
    earlier = repeated(before, last, origin)
    if step is not Step.END and standing_of(last, before, baseline, origin).is_good:
        return Approach(Step.ON, TEMPERATURES[step], tuple(changes), earlier=earlier)
    if step is Step.ON:
        return Approach(step, TEMPERATURES[step], tuple(changes[start:]), earlier=earlier)
    why = _why(progress, best, number, baseline) if step is Step.END else _reason(earlier)
    return Approach(step, TEMPERATURES[step], (), why, failed=earlier or last, earlier=earlier)


def standing_of(
    iteration: Iteration, before: Iterable[Iteration], baseline: TestReport | None, start: Change
) -> Standing:
    """Where an iteration stands, by the report of the one that it repeats where it does."""
    if is_idle(iteration.change, start):
        return NOWHERE
    known = iteration.report or next((one.report for one in before if _is_same(one, iteration, start)), None)
    return standing(known, baseline)


def repeated(before: Iterable[Iteration], iteration: Iteration, start: Change) -> Iteration | None:
    """The earlier iteration with the same change, if there is one."""
    return next((one for one in before if _is_same(one, iteration, start)), None)


def tried(progress: Progress) -> dict[Essence, Tried]:
    """Every change of this run so far by what it comes to, those of candidates that were tested and passed over too."""
    found: dict[Essence, Tried] = {}
    for each in progress.iterations:
        if each.aim is Aim.CHANGE and not is_idle(each.change, progress.start):
            one_before = Tried(f"in iteration {each.number}", each.report, each.why_next)
            found.setdefault(essence(each.change.patch), one_before)
        for one in each.others:
            if one.report is not None:
                where = f"a candidate in iteration {each.number}"
                found.setdefault(essence(one.change.patch), Tried(where, one.report, one.why))
    return found


def _is_same(one: Iteration, other: Iteration, start: Change) -> bool:
    return not is_idle(one.change, start) and essence(one.change.patch) == essence(other.change.patch)


def _reason(earlier: Iteration | None) -> str:
    return f"the same change as in iteration {earlier.number}" if earlier else "the last tries were no better"


def _why(progress: Progress, best: Standing, number: int, baseline: TestReport | None) -> str:
    """Why this is the end, in words for people."""
    count = sum(each.aim is Aim.CHANGE for each in progress.iterations)
    came = f"the best was iteration {number} ({words(best, baseline)})" if number else "none of them could be tested"
    beginning = "from the base" if progress.start.is_empty else "from what was there"
    kinds = ", ".join(_TRIED[step] for step in (Step.DIAGNOSE, Step.ELSEWHERE)) + f" and {_TRIED[Step.AFRESH]}"
    return f"no progress in {count} iterations; {came}; {kinds} {beginning} did not help"
