"""That bots don't keep each other at work for ever: after some runs that they asked for, a person must ask. Pure."""

from collections.abc import Sequence
from itertools import takewhile

from bot.records import Trigger
from bot.runs.deciding import UNASKED
from bot.runs.store import WORK, RunRow

RUNS_BY_BOTS = 3
"""How many runs of an issue in a row may begin for bots: a reviewer of their kind may have a word on each push."""

A_PERSONS_TURN = (
    f"The last {RUNS_BY_BOTS} runs here were all asked for by bots, so that no further one begins for a bot. "
    "A person goes on with `/selfcode retry`."
)


def persons_turn(trigger: Trigger, runs: Sequence[RunRow]) -> str:
    """The key under which it is said, once for each such row of runs, that a person must ask; "" where it may begin.

    `runs` are all of the trigger's issue, oldest first. What nobody asked for is no person's word either.
    """
    if trigger.kind not in WORK or not trigger.sender.is_bot or trigger.kind in UNASKED:
        return ""
    row = list(takewhile(_is_no_persons, reversed([run for run in runs if run.trigger.kind in WORK])))
    return f"a person's turn after {row[-1].id}" if len(row) >= RUNS_BY_BOTS else ""


def _is_no_persons(run: RunRow) -> bool:
    return run.trigger.sender.is_bot or run.trigger.kind in UNASKED
