"""What an iteration comes to: its own change, a dead end, an earlier change that is good, or what a stop leaves."""

from collections.abc import Sequence
from dataclasses import replace

from bot.agent.account import Account
from bot.agent.approach import Step, approach
from bot.agent.assignment import Assignment
from bot.agent.candidates import Drawn, best, passed_over
from bot.agent.closing import BY_A_PERSON, Close, closed, count_of, summary_of
from bot.agent.decision import decide
from bot.agent.limits import oversize
from bot.agent.reproduction import Wanted, wanted
from bot.agent.starting import is_idle
from bot.errors import Stopped, Unavailable
from bot.records import Aim, Candidate, Change, Progress, Verdict, Workbench

_WITHOUT_A_CHANGE = (
    Verdict.LIMIT,
    Verdict.STUCK,
    Verdict.GAVE_UP,
    Verdict.NOTHING_TO_DO,
    Verdict.QUESTION,
    Verdict.ANSWERED,
)
"""Ends at which an earlier change that passes the tests is better than what there is."""


def concluded(work: Assignment, progress: Progress, account: Account, chosen: Drawn) -> Close:
    """What the iteration comes to: by its own change, by a dead end, or by an earlier change that is good."""
    decision = decide(
        chosen.ending,
        is_last=count_of(progress, Aim.CHANGE) + 1 >= work.caps.iterations,
        caps=work.caps,
        change=chosen.change,
        start=progress.start,
        report=chosen.known,
        baseline=work.baseline,
        objection=chosen.objection,
        skipped=chosen.skipped,
        was_oversize=bool(oversize(progress.change, work.caps, progress.start)),
        limit=account.limit(work.caps),
        may_recover=any(not is_idle(each.change, progress.start) for each in progress.iterations),
    )
    summary = summary_of(chosen.ending, chosen.change)
    end = Close(
        summary,
        chosen.change,
        chosen.report,
        decision.verdict,
        decision.why,
        decision.then,
        answers=chosen.answers,
    )
    plan = approach(closed(progress, account, end), work.baseline)
    if end.verdict is None and plan.step is Step.END:
        end = replace(end, verdict=Verdict.STUCK, why=plan.why, then=f"{end.then}; nothing else is left to try")
    good = next((each for each in reversed(progress.iterations) if each.is_good_beside(work.baseline)), None)
    if good is not None and end.verdict in _WITHOUT_A_CHANGE:
        back = f"{end.then}; back to the change of iteration {good.number}, with which the tests pass"
        end = replace(end, change=good.change, verdict=Verdict.SOLVED, why=good.summary, then=back)
    return end


def abandoned(work: Assignment, progress: Progress, account: Account, drawn: Sequence[Drawn]) -> Progress:
    """A stop loses nothing: the calls that were paid and the change so far are kept."""
    end = _cut_off(work, progress, account, drawn, BY_A_PERSON)
    if end is None:
        return replace(progress, verdict=Verdict.STOPPED, why=BY_A_PERSON)
    ended = replace(end, summary="ended by a person", verdict=Verdict.STOPPED, why=BY_A_PERSON)
    return closed(progress, account, ended)


def interrupted(
    work: Assignment, progress: Progress, account: Account, drawn: Sequence[Drawn], away: Unavailable
) -> Progress:
    """Nor does a service that goes away, once something was paid: the next iteration goes on. Raises it else.

    What was not tested is let go: the same change would not be tested again.
    """
    end = _cut_off(work, progress, account, drawn, f"cut off: {away}")
    if end is None:
        raise away
    work.tell(f"  {end.then}")
    return closed(progress, account, end if drawn else replace(end, change=progress.change))


def _cut_off(work: Assignment, progress: Progress, account: Account, drawn: Sequence[Drawn], why: str) -> Close | None:
    """What is left of an iteration that was cut off; None where nothing was paid for it."""
    talk = account.talk
    calls = account.end_talk()
    change, report = progress.change, None
    answers = talk.answers if talk is not None else ()
    if drawn:
        at = best(drawn, work.baseline)
        rest = [one for number, one in enumerate(drawn) if number != at]
        account.others += [passed_over(one, drawn[at], work.baseline) for one in rest]
        account.others += [Candidate(Change(), None, calls, why)] if calls else []
        calls, change, report, answers = drawn[at].calls, drawn[at].change, drawn[at].report, drawn[at].answers
    elif talk is not None and talk.edited and talk.bench is work.bench:
        change = _change_of(work.bench, progress)
    account.calls += calls
    if not account.calls and not account.others:
        return None
    is_test = wanted(progress, work.task, work.baseline, work.reproduce) is Wanted.TEST
    aim = Aim.TEST if is_test else Aim.CHANGE
    return Close(why, change, report, None, "", why, aim, answers)


def _change_of(bench: Workbench, progress: Progress) -> Change:
    """What is in the workspace at a stop; the last iteration's change where it is gone."""
    try:
        return bench.change()
    except (Stopped, Unavailable):
        return progress.change
