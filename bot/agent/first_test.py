"""An iteration before the change: a test is written, run on the base's own source, and read by the critic."""

from dataclasses import dataclass

from bot.agent.account import Account
from bot.agent.assignment import Assignment
from bot.agent.closing import Close, closed, ended_by_a_person, summary_of
from bot.agent.conversation import Conversation
from bot.agent.critic import question_test, refusal
from bot.agent.decision import WITHOUT_A_CHANGE
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
from bot.agent.starting import is_idle
from bot.agent.undoing import go_back
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
    if ending.how in (Ended.ASKED, Ended.ANSWERED):
        return _ended_without(work, progress, account, ending)
    written = _run(work, progress)
    account.calls += account.end_talk()
    known = named_in(ending.words, work.baseline) if is_idle(written.change, progress.start) else ()
    if known:
        decision = Tested(None, f"{KNOWN}{', '.join(known)}")
    else:
        try:
            doubted = _doubts(work, progress, account, written, critic)
        except Stopped:
            summary, change = _summary(ending, written.change), written.change
            end = Close(summary, change, written.report, None, "", "tested", Aim.TEST, talk.answers)
            return closed(progress, account, ended_by_a_person(end))
        asks = work.reproduce is Reproduce.ASK
        decision = tested(progress, written.change, written.report, written.found, doubted=doubted, asks=asks)
    change = written.change
    if not decision.keeps:
        go_back(work.bench, change, progress.start)
        change = work.bench.change()
    verdict, why = decision.verdict, decision.why
    if verdict is None and ending.how is Ended.LIMIT:
        verdict, why = Verdict.LIMIT, ending.words
    summary = _summary(ending, written.change)
    work.tell(f"  {summary}: {verdict or 'going on'}: {decision.why}")
    end = Close(summary, change, written.report, verdict, why, decision.why, Aim.TEST, talk.answers)
    return closed(progress, account, end)


def _ended_without(work: Assignment, progress: Progress, account: Account, ending: Ending) -> Progress:
    """The run ends with a question to a person, or with an answer to the issue."""
    account.calls += account.end_talk()
    verdict, then = WITHOUT_A_CHANGE[ending.how]
    work.tell(f"  {verdict}: {ending.words}")
    summary = summary_of(ending, progress.change)
    return closed(progress, account, Close(summary, progress.change, None, verdict, ending.words, then, Aim.TEST))


def _run(work: Assignment, progress: Progress) -> _OnBase:
    """Take back what is no test, and run the rest on the source that the run began with."""
    bench = work.bench
    go_back(bench, bench.change(), progress.start, keeps=is_for_tests)
    change = bench.change()
    if is_idle(change, progress.start) or is_tried(progress, change):
        return _OnBase(change)
    report = bench.test()
    if report.state is ReportState.STOPPED:
        raise Stopped
    found = bench.unreproduced(change, report)
    broken = _broken_before(progress, change, report) if found is None else frozenset[str]()
    if broken:
        go_back(bench, change, progress.start, keeps=lambda path: path not in broken)
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
