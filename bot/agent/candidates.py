"""A candidate for an iteration, and which of several the iteration goes on with. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.agent.decision import Untested, why_next
from bot.agent.endings import Ended, Ending
from bot.agent.standing import NOWHERE, Standing, standing, words
from bot.records import Answer, Call, Candidate, Change, TestReport


@dataclass(frozen=True, slots=True)
class Drawn:
    """One candidate: what was said and changed, and what the tests say of it.

    `report` is of a run just now, `known` also of an earlier one of the same change. `answers` are to requests of a
    review.
    """

    calls: tuple[Call, ...]
    ending: Ending
    change: Change
    report: TestReport | None = None
    known: TestReport | None = None
    objection: str = ""
    skipped: Untested | None = None
    answers: tuple[Answer, ...] = ()

    def is_good(self, baseline: TestReport | None) -> bool:
        """Whether the tests pass, or fail only where they did before."""
        return self.known is not None and not self.change.is_empty and self.known.is_good_beside(baseline)

    def is_done(self, baseline: TestReport | None) -> bool:
        """Whether the tests pass and nothing is missing, so that no other need be drawn."""
        return self.is_good(baseline) and not self.objection


def best(drawn: Sequence[Drawn], baseline: TestReport | None) -> int:
    """Which one goes on: green first, then what mends most and breaks least, then the smallest change."""

    def worth(at: int) -> tuple[bool, bool, Standing, bool, bool, int]:
        one = drawn[at]
        found = standing(one.known, baseline)
        is_new = one.skipped is None
        lines = one.change.added_lines + one.change.removed_lines
        return (
            one.is_done(baseline),
            found.is_good or is_new,
            found if found.is_good or is_new else NOWHERE,
            not one.change.is_empty,
            one.ending.how is not Ended.GAVE_UP,
            -lines,
        )

    return max(range(len(drawn)), key=worth)


def passed_over(one: Drawn, chosen: Drawn, baseline: TestReport | None) -> Candidate:
    """A candidate that the iteration does not go on with, and why."""
    why = why_next(one.known, baseline, objection=one.objection, skipped=one.skipped)
    if one.report is not None:
        mine, its = standing(one.report, baseline), standing(chosen.known, baseline)
        same = "as far as the one that was taken, by a larger change" if mine == its else "not the best"
        why = f"{same}: {words(mine, baseline)}" + (f", but: {one.objection}" if one.objection else "")
    elif one.ending.how in (Ended.GAVE_UP, Ended.LIMIT):
        why = one.ending.words
    return Candidate(one.change, one.report, one.calls, why)
