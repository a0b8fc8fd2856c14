"""Drawing candidates for an iteration, each tested in a tree of its own, and choosing the one that goes on."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

from bot.agent.approach import WARMEST, Tried
from bot.agent.assignment import Account, Assignment
from bot.agent.conversation import Conversation, Ended, Ending
from bot.agent.decision import Untested, untested, why_next
from bot.agent.reproduction import is_for_tests
from bot.agent.sameness import Essence, essence
from bot.agent.standing import NOWHERE, Standing, standing, words
from bot.errors import Stopped, Unavailable
from bot.records import Call, Candidate, Change, ReportState, Reproduce, StopCheck, TestReport, Workbench

POLL_S = 0.1

Arrange = Callable[[Workbench], object]
"""Bring a fresh copy of the tree to where the iteration begins."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One candidate: what was said and changed, and what the tests say of it.

    `report` is of a run just now, `known` also of an earlier one of the same change.
    """

    calls: tuple[Call, ...]
    ending: Ending
    change: Change
    report: TestReport | None = None
    known: TestReport | None = None
    objection: str = ""
    skipped: Untested | None = None

    def is_good(self, baseline: TestReport | None) -> bool:
        """Whether the tests pass, or fail only where they did before."""
        return self.known is not None and not self.change.is_empty and self.known.is_good_beside(baseline)

    def is_done(self, baseline: TestReport | None) -> bool:
        """Whether the tests pass and nothing is missing, so that no other need be drawn."""
        return self.is_good(baseline) and not self.objection


@dataclass(slots=True)
class Drawing:
    """The candidates for one iteration. `drawn` and the account hold what there is, also where a stop cuts it short."""

    work: Assignment
    account: Account
    talks: Sequence[Conversation]
    arrange: Arrange
    seen: Mapping[Essence, Tried]
    at_once: int = 1
    drawn: list[Drawn] = field(default_factory=list)

    def draw(self) -> None:
        """Draw one after the other until one is done or a limit is reached. Raises `Stopped`.

        Raises `Unavailable` only where nothing was drawn yet.
        """
        for first in range(0, len(self.talks), self.at_once):
            if self._reached(first):
                return
            try:
                if self._draw_batch(first):
                    return
            except Unavailable as error:
                if not self.drawn:
                    raise
                calls = self.account.end_talk()
                self.account.others += [Candidate(Change(), None, calls, f"not finished: {error}")] if calls else []
                return

    def _draw_batch(self, first: int) -> bool:
        """Whether one is done; what was drawn ahead and is not needed then is still paid for."""
        is_done = False
        batch = self._with_first_replies(self.talks[first : first + self.at_once])
        for number, talk in enumerate(batch, start=first):
            unused = "a candidate before it was good" if is_done else self._reached(number)
            if unused:
                self._pay_for(talk, f"not needed: {unused}")
                continue
            with self._bench(number) as bench:
                talk.bench = bench
                self.account.begin(talk)
                ending = talk.run()
                found = self._judged(talk, ending)
            self.account.end_talk()
            self.drawn.append(found)
            is_done = found.is_done(self.work.baseline)
        return is_done

    def _reached(self, number: int) -> str:
        return self.account.limit(self.work.caps) if number and self.drawn else ""

    def _bench(self, number: int) -> AbstractContextManager[Workbench]:
        return nullcontext(self.work.bench) if number == 0 else self._fork()

    @contextmanager
    def _fork(self) -> Iterator[Workbench]:
        with self.work.bench.fork() as bench:
            self.arrange(bench)
            yield bench

    def _judged(self, talk: Conversation, ending: Ending) -> Drawn:
        """Test a change, unless there is no point in it."""
        bench, work = talk.bench, self.work
        change = bench.change()
        seen = {**self.seen, **self._drawn_before()}
        skipped = untested(change, seen, caps=work.caps, given=talk.given)
        if ending.how is Ended.NOTHING:
            skipped = Untested("no change was needed")
        if skipped is not None:
            return Drawn(tuple(talk.calls), ending, change, None, skipped.report, skipped.objection, skipped=skipped)
        report = bench.test()
        if report.state is ReportState.STOPPED:
            raise Stopped
        lacks = bench.objection(change, report) if self._is_asked_for_objections(change, report) else ""
        return Drawn(tuple(talk.calls), ending, change, report, report, lacks)

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

    def _with_first_replies(self, batch: Sequence[Conversation]) -> Sequence[Conversation]:
        """The talks with their first replies, drawn at the same time; those that failed are left out."""
        if len(batch) == 1:
            return batch
        failed = draw_together(batch, self.work.stop)
        for talk in batch if failed is None else ():
            self._pay_for(talk, "a person ended the run")
        if failed is None:
            raise Stopped
        if len(failed) == len(batch):
            raise failed[0][1]
        return [talk for talk in batch if talk not in [one for one, _ in failed]]

    def _pay_for(self, talk: Conversation, why: str) -> None:
        """Enter a reply that was drawn and is not used."""
        call = talk.drawn
        if call is not None:
            self.account.others.append(Candidate(Change(), None, (call,), why))
            self.account.spend = self.account.spend.plus(call.usage)


def draw_together(talks: Sequence[Conversation], stop: StopCheck) -> list[tuple[Conversation, Unavailable]] | None:
    """Draw the talks' first replies, each on a thread. Returns the talks whose service failed; None at a stop.

    `stop` is asked on this thread alone; the others watch a flag.
    """
    flag = threading.Event()
    with ThreadPoolExecutor(len(talks), thread_name_prefix="candidate") as pool:
        futures = [pool.submit(talk.draw, flag.is_set) for talk in talks]
        try:
            while wait(futures, timeout=POLL_S).not_done:
                if stop():
                    flag.set()
        finally:
            flag.set()
    failed: list[tuple[Conversation, Unavailable]] = []
    for talk, future in zip(talks, futures, strict=True):
        match future.exception():
            case None:
                continue
            case Unavailable() as error:
                failed.append((talk, error))
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


def best(drawn: Sequence[Drawn], baseline: TestReport | None) -> int:
    """Which one goes on: green first, then what mends most and breaks least, then the smallest change."""

    def worth(at: int) -> tuple[bool, bool, Standing, bool, bool, int]:
        one = drawn[at]
        found = standing(one.known, baseline)
        is_new = one.skipped is None
        lines = one.change.added_lines + one.change.removed_lines
        return (
            one.is_done(baseline),
            found.is_good or is_new,
            found if found.is_good or is_new else NOWHERE,
            not one.change.is_empty,
            one.ending.how is not Ended.GAVE_UP,
            -lines,
        )

    return max(range(len(drawn)), key=worth)


def passed_over(one: Drawn, chosen: Drawn, baseline: TestReport | None) -> Candidate:
    """A candidate that the iteration does not go on with, and why."""
    why = why_next(one.known, baseline, objection=one.objection, skipped=one.skipped)
    if one.report is not None:
        mine, its = standing(one.report, baseline), standing(chosen.known, baseline)
        same = "as far as the one that was taken, by a larger change" if mine == its else "not the best"
        why = f"{same}: {words(mine, baseline)}" + (f", but: {one.objection}" if one.objection else "")
    elif one.ending.how in (Ended.GAVE_UP, Ended.LIMIT):
        why = one.ending.words
    return Candidate(one.change, one.report, one.calls, why)
