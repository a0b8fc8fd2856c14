"""The loop: prompt, model, actions, test command, decision. One call of `Agent.iterate` is one turn of it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.agent.context import context
from bot.agent.conversation import WARMER, Conversation, Ended, Ending
from bot.agent.critic import criticise
from bot.agent.decision import GREEN_BUT, Decision, Untested, decide, untested
from bot.agent.dialects import dialect_of, toolless_replies
from bot.agent.history import first_context, repeated
from bot.agent.limits import TOKENS_BIND, oversize
from bot.agent.llm import Message, Model, assistant, system, user
from bot.agent.openings import conversation_before, opening
from bot.agent.prompts import Dialect, system_prompt
from bot.agent.undoing import set_back
from bot.errors import Stopped, Unavailable
from bot.records import (
    Caps,
    Change,
    Iteration,
    Progress,
    ReportState,
    StopCheck,
    Task,
    TestReport,
    Verdict,
    Workbench,
)

TEMPERATURE = 0.2
HAVE_READ = "I have read it."
BY_A_PERSON = "a person ended the run"


_WITHOUT_A_CHANGE = (Verdict.LIMIT, Verdict.GAVE_UP, Verdict.NOTHING_TO_DO)
"""Ends at which an earlier change that passes the tests is better than what there is."""


def silent(_: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What one run of the agent works on, the same in every iteration."""

    task: Task
    bench: Workbench
    caps: Caps
    baseline: TestReport | None
    notes: Sequence[str]
    stop: StopCheck
    tell: Callable[[str], None]


class Agent:
    """A model at work on a task, iteration by iteration. It keeps nothing in memory: all is in `Progress`."""

    def __init__(self, model: Model, *, dialect: Dialect = Dialect.AUTO, critic: Model | None = None) -> None:
        self._model = model
        self._dialect = dialect
        self._critic = critic

    def iterate(
        self,
        task: Task,
        progress: Progress,
        bench: Workbench,
        *,
        caps: Caps,
        baseline: TestReport | None,
        notes: Sequence[str] = (),
        stop: StopCheck,
        tell: Callable[[str], None] = silent,
    ) -> Progress:
        """Do one iteration and return the new state; call again until its `verdict` is set.

        Raises `Unavailable` when the model's service or the sandbox fails; a stop is a verdict.
        """
        if progress.verdict is not None:
            return progress
        if len(progress.iterations) >= caps.iterations:
            return replace(progress, verdict=Verdict.LIMIT, why=f"the limit of {caps.iterations} iterations is reached")
        work = Assignment(task, bench, caps, baseline, notes, stop, tell)
        began = time.monotonic()
        try:
            talk = self._conversation(work, progress)
        except Stopped:
            return replace(progress, verdict=Verdict.STOPPED, why=BY_A_PERSON)
        try:
            return self._judged(work, progress, talk, talk.run(), began)
        except Stopped:
            return _stopped(progress, talk, _change_so_far(work.bench, progress, talk), began)

    def _conversation(self, work: Assignment, progress: Progress) -> Conversation:
        """The messages that open the next iteration, rebuilt from the records."""
        number = len(progress.iterations) + 1
        work.tell(f"iteration {number} of {work.caps.iterations}")
        if work.caps.cost_usd is not None and progress.spend.cost_usd is None:
            work.tell(f"  {TOKENS_BIND}")
        dialect = dialect_of(progress, self._dialect)
        stuck = _is_stuck(progress, work.baseline)
        undone = set_back(work.bench, progress.change) if stuck else ()
        told = first_context(progress.iterations) or context(
            work.task, work.bench, baseline=work.baseline, notes=work.notes
        )
        first = opening(progress, work.bench, caps=work.caps, baseline=work.baseline, undone=undone)
        messages: list[Message] = [system(system_prompt(dialect)), user(told), assistant(HAVE_READ)]
        messages += [] if stuck else conversation_before(progress)
        return Conversation(
            model=self._model,
            bench=work.bench,
            caps=work.caps,
            messages=[*messages, user(first)],
            dialect=dialect,
            is_auto=self._dialect is Dialect.AUTO,
            toolless=toolless_replies(progress),
            temperature=WARMER if stuck else TEMPERATURE,
            spend=progress.spend,
            stop=work.stop,
            tell=work.tell,
        )

    def _judged(
        self, work: Assignment, progress: Progress, talk: Conversation, ending: Ending, began: float
    ) -> Progress:
        """Test the change, unless there is no point in it, and decide."""
        number = len(progress.iterations) + 1
        change = work.bench.change()
        skipped = untested(change, repeated(progress.iterations, change.patch), caps=work.caps)
        if ending.how is Ended.NOTHING:
            skipped = Untested("no change was needed")
        report, objection = None, ""
        if skipped is None:
            report = work.bench.test()
            if report.state is ReportState.STOPPED:
                raise Stopped
            is_good = report.is_good_beside(work.baseline)
            objection = work.bench.objection(change, report) if is_good else ""
        known, known_objection = _known(skipped, report, objection)
        decision = decide(
            ending,
            number=number,
            caps=work.caps,
            change=change,
            report=known,
            baseline=work.baseline,
            objection=known_objection,
            skipped=skipped,
            was_oversize=bool(oversize(progress.change, work.caps)),
        )
        if (
            self._critic
            and report is not None
            and not report.is_good_beside(work.baseline)
            and decision.verdict is None
        ):
            self._criticise(self._critic, work, talk, change, report)
        good = next((each for each in reversed(progress.iterations) if each.is_good_beside(work.baseline)), None)
        if good is not None and decision.verdict in _WITHOUT_A_CHANGE:
            change = good.change
            back = f"back to the change of iteration {good.number}, with which the tests pass"
            decision = Decision(Verdict.SOLVED, good.summary, f"{decision.then}; {back}")
        tested = report.counts if report else "not tested"
        work.tell(f"  {_summary(ending, change)}: {tested}; {decision.verdict or 'going on'}: {decision.then}")
        told = _Told(_summary(ending, change), decision.verdict, decision.why, decision.then)
        return _after(progress, talk, told, change=change, report=report, seconds=time.monotonic() - began)

    @staticmethod
    def _criticise(critic: Model, work: Assignment, talk: Conversation, change: Change, report: TestReport) -> None:
        """Let the second model read what failed; its words open the next iteration, its cost counts."""
        call = criticise(critic, work.task, change, report, baseline=work.baseline, stop=work.stop)
        talk.calls.append(call)
        talk.spend = talk.spend.plus(call.usage)


