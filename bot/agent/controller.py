"""The loop: prompt, model, actions, test command, decision. One call of `Agent.iterate` is one turn of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.agent.account import Account
from bot.agent.approach import Step, approach, tried
from bot.agent.asking import Asking
from bot.agent.assignment import Assignment, Turn
from bot.agent.candidates import Drawn, best, passed_over
from bot.agent.closing import BY_A_PERSON, Close, closed, count_of, summary_of
from bot.agent.conversation import Conversation
from bot.agent.critic import criticise, doubts_of, review
from bot.agent.decision import Untested, decide
from bot.agent.dialects import Speech, spoken
from bot.agent.drawing import Drawing, temperatures
from bot.agent.endings import Ended
from bot.agent.first_test import first_test
from bot.agent.limits import TOKENS_BIND, oversize
from bot.agent.llm import Model
from bot.agent.probing import Habits, Remembered, settle
from bot.agent.prompts import Dialect
from bot.agent.reproduction import Wanted, wanted
from bot.agent.turns import prepare
from bot.errors import Stopped, Unavailable
from bot.records import (
    Aim,
    Candidate,
    Caps,
    Change,
    Progress,
    Reproduce,
    StopCheck,
    Task,
    TestReport,
    Verdict,
    Workbench,
)

TEST_TEMPERATURES = (0.2, 0.6, 0.8)

_WITHOUT_A_CHANGE = (Verdict.LIMIT, Verdict.STUCK, Verdict.GAVE_UP, Verdict.NOTHING_TO_DO)
"""Ends at which an earlier change that passes the tests is better than what there is."""


def silent(_: str) -> None:
    """Tell nobody."""


class Agent:
    """A model at work on a task, iteration by iteration. What it knows of a run is all in `Progress`.

    `critic` is a second model that reads what the first one writes. With `candidates` more than one, each iteration
    draws up to so many changes and goes on with the best, `at_once` at a time. `habits` remember which dialect a model
    speaks.
    """

    def __init__(
        self,
        model: Model,
        *,
        dialect: Dialect = Dialect.AUTO,
        critic: Model | None = None,
        candidates: int = 1,
        at_once: int = 1,
        habits: Habits | None = None,
    ) -> None:
        self._model = model
        self._dialect = dialect
        self._critic = critic
        self._candidates = max(candidates, 1)
        self._at_once = max(at_once, 1)
        self._habits = Remembered() if habits is None else habits

    def iterate(
        self,
        task: Task,
        progress: Progress,
        bench: Workbench,
        *,
        caps: Caps,
        baseline: TestReport | None,
        reproduce: Reproduce = Reproduce.TOGETHER,
        notes: Sequence[str] = (),
        stop: StopCheck,
        tell: Callable[[str], None] = silent,
    ) -> Progress:
        """Do one iteration and return the new state; call again until its `verdict` is set.

        Raises `Unavailable` when the model's service or the sandbox fails; a stop is a verdict.
        """
        if progress.verdict is not None:
            return progress
        if count_of(progress, Aim.CHANGE) >= caps.iterations:
            return replace(progress, verdict=Verdict.LIMIT, why=f"the limit of {caps.iterations} iterations is reached")
        work = Assignment(task, bench, caps, baseline, reproduce, notes, stop, tell)
        account, drawn = Account(progress.spend), list[Drawn]()
        limit = account.limit(caps)
        if limit:
            return replace(progress, verdict=Verdict.LIMIT, why=limit)
        try:
            turn = self._turn(work, progress, account)
            if turn.aim is Aim.TEST:
                asking = self._asking(work, account, turn, temperature=_test_temperature(progress))
                return first_test(work, progress, account, Conversation(asking, work.bench), self._critic)
            self._draw(work, progress, account, turn, drawn)
            return self._after_change(work, progress, account, turn, drawn)
        except Stopped:
            return _stopped(work, progress, account, drawn)

    def _turn(self, work: Assignment, progress: Progress, account: Account) -> Turn:
        if work.stop():
            raise Stopped
        work.tell(f"iteration {len(progress.iterations) + 1} of {work.caps.iterations + count_of(progress, Aim.TEST)}")
        if work.caps.cost_usd is not None and progress.spend.cost_usd is None:
            work.tell(f"  {TOKENS_BIND}")
        speech = self._speech(work, progress, account)
        return prepare(work, progress, account, speech, model=self._model, critic=self._critic)

    def _speech(self, work: Assignment, progress: Progress, account: Account) -> Speech:
        """A run goes on as it came to speak; before its first word the dialect is settled."""
        is_open = self._dialect is Dialect.AUTO
        so_far = spoken(progress) if is_open else None
        if so_far is not None:
            return so_far
        settled = settle(self._model, self._dialect, self._habits, work.stop)
        account.enter(*settled.calls)
        return Speech(settled.dialect, is_open=is_open)

    def _asking(
        self, work: Assignment, account: Account, turn: Turn, *, temperature: float, candidate: int = 0
    ) -> Asking:
        return Asking(
            model=self._model,
            work=work,
            turn=turn,
            messages=turn.opening(candidate),
            temperature=temperature,
            spend=account.spend,
            began=account.began,
        )

    def _draw(self, work: Assignment, progress: Progress, account: Account, turn: Turn, drawn: list[Drawn]) -> None:
        """Draw the candidates into `drawn`, where they are kept also if a stop cuts it short."""
        asked = [
            self._asking(work, account, turn, temperature=temperature, candidate=number)
            for number, temperature in enumerate(temperatures(turn.plan.temperature, self._candidates))
        ]
        Drawing(work, account, turn, asked, tried(progress), self._at_once, drawn).draw()

    def _after_change(
        self, work: Assignment, progress: Progress, account: Account, turn: Turn, drawn: Sequence[Drawn]
    ) -> Progress:
        """Go on with the best candidate, and decide."""
        at = best(drawn, work.baseline)
        chosen = _without_denial(drawn[at], turn)
        account.calls += chosen.calls
        account.others += [passed_over(one, chosen, work.baseline) for number, one in enumerate(drawn) if number != at]
        end = _end(work, progress, account, chosen)
        doubts = self._consult(work, account, end)
        tested = end.report.counts if end.report else "not tested"
        work.tell(f"  {end.summary}: {tested}; {end.verdict or 'going on'}: {end.then}")
        return closed(progress, account, end, doubts=doubts)

    def _consult(self, work: Assignment, account: Account, end: Close) -> str:
        """Let the critic read what failed, its words open the next iteration; or the final change: returns its doubts.

        What it says beyond a limit would not be worth the limit.
        """
        if self._critic is None or account.limit(work.caps) or end.change.is_empty:
            return ""
        if end.verdict is Verdict.SOLVED:
            call = review(self._critic, work.task, end.change, stop=work.stop)
            account.enter(call)
            return doubts_of(call)
        if end.verdict is None and end.report is not None and not end.report.is_good_beside(work.baseline):
            account.enter(
                criticise(self._critic, work.task, end.change, end.report, baseline=work.baseline, stop=work.stop)
            )
        return ""


def _test_temperature(progress: Progress) -> float:
    return TEST_TEMPERATURES[min(count_of(progress, Aim.TEST), len(TEST_TEMPERATURES) - 1)]


def _without_denial(chosen: Drawn, turn: Turn) -> Drawn:
    """“Nothing to do” does not count beside a test that was accepted, and fails."""
    if chosen.ending.how is not Ended.NOTHING or not turn.given:
        return chosen
    words = f"the model finds that no change is needed, but the test in {', '.join(sorted(turn.given))} fails"
    return replace(chosen, ending=replace(chosen.ending, how=Ended.CALLS), skipped=Untested(words))


def _end(work: Assignment, progress: Progress, account: Account, chosen: Drawn) -> Close:
    """What the iteration comes to: by its own change, by a dead end, or by an earlier change that is good."""
    decision = decide(
        chosen.ending,
        is_last=count_of(progress, Aim.CHANGE) + 1 >= work.caps.iterations,
        caps=work.caps,
        change=chosen.change,
        report=chosen.known,
        baseline=work.baseline,
        objection=chosen.objection,
        skipped=chosen.skipped,
        was_oversize=bool(oversize(progress.change, work.caps)),
        limit=account.limit(work.caps),
    )
    summary = summary_of(chosen.ending, chosen.change)
    end = Close(summary, chosen.change, chosen.report, decision.verdict, decision.why, decision.then)
    plan = approach(closed(progress, account, end), work.baseline)
    if end.verdict is None and plan.step is Step.END:
        end = replace(end, verdict=Verdict.STUCK, why=plan.why, then=f"{end.then}; nothing else is left to try")
    good = next((each for each in reversed(progress.iterations) if each.is_good_beside(work.baseline)), None)
    if good is not None and end.verdict in _WITHOUT_A_CHANGE:
        back = f"{end.then}; back to the change of iteration {good.number}, with which the tests pass"
        end = replace(end, change=good.change, verdict=Verdict.SOLVED, why=good.summary, then=back)
    return end


def _stopped(work: Assignment, progress: Progress, account: Account, drawn: Sequence[Drawn]) -> Progress:
    """A stop loses nothing: the calls that were paid and the change so far are kept."""
    talk = account.talk
    calls = account.end_talk()
    change, report = progress.change, None
    if drawn:
        at = best(drawn, work.baseline)
        rest = [one for number, one in enumerate(drawn) if number != at]
        account.others += [passed_over(one, drawn[at], work.baseline) for one in rest]
        account.others += [Candidate(Change(), None, calls, BY_A_PERSON)] if calls else []
        calls, change, report = drawn[at].calls, drawn[at].change, drawn[at].report
    elif talk is not None and talk.edited and talk.bench is work.bench:
        change = _change_of(work.bench, progress)
    account.calls += calls
    if not account.calls and not account.others:
        return replace(progress, verdict=Verdict.STOPPED, why=BY_A_PERSON)
    is_test = wanted(progress, work.task, work.baseline, work.reproduce) is Wanted.TEST
    aim = Aim.TEST if is_test else Aim.CHANGE
    end = Close("ended by a person", change, report, Verdict.STOPPED, BY_A_PERSON, BY_A_PERSON, aim)
    return closed(progress, account, end)


def _change_of(bench: Workbench, progress: Progress) -> Change:
    """What is in the workspace at a stop; the last iteration's change where it is gone."""
    try:
        return bench.change()
    except (Stopped, Unavailable):
        return progress.change
