"""An iteration before the change: a test is written, run on the base's own source, and read by the critic."""

from dataclasses import dataclass

from bot.agent.account import Account
from bot.agent.assignment import Assignment
from bot.agent.closing import Close, closed, ended_by_a_person, summary_of
from bot.agent.conversation import Conversation
from bot.agent.critic import question_test, refusal
from bot.agent.diff_reading import readable
from bot.agent.endings import Ended, Ending
from bot.agent.llm import Model
from bot.agent.reproduction import (
    KNOWN,
    Tested,
    is_for_tests,
    is_tried,
    may_be_doubted,
    named_in,
    tested,
)
from bot.agent.undoing import take_back
from bot.errors import Stopped
from bot.records import Aim, Change, Progress, ReportState, Reproduce, TestReport, Unreproduced, Verdict


@dataclass(frozen=True, slots=True)
class _OnBase:
    """A test on the base's own source. `report` is None where there is nothing to run."""

    change: Change
    report: TestReport | None = None
    found: Unreproduced | None = None


def first_test(
    work: Assignment, progress: Progress, account: Account, talk: Conversation, critic: Model | None
) -> Progress:
    """Let the model write a test, find out what it shows, and decide. Raises `Stopped`."""
    account.begin(talk)
    ending = talk.run()
    written = _run(work, progress)
    account.calls += account.end_talk()
    known = named_in(ending.words, work.baseline) if written.change.is_empty else ()
    if known:
        decision = Tested(None, f"{KNOWN}{', '.join(known)}")
    else:
        try:
            doubted = _doubts(work, progress, account, written, critic)
        except Stopped:
            end = Close(_summary(ending, written.change), written.change, written.report, None, "", "tested", Aim.TEST)
            return closed(progress, account, ended_by_a_person(end))
        asks = work.reproduce is Reproduce.ASK
        decision = tested(progress, written.change, written.report, written.found, doubted=doubted, asks=asks)
    change = written.change
    if not decision.keeps:
        take_back(work.bench, change)
        change = work.bench.change()
    verdict, why = decision.verdict, decision.why
    if verdict is None and ending.how is Ended.LIMIT:
        verdict, why = Verdict.LIMIT, ending.words
    summary = _summary(ending, written.change)
    work.tell(f"  {summary}: {verdict or 'going on'}: {decision.why}")
    return closed(progress, account, Close(summary, change, written.report, verdict, why, decision.why, Aim.TEST))


def _run(work: Assignment, progress: Progress) -> _OnBase:
    """Take back what is no test, and run the rest on the base's own source."""
    bench = work.bench
    take_back(bench, bench.change(), keeps=is_for_tests)
    change = bench.change()
    if change.is_empty or is_tried(progress, change):
        return _OnBase(change)
    report = bench.test()
    if report.state is ReportState.STOPPED:
        raise Stopped
    found = bench.unreproduced(change, report)
    broken = _broken_before(progress, change, report) if found is None else frozenset[str]()
    if broken:
        take_back(bench, change, keeps=lambda path: path not in broken)
        change = bench.change()
    return _OnBase(change, report, found)


def _broken_before(progress: Progress, change: Change, report: TestReport) -> frozenset[str]:
    """Files of the try before that showed nothing, and that fail as they did beside a test that shows the issue.

    They would fail for ever: an accepted test is never taken back.
    """
    if not may_be_doubted(progress):
        return frozenset()
    before, now = readable(progress.change.patch), readable(change.patch)
    failing = {case.file for case in report.cases if case.id in report.failed}
    broken = frozenset(diff.new_path for diff in now if diff in before and diff.new_path and diff.new_path in failing)
    return broken if len(broken) < len(now) else frozenset()


def _doubts(work: Assignment, progress: Progress, account: Account, written: _OnBase, critic: Model | None) -> str:
    """Why the critic says that the test does not say what the issue says; heard once in a run."""
    shows = written.report is not None and written.found is None
    if critic is None or written.report is None or not shows or not may_be_doubted(progress):
        return ""
    if account.limit(work.caps):
        return ""
    call = question_test(critic, work.task, written.change, written.report, stop=work.stop)
    account.enter(call)
    return refusal(call)


def _summary(ending: Ending, change: Change) -> str:
    return summary_of(ending, change, verb="wrote a test:")
