"""The loop: prompt, model, actions, test command, decision. One call of `Agent.iterate` is one turn of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.agent.account import Account
from bot.agent.approach import tried
from bot.agent.asking import Asking
from bot.agent.assignment import Assignment, Turn
from bot.agent.candidates import Drawn, best, passed_over
from bot.agent.closing import Close, closed, count_of, ended_by_a_person
from bot.agent.conclusions import abandoned, concluded, interrupted
from bot.agent.conflicts import left_in, unsolved
from bot.agent.conversation import Conversation
from bot.agent.critic import criticise, doubts_of, review
from bot.agent.decision import Untested
from bot.agent.dialects import Speech, is_toolless, spoken
from bot.agent.drawing import Drawing, temperatures
from bot.agent.endings import Ended
from bot.agent.first_test import first_test
from bot.agent.limits import TOKENS_BIND
from bot.agent.llm import Model
from bot.agent.probing import Habits, Remembered, relearn, settle
from bot.agent.prompts import Dialect
from bot.agent.turns import prepare
from bot.errors import Stopped, Unavailable
from bot.records import (
    Aim,
    Caps,
    Note,
    Progress,
    Reproduce,
    StopCheck,
    Task,
    TestReport,
    Verdict,
    Workbench,
)

TEST_TEMPERATURES = (0.2, 0.6, 0.8)


def silent(_: str) -> None:
    """Tell nobody."""


def nobody() -> Sequence[Note]:
    """Nobody has said anything."""
    return ()


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
        said: Callable[[], Sequence[Note]] = nobody,
        repeats: bool = False,
    ) -> Progress:
        """Do one iteration and return the new state; call again until its `verdict` is set.

        `said` gives all that people have said to the run so far, oldest first. It is asked before each call of the
        model, on this thread: what is new goes into the talk, and all of it into the next iteration's opening.

        Raises `Unavailable` when the model's service or the sandbox fails before anything was paid for; later, that
        ends the iteration with what there is by then. Where the caller `repeats`, it is raised for a sandbox that goes
        away later, too: who asks once more with the same progress, and has a model that gives the same replies, loses
        nothing by that. A stop is a verdict.
        """
        if progress.verdict is not None:
            return progress
        if count_of(progress, Aim.CHANGE) >= caps.iterations:
            return replace(progress, verdict=Verdict.LIMIT, why=f"the limit of {caps.iterations} iterations is reached")
        work = Assignment(task, bench, caps, baseline, reproduce, notes, stop, tell, said)
        account = Account(progress.spend)
        limit = account.limit(caps)
        if limit:
            return replace(progress, verdict=Verdict.LIMIT, why=limit)
        done = self._iterated(work, progress, account, repeats=repeats)
        if self._dialect is Dialect.AUTO and is_toolless(done):
            relearn(self._model, Dialect.FENCED, self._habits)
        return done

    def _iterated(self, work: Assignment, progress: Progress, account: Account, *, repeats: bool) -> Progress:
        drawn = list[Drawn]()
        try:
            turn = self._turn(work, progress, account)
            if turn.aim is Aim.TEST:
                asking = self._asking(work, account, turn, temperature=_test_temperature(progress))
                return first_test(work, progress, account, Conversation(asking, work.bench), self._critic)
            self._draw(work, progress, account, turn, drawn)
            return self._after_change(work, progress, account, turn, drawn)
        except Stopped:
            return abandoned(work, progress, account, drawn)
        except Unavailable as away:
            if repeats and away.passes and not away.briefly:
                raise
            return interrupted(work, progress, account, drawn, away)

    def _turn(self, work: Assignment, progress: Progress, account: Account) -> Turn:
        if work.stop():
            raise Stopped
        of_tests = count_of(progress, Aim.TEST)
        most = f"iteration {len(progress.iterations) + 1} of at most {work.caps.iterations + of_tests}"
        work.tell(f"{most}: {work.caps.iterations}, and {of_tests} for the test alone" if of_tests else most)
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
        chosen = _without_denial(drawn[at], turn, left_in(unsolved(work.bench, work.task.conflicts)))
        account.calls += chosen.calls
        account.others += [passed_over(one, chosen, work.baseline) for number, one in enumerate(drawn) if number != at]
        end, doubts = concluded(work, progress, account, chosen), ""
        try:
            doubts = self._consult(work, account, end)
        except Stopped:
            end = ended_by_a_person(end)
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


def _without_denial(chosen: Drawn, turn: Turn, unsolved: str) -> Drawn:
    """“Nothing to do” does not count beside a test that was accepted, and fails; nor where conflicts are left."""
    if chosen.ending.how not in (Ended.NOTHING, Ended.ANSWERED) or not (turn.given or unsolved):
        return chosen
    but = unsolved or f"the test in {', '.join(sorted(turn.given))} fails"
    words = f"the model finds that no change is needed, but {but}"
    return replace(chosen, ending=replace(chosen.ending, how=Ended.CALLS), skipped=Untested(words))
