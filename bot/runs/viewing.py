"""What is kept of runs, read for who looks at it: of what is long, no more than is asked for."""

import hashlib
import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, and_, func, select, true

from bot.records import (
    Choices,
    Examination,
    Happening,
    Iteration,
    NumbersChoice,
    Proof,
    Queue,
    RunChoice,
    RunLine,
    RunList,
    RunStory,
    Task,
    TestPlan,
    TestReport,
    Verdict,
    WaitingLine,
    WorkedIssue,
    load,
)
from bot.runs.choosing import IS_ASKED_FOR, IS_WORK, LINE, behind, chosen_by, line_of_row, may_be_seen
from bot.runs.deciding import AtOnce
from bot.runs.happenings import happened_in, happened_since
from bot.runs.inbox import trigger_of
from bot.runs.overview import overview
from bot.runs.store import RUNS, Store, run_id_for
from bot.runs.tables import inbox, iterations, runs
from bot.runs.trail import lines_of
from bot.runs.transactions import transaction
from bot.runs.worked import WORKED, worked_issues

T = TypeVar("T")

CHOICES_AT_MOST = 500
SEEN_AT_MOST = 200
"""How many runs at work a mark goes by, the newest of them."""

QUEUE_EVERY_S = 1.0
CHOICES_EVERY_S = 10.0
"""How often the queue, and what there is to choose among, are read at most, however many look at it."""


