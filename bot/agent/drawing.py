"""Drawing candidates for an iteration, each tested in a tree of its own."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field

from bot.agent.account import Account
from bot.agent.approach import WARMEST, Tried
from bot.agent.asking import Asking
from bot.agent.assignment import Assignment, Turn
from bot.agent.candidates import Drawn
from bot.agent.conflicts import left_in, unsolved
from bot.agent.conversation import Conversation
from bot.agent.decision import WITHOUT_A_CHANGE, Untested, untested
from bot.agent.endings import Ended, Ending
from bot.agent.reproduction import is_for_tests
from bot.agent.sameness import Essence, essence
from bot.errors import Stopped, Unavailable
from bot.records import Candidate, Change, ReportState, Reproduce, StopCheck, TestReport, Workbench

POLL_S = 0.1

_UNCHANGED = {
    Ended.NOTHING: "no change was needed",
    Ended.ASKED: "a person is asked",
    Ended.ANSWERED: "the issue was answered",
}


@dataclass(slots=True)
class Drawing:
    """The candidates for one iteration, each asked for on its own.

    `drawn` and the account hold what there is, also where a stop cuts it short.
    """

    work: Assignment
    account: Account
    turn: Turn
    asked: Sequence[Asking]
    seen: Mapping[Essence, Tried]
    at_once: int = 1
    drawn: list[Drawn] = field(default_factory=list)

    def draw(self) -> None:
        """Draw one after the other until one is done or a limit is reached. Raises `Stopped`.

        Raises `Unavailable` only where nothing was drawn yet.
        """
        for first in range(0, len(self.asked), self.at_once):
            if self._reached(first):
                return
            try:
                if self._draw_batch(self._with_first_replies(self.asked[first : first + self.at_once]), first):
                    return
            except Unavailable as error:
                if not self.drawn:
                    raise
                calls = self.account.end_talk()
                self.account.others += [Candidate(Change(), None, calls, f"not finished: {error}")] if calls else []
                return

    def _draw_batch(self, batch: Sequence[Asking], first: int) -> bool:
        """Whether one is done. What was drawn ahead and is not used is still paid for."""
        why = "the iteration ended before it"
        try:
            for number, asking in enumerate(batch, start=first):
                reached = self._reached(number)
                if reached:
                    why = reached
                    break
                with self._bench(number) as bench:
                    talk = Conversation(asking, bench)
                    self.account.begin(talk)
                    found = self._judged(talk, talk.run())
                self.account.end_talk()
                self.drawn.append(found)
                if found.is_done(self.work.baseline):
                    why = "a candidate before it was good"
                    return True
            return False
        finally:
            for asking in batch:
                self._pay_for(asking, f"not needed: {why}")

    def _reached(self, number: int) -> str:
        return self.account.limit(self.work.caps) if number and self.drawn else ""

    def _bench(self, number: int) -> AbstractContextManager[Workbench]:
        return nullcontext(self.work.bench) if number == 0 else self._fork()

    @contextmanager
    def _fork(self) -> Iterator[Workbench]:
        with self.work.bench.fork() as bench:
            self.turn.arrange(bench)
            yield bench

    def _judged(self, talk: Conversation, ending: Ending) -> Drawn:
        """Test a change, unless there is no point in it."""
        bench, work, calls = talk.bench, self.work, tuple(talk.asking.calls)
        change = bench.change()
        seen = {**self.seen, **self._drawn_before()}
        skipped = untested(
            change,
            seen,
            caps=work.caps,
            given=self.turn.given,
            start=self.turn.start,
            unsolved=left_in(unsolved(bench, work.task.conflicts)),
        )
        if ending.how in WITHOUT_A_CHANGE:
            skipped = Untested(_UNCHANGED[ending.how])
        if skipped is not None:
            return Drawn(calls, ending, change, None, skipped.report, skipped.objection, skipped, talk.answers)
        report = bench.test()
        if report.state is ReportState.STOPPED:
            raise Stopped
        lacks = bench.objection(change, report) if self._is_asked_for_objections(change, report) else ""
        return Drawn(calls, ending, change, report, report, lacks, answers=talk.answers)

    def _is_asked_for_objections(self, change: Change, report: TestReport) -> bool:
        """Where no test is asked for, a change without one is not objected to."""
        wants_test = self.work.reproduce is not Reproduce.OFF or any(is_for_tests(path) for path in change.paths)
        return wants_test and report.is_good_beside(self.work.baseline)

    def _drawn_before(self) -> dict[Essence, Tried]:
        return {
            essence(one.change.patch): Tried(f"candidate {at}", one.known)
            for at, one in enumerate(self.drawn, start=1)
            if one.skipped is None
        }

    def _with_first_replies(self, batch: Sequence[Asking]) -> Sequence[Asking]:
        """The candidates with their first replies, drawn at the same time; those that failed are left out."""
        if len(batch) == 1:
            return batch
        failed = draw_together(batch, self.work.stop)
        for asking in batch if failed is None else ():
            self._pay_for(asking, "a person ended the run")
        if failed is None:
            raise Stopped
        if len(failed) == len(batch):
            raise failed[0][1]
        return [asking for asking in batch if asking not in [one for one, _ in failed]]

    def _pay_for(self, asking: Asking, why: str) -> None:
        """Enter a reply that was drawn and is not used."""
        if asking.drawn is not None:
            self.account.pass_over(asking.drawn, why)


def draw_together(asked: Sequence[Asking], stop: StopCheck) -> list[tuple[Asking, Unavailable]] | None:
    """Draw first replies, each on a thread. Returns those whose service failed; None at a stop.

    `stop` is asked on this thread alone; the others watch a flag.
    """
    flag = threading.Event()
    with ThreadPoolExecutor(len(asked), thread_name_prefix="candidate") as pool:
        futures = [pool.submit(copy_context().run, asking.draw, flag.is_set) for asking in asked]
        try:
            while wait(futures, timeout=POLL_S).not_done:
                if stop():
                    flag.set()
        finally:
            flag.set()
    failed: list[tuple[Asking, Unavailable]] = []
    for asking, future in zip(asked, futures, strict=True):
        match future.exception():
            case None:
                continue
            case Unavailable() as error:
                failed.append((asking, error))
            case Stopped():
                return None
            case error:
                raise error
    return failed


def temperatures(low: float, count: int) -> list[float]:
    """As many temperatures as candidates, each another one, from low to the warmest."""
    if count == 1:
        return [low]
    return [round(low + (WARMEST - low) * at / (count - 1), 3) for at in range(count)]
