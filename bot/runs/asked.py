"""A test that a person was asked about, taken up by the run that the answer starts."""

from collections.abc import Callable
from dataclasses import replace

from bot.errors import Refused
from bot.records import Aim, Iteration, Progress, Spend, Verdict
from bot.runs.ground import Ground
from bot.runs.solving import Job, bench_for

NOTE = """\
This test was written for the issue before, and a person did not accept it. What they say of it is with the issue.
Write another one.

{patch}"""


def asked_about(progress: Progress) -> Iteration | None:
    """The iteration whose test a person was asked about; None where the run ended in another way."""
    if progress.verdict is not Verdict.ASKING or not progress.iterations:
        return None
    last = progress.iterations[-1]
    return last if last.aim is Aim.TEST and not last.change.is_empty else None


def note_on(asked: Iteration) -> str:
    """What the model is told of a test that a person did not let stand."""
    return NOTE.format(patch=asked.change.patch)


def taken_up(
    ground: Ground, job: Job, asked: Iteration, *, asked_on: str, tell: Callable[[str], None]
) -> Progress | None:
    """The progress that goes on with this test; None where it does not fit the base any more, or shows nothing there.

    `asked_on` is the base that it was written on. What it cost was another run's spend.
    """
    mirror, base = ground.mirror, ground.base
    try:
        change = mirror.change(base, ground.tree(asked.change))
    except Refused:
        tell("the test that was asked about no longer fits: it is written anew")
        return None
    if change.is_empty:
        return None
    first = replace(asked, number=1, change=change, spend=Spend())
    if base != asked_on:
        with bench_for(ground, job, change, tell) as bench:
            report = bench.test()
            if found := bench.unreproduced(change, report):
                tell(f"the test that was asked about shows nothing any more, so it is written anew: {found.why}")
                return None
        first = replace(first, report=report)
    return Progress((first,))