@dataclass
class SqlViewing:
    """`records.Viewing` over the database, for any number of threads."""

    engine: Engine
    at_once: AtOnce = field(default_factory=AtOnce)
    clock: Callable[[], float] = time.monotonic
    _queue: tuple[float, Queue] | None = field(default=None, init=False)
    _newest: int | None = field(default=None, init=False)
    _choices: tuple[float, Choices] | None = field(default=None, init=False)

    @property
    def _store(self) -> Store:
        return Store(self.engine)

    def runs(self, choice: RunChoice) -> RunList:
        """A page of runs, newest first."""
        chosen = chosen_by(choice)
        page = select(*LINE).where(chosen, behind(choice.before)).order_by(runs.c.started_at.desc(), runs.c.id.desc())
        total = select(func.count(), func.coalesce(func.sum(runs.c.cost_usd), 0.0)).select_from(runs).where(chosen)
        with transaction(self.engine) as connection:
            found = connection.execute(page.limit(choice.limit + 1)).all()
            count, cost_usd = connection.execute(total).one()
        shown = found[: choice.limit]
        older = f"{shown[-1].started_at!r}~{shown[-1].id}" if len(found) > choice.limit else ""
        return RunList(tuple(map(line_of_row, shown)), count, float(cost_usd), older)

    def choices(self, among: Collection[int] | None) -> Choices:
        """What there is to choose among; to the operator, who sees all, as it was a moment ago."""
        known, now = self._choices, self.clock()
        if among is None and known is not None and now - known[0] < CHOICES_EVERY_S:
            return known[1]
        choices = self._read_choices(among)
        if among is None:
            self._choices = now, choices
        return choices

    def _read_choices(self, among: Collection[int] | None) -> Choices:
        def distinct(connection: Connection, column: ColumnElement[Any]) -> tuple[str, ...]:
            query = select(column).where(column.is_not(None), may_be_seen(among)).distinct().order_by(column)
            return tuple(connection.execute(query.limit(CHOICES_AT_MOST)).scalars())

        with transaction(self.engine) as connection:
            return Choices(
                repositories=distinct(connection, runs.c.repository),
                people=distinct(connection, runs.c.asked_by),
                models=distinct(connection, runs.c.model),
            )

    def queue(self, among: Collection[int] | None) -> Queue:
        """What waits, the next first."""
        known, now = self._queue, self.clock()
        whole = known[1] if known is not None and now - known[0] < QUEUE_EVERY_S else self._queue_anew(now)
        if among is None:
            return whole
        seen = tuple(each for each in whole.waiting if each.repository_id in among)
        return Queue(seen, whole.paused_at, whole.workers, whole.places)

    def _queue_anew(self, now: float) -> Queue:
        self._newest = self._newest_waiting()
        whole = self._read_queue()
        self._queue = now, whole
        return whole

    def _newest_waiting(self) -> int | None:
        with transaction(self.engine) as connection:
            return connection.execute(select(func.max(inbox.c.seq)).where(inbox.c.state == "waiting")).scalar()

    def _read_queue(self) -> Queue:
        store = self._store
        waiting = store.waiting()
        view = overview(
            waiting=waiting,
            active=store.unfinished(),
            workers=store.controls.workers(),
            wanted=store.controls.wanted(),
            at_once=self.at_once,
        )
        triggers = {run_id_for(each.trigger): each.trigger for each in waiting}
        lines = tuple(
            WaitingLine(
                run_id=entry.id,
                repository_id=triggers[entry.id].issue.repository.id,
                repository=entry.repository,
                number=entry.number,
                kind=entry.kind,
                asked_by=triggers[entry.id].sender.login,
                since=entry.since,
                place=entry.place,
                why=entry.why,
            )
            for entry in view.waiting
            if entry.kind in RUNS
        )
        working = [worker for worker in view.workers if not worker.drains]
        return Queue(lines, view.paused_at, len(view.workers), sum(worker.places for worker in working))

    def line(self, run_id: str) -> RunLine | None:
        """One run; None where none is kept."""
        with transaction(self.engine) as connection:
            row = connection.execute(select(*LINE).where(runs.c.id == run_id)).first()
        return None if row is None else line_of_row(row)

    def waiting(self, run_id: str) -> WaitingLine | None:
        """What waits to become this run, be it since this moment: whoever has asked for it is led here at once."""
        found = _of(self.queue(None), run_id)
        if found is None and self._newest_waiting() != self._newest:
            found = _of(self._queue_anew(self.clock()), run_id)
        return found

    def story(self, run_id: str) -> RunStory | None:
        """One run as far as it has come."""
        with transaction(self.engine) as connection:
            row = connection.execute(select(*LINE, runs.c.facts).where(runs.c.id == run_id)).first()
            if row is None:
                return None
            lines, happened = lines_of(connection, run_id), happened_in(connection, run_id)
            of_run = select(iterations.c.verdict, iterations.c.why).where(iterations.c.run_id == run_id)
            last = connection.execute(of_run.order_by(iterations.c.number.desc()).limit(1)).first()
            same = and_(runs.c.repository_id == row.repository_id, runs.c.number == row.number, runs.c.id != run_id)
            wanted = and_(same, IS_ASKED_FOR)
            others = connection.execute(select(*LINE).where(wanted).order_by(runs.c.started_at).limit(50)).all()
        facts = json.loads(row.facts)
        notes = self._store.notes_since(run_id)

        def record(name: str, kind: type[T]) -> T | None:
            text = facts.get(name)
            return load(kind, text) if text else None

        return RunStory(
            run=line_of_row(row),
            text=trigger_of(row.trigger).text,
            task=record("task", Task),
            plan=record("plan", TestPlan),
            baseline=record("baseline", TestReport),
            iterations=lines,
            verdict=Verdict(last.verdict) if last and last.verdict else None,
            why=last.why if last else "",
            doubts=str(facts.get("doubts", "")),
            proof=record("proof", Proof),
            base_sha=str(facts.get("base", "")),
            head_sha=str(facts.get("head_sha") or ""),
            notes=tuple(notes),
            happenings=happened,
            examination=record("examination", Examination),
            others=tuple(map(line_of_row, others)),
        )

    def iteration(self, run_id: str, number: int) -> tuple[Iteration, int] | None:
        """One iteration whole, and how many calls there were before it; None where there is none of this number."""
        whole = self._whole(run_id, number)
        if whole is None:
            return None
        with transaction(self.engine) as connection:
            lines = lines_of(connection, run_id)
        return whole, sum(line.calls for line in lines if line.number < number)

    def _whole(self, run_id: str, number: int) -> Iteration | None:
        place = and_(iterations.c.run_id == run_id, iterations.c.number == number)
        with transaction(self.engine) as connection:
            text = connection.execute(select(iterations.c.iteration).where(place)).scalar()
        return load(Iteration, text) if text else None

    def iteration_of_call(self, run_id: str, call: int) -> tuple[Iteration, int] | None:
        """The iteration that holds a call, and how many calls there were before it."""
        with transaction(self.engine) as connection:
            lines = lines_of(connection, run_id)
        before = 0
        for line in lines:
            if before < call <= before + line.calls:
                found = self._whole(run_id, line.number)
                return None if found is None else (found, before)
            before += line.calls
        return None

    def issues(self, choice: NumbersChoice) -> Sequence[WorkedIssue]:
        """The issues that were worked on, those first that were begun first."""
        chosen = [runs.c.started_at >= choice.since, may_be_seen(choice.among), IS_WORK]
        if choice.repository:
            chosen.append(runs.c.repository == choice.repository)
        query = select(*WORKED).where(*chosen).order_by(runs.c.started_at)
        with transaction(self.engine) as connection:
            worked = worked_issues(connection.execute(query))
        return [each for each in worked if choice.model in ("", each.model)]

    def news(self, followed: Mapping[str, int]) -> Mapping[str, tuple[Happening, ...]]:
        """What happened in these runs since."""
        with transaction(self.engine) as connection:
            return happened_since(connection, followed)

    def mark(self, among: Collection[int] | None) -> str:
        """How the runs of these repositories stand, and what waits there."""
        chosen, asked = may_be_seen(among), true() if among is None else inbox.c.repository_id.in_(among)
        by_no_index = runs.c.repository_id + 0  # but by that of the order
        in_order = true() if among is None else by_no_index.in_(among)
        at_work = (
            select(
                runs.c.id, runs.c.step, runs.c.iteration_count, runs.c.cost_usd, runs.c.resumes_at, runs.c.stop_because
            )
            .where(runs.c.state == "running", chosen)
            .order_by(runs.c.started_at.desc())
            .limit(SEEN_AT_MOST)
        )
        working = select(func.count()).select_from(runs).where(runs.c.state == "running", chosen)
        newest = select(runs.c.started_at).where(in_order).order_by(runs.c.started_at.desc()).limit(1)
        waits = select(func.count(), func.max(inbox.c.seq)).where(inbox.c.state == "waiting", asked)
        with transaction(self.engine) as connection:
            found = [tuple(row) for query in (at_work, working, newest, waits) for row in connection.execute(query)]
        places = [(each.run_id, each.place) for each in self.queue(among).waiting] if among and found[-1][0] else []
        return hashlib.sha256(repr((found, places)).encode()).hexdigest()[:16]


def _of(queue: Queue, run_id: str) -> WaitingLine | None:
    return next((each for each in queue.waiting if each.run_id == run_id), None)