def _known(skipped: Untested | None, report: TestReport | None, objection: str) -> tuple[TestReport | None, str]:
    """The report that this very change has, also from the iteration that it repeats."""
    if skipped is not None and skipped.repeats is not None and skipped.repeats.report is not None:
        earlier = skipped.repeats
        return earlier.report, earlier.why_next.removeprefix(GREEN_BUT)
    return report, objection


def _is_stuck(progress: Progress, baseline: TestReport | None) -> bool:
    """Whether the last iteration came to the same failing change as one before it."""
    if not progress.iterations:
        return False
    *earlier, last = progress.iterations
    same = repeated(earlier, last.change.patch)
    return same is not None and not same.is_good_beside(baseline)


def _summary(ending: Ending, change: Change) -> str:
    """One line on what changed: the model's own words where it has any."""
    words = " ".join(ending.words.split()) if ending.how in (Ended.FINISHED, Ended.NOTHING) else ""
    if words:
        return words[:200]
    return f"changed {', '.join(change.paths[:5])}" if change.paths else "nothing changed"


def _change_so_far(bench: Workbench, progress: Progress, talk: Conversation) -> Change:
    """What is in the workspace at a stop; the last iteration's change where nothing was edited since, or it is gone."""
    if not talk.edited:
        return progress.change
    try:
        return bench.change()
    except (Stopped, Unavailable):
        return progress.change


def _stopped(progress: Progress, talk: Conversation, change: Change, began: float) -> Progress:
    """A stop loses nothing: the calls that were paid and the change so far are kept."""
    told = _Told("ended by a person", Verdict.STOPPED, BY_A_PERSON, BY_A_PERSON)
    if not talk.calls:
        return replace(progress, verdict=told.verdict, why=told.why)
    seconds = time.monotonic() - began
    return _after(progress, talk, told, change=change, report=None, seconds=seconds)


@dataclass(frozen=True, slots=True)
class _Told:
    """What an iteration came to, in words."""

    summary: str
    verdict: Verdict | None
    why: str
    then: str


def _after(
    progress: Progress,
    talk: Conversation,
    told: _Told,
    *,
    change: Change,
    report: TestReport | None,
    seconds: float,
) -> Progress:
    iteration = Iteration(
        number=len(progress.iterations) + 1,
        summary=told.summary,
        calls=tuple(talk.calls),
        change=change,
        report=report,
        spend=replace(talk.spend, seconds=progress.spend.seconds + seconds),
        duration_s=seconds,
        why_next=told.then,
    )
    return Progress((*progress.iterations, iteration), iteration.spend, told.verdict, told.why if told.verdict else "")
