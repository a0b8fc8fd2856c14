"""Closing an iteration: what it came to becomes part of `Progress`. Pure but for the clock."""

from dataclasses import dataclass, replace

from bot.agent.account import Account
from bot.agent.answers import newest
from bot.agent.endings import Ended, Ending
from bot.records import Aim, Answer, Change, Iteration, Progress, TestReport, Verdict

BY_A_PERSON = "a person ended the run"


@dataclass(frozen=True, slots=True)
class Close:
    """What an iteration came to. `why` is for the run's end, `then` for the iteration log.

    `answers` are to requests of a review; the last word on each counts.
    """

    summary: str
    change: Change
    report: TestReport | None
    verdict: Verdict | None
    why: str
    then: str
    aim: Aim = Aim.CHANGE
    answers: tuple[Answer, ...] = ()


def ended_by_a_person(end: Close) -> Close:
    """What an iteration comes to at a stop, when all that it made is kept already."""
    return replace(end, verdict=Verdict.STOPPED, why=BY_A_PERSON, then=f"{end.then}; {BY_A_PERSON}")


def closed(progress: Progress, account: Account, end: Close, *, doubts: str = "") -> Progress:
    """The progress with one more iteration."""
    seconds = account.seconds
    spend = replace(account.spend, seconds=progress.spend.seconds + seconds)
    iteration = Iteration(
        number=len(progress.iterations) + 1,
        summary=end.summary,
        calls=tuple(account.calls),
        change=end.change,
        report=end.report,
        spend=spend,
        duration_s=seconds,
        why_next=end.then,
        aim=end.aim,
        others=tuple(account.others),
    )
    return replace(
        progress,
        iterations=(*progress.iterations, iteration),
        spend=spend,
        verdict=end.verdict,
        why=end.why if end.verdict else "",
        doubts=doubts,
        answers=newest((*progress.answers, *end.answers)),
    )


def count_of(progress: Progress, aim: Aim) -> int:
    """How many iterations had this aim."""
    return sum(each.aim is aim for each in progress.iterations)


def summary_of(ending: Ending, change: Change, *, verb: str = "changed") -> str:
    """One line on what changed: the model's own words where it has any."""
    words = "" if ending.how in (Ended.CALLS, Ended.LIMIT, Ended.GAVE_UP) else " ".join(ending.words.split())
    if words:
        return words[:200]
    return f"{verb} {', '.join(change.paths[:5])}" if change.paths else "nothing changed"
