"""What is kept of triggers and runs. One small transaction a call; every call may be repeated."""

import json
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Engine, and_, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from bot.records import (
    Health,
    Iteration,
    Note,
    Outcome,
    Progress,
    Receipt,
    Spend,
    Subject,
    SubjectKind,
    Trigger,
    TriggerKind,
    Verdict,
    dump,
    load,
)
from bot.runs.tables import answers, inbox, iterations, notes, runs
from bot.runs.talk import Talk
from bot.runs.transactions import transaction

_RUN_IDS = uuid.UUID("6f1c0f0e-6d0c-4d6f-9c59-5e1fc0de0001")
DAY_S = 86_400.0
NOTES_AT_MOST = 30
"""Notes that one run is given: they go into a prompt."""

WORK = (TriggerKind.START, TriggerKind.RETRY, TriggerKind.REVIEW, TriggerKind.MEND, TriggerKind.ANSWER)
"""What becomes a run: work on an issue."""

PROOFS = (TriggerKind.ACCEPT, TriggerKind.RENEW, TriggerKind.MOVED, TriggerKind.CHECKS)
"""What is about a pull request that is there already, and its proof: like work, one at a time on an issue."""

PROVING = (Outcome.PROVEN, Outcome.UNPROVEN)
"""How a run ends that got to say its proof: another end leaves it kept and unsaid."""

RUNS = (*WORK, *PROOFS, TriggerKind.DOCTOR)
"""What is kept, queued and told as a run: an examination too, which is of the repository and no work on an issue."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A trigger that was accepted and not yet acted on. `accepted_at` is by our own clock, where it is known."""

    seq: int
    trigger: Trigger
    accepted_at: float | None = None


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as it is kept. Times are seconds since the epoch."""

    id: str
    trigger: Trigger
    is_finished: bool
    started_at: float
    finished_at: float | None
    stop_because: str | None
    outcome: Outcome | Health | None
    reason: str | None


_NONE: Mapping[int, Waiting] = MappingProxyType({})


def run_id_for(trigger: Trigger) -> str:
    """The id of the run that a trigger starts: the same however often it is asked."""
    return uuid.uuid5(_RUN_IDS, trigger.key).hex[:16]


class SqlInbox:
    """Where accepted triggers wait: one INSERT each, unique by what they ask."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def accept(self, trigger: Trigger) -> Receipt:
        """Keep a trigger. `DUPLICATE` where the same one was accepted before, however it came out since."""
        row = {
            "key": trigger.key,
            "kind": str(trigger.kind),
            "installation_id": trigger.issue.repository.installation_id,
            "repository_id": trigger.issue.repository.id,
            "number": trigger.issue.number,
            "trigger": dump(trigger),
            "accepted_at": time.time(),
            "state": "waiting",
        }
        try:
            with transaction(self._engine) as connection:
                connection.execute(insert(inbox).values(**row))
        except IntegrityError:
            return Receipt.DUPLICATE
        return Receipt.ACCEPTED


class Store:
    """Triggers and runs, for the worker."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.talk = Talk(engine)

    def waiting(self, known: Mapping[int, Waiting] = _NONE) -> Sequence[Waiting]:
        """Every trigger that waits, oldest first. What is `known` by its `seq` comes back as given, and is not read."""
        columns = (inbox.c.seq, inbox.c.trigger, inbox.c.accepted_at)
        waits = inbox.c.state == "waiting"
        with transaction(self._engine) as connection:
            waiting = connection.execute(select(inbox.c.seq).where(waits).order_by(inbox.c.seq)).scalars().all()
            oldest = next((seq for seq in waiting if seq not in known), None)
            rows = () if oldest is None else connection.execute(select(*columns).where(waits, inbox.c.seq >= oldest))
            new = {
                row.seq: Waiting(row.seq, _trigger(row.trigger), row.accepted_at)
                for row in rows
                if row.seq not in known
            }
        found = (known.get(seq) or new.get(seq) for seq in waiting)
        return [each for each in found if each is not None]

    def settle(self, seq: int, note: str) -> None:
        """Mark a trigger as done, with what came of it."""
        with transaction(self._engine) as connection:
            connection.execute(update(inbox).where(inbox.c.seq == seq).values(state="done", note=note))

    def accepted_at(self, key: str) -> float | None:
        """When a trigger came in, in seconds since the epoch by our own clock; None where none of this key did."""
        with transaction(self._engine) as connection:
            moment: float | None = connection.execute(select(inbox.c.accepted_at).where(inbox.c.key == key)).scalar()
        return moment

    def begin_run(self, waiting: Waiting) -> str:
        """Turn a trigger into a run, in one transaction. Returns the run's id."""
        trigger = waiting.trigger
        run_id = run_id_for(trigger)
        with transaction(self._engine) as connection:
            connection.execute(
                update(inbox).where(inbox.c.seq == waiting.seq).values(state="done", note=f"run {run_id}")
            )
            if connection.execute(select(runs.c.id).where(runs.c.id == run_id)).first() is None:
                connection.execute(
                    insert(runs).values(
                        id=run_id,
                        installation_id=trigger.issue.repository.installation_id,
                        repository_id=trigger.issue.repository.id,
                        number=trigger.issue.number,
                        trigger=dump(trigger),
                        state="running",
                        started_at=time.time(),
                    )
                )
        return run_id

    def unfinished(self) -> Sequence[RunRow]:
        """Every run that has not ended, oldest first."""
        return self._runs(runs.c.state == "running")

    def runs_of(self, repository_id: int, number: int) -> Sequence[RunRow]:
        """Every run of an issue, oldest first."""
        return self._runs(and_(runs.c.repository_id == repository_id, runs.c.number == number))

    def published_as(self, repository_id: int, pull_request: int) -> RunRow | None:
        """The newest run that published this pull request, or that was about it."""
        return self._newest(repository_id, pull_request, lambda _: True)

    def proven_for(self, repository_id: int, pull_request: int, *, told: bool = False) -> RunRow | None:
        """The newest run that a proof of this pull request is kept of; `told`: of those that got to say it."""
        outcomes = PROVING if told else None
        return self._newest(repository_id, pull_request, lambda facts: bool(facts.get("proof")), outcomes)

    def _newest(
        self,
        repository_id: int,
        number: int,
        fits: Callable[[dict[str, Any]], bool],
        outcomes: Collection[Outcome] | None = None,
    ) -> RunRow | None:
        """The newest run about a pull request that fits; the text alone leaves few to be read."""
        named = and_(runs.c.repository_id == repository_id, runs.c.facts.contains(f'"pull_request": {number}'))
        chosen = named if outcomes is None else and_(named, runs.c.outcome.in_([str(each) for each in outcomes]))
        query = select(runs.c.id, runs.c.facts).where(chosen).order_by(runs.c.started_at.desc(), runs.c.id)
        with transaction(self._engine) as connection:
            known = [(str(row.id), json.loads(row.facts)) for row in connection.execute(query)]
        newest = next((run for run, facts in known if facts.get("pull_request") == number and fits(facts)), None)
        return self.run(newest) if newest else None

    def run(self, run_id: str) -> RunRow:
        """One run by its id. Raises `KeyError` where there is none."""
        found = self._runs(runs.c.id == run_id)
        if not found:
            raise KeyError(run_id)
        return found[0]

    def run_ids(self, prefix: str) -> Sequence[str]:
        """The ids of the runs that begin so, in their order."""
        query = select(runs.c.id).where(runs.c.id.startswith(prefix, autoescape=True)).order_by(runs.c.started_at)
        with transaction(self._engine) as connection:
            return [str(row.id) for row in connection.execute(query)]

    def _runs(self, condition: Any) -> list[RunRow]:
        with transaction(self._engine) as connection:
            rows = connection.execute(select(*_OF_A_RUN).where(condition).order_by(runs.c.started_at, runs.c.id)).all()
        return [
            RunRow(
                id=row.id,
                trigger=_trigger(row.trigger),
                is_finished=row.state == "finished",
                started_at=row.started_at,
                finished_at=row.finished_at,
                stop_because=row.stop_because,
                outcome=_outcome(row.outcome),
                reason=row.reason,
            )
            for row in rows
        ]

    def request_stop(
        self, repository_id: int, number: int, because: str, *, asked_at: str, kinds: Collection[TriggerKind] = RUNS
    ) -> int:
        """Ask the unfinished runs of an issue to stop that were asked for by then. Returns how many were asked."""
        of_issue = and_(runs.c.repository_id == repository_id, runs.c.number == number, runs.c.state == "running")
        found = [run for run in self._runs(of_issue) if run.trigger.kind in kinds]
        older = [run.id for run in found if run.trigger.occurred_at <= asked_at]
        return self._request_stop(runs.c.id.in_(older), because)

    def request_stop_of_repository(self, repository_id: int, because: str) -> int:
        """Ask every unfinished run of a repository to stop. Returns how many were asked."""
        return self._request_stop(runs.c.repository_id == repository_id, because)

    def request_stop_of_account(self, installation_id: int, because: str) -> int:
        """Ask every unfinished run of an installation to stop. Returns how many were asked."""
        return self._request_stop(runs.c.installation_id == installation_id, because)

    def _request_stop(self, which: Any, because: str) -> int:
        condition = and_(which, runs.c.state == "running", runs.c.stop_because.is_(None))
        with transaction(self._engine) as connection:
            return connection.execute(update(runs).where(condition).values(stop_because=because)).rowcount

    def stop_because(self, run_id: str) -> str | None:
        """Why the run is to stop; None while nobody asked."""
        with transaction(self._engine) as connection:
            reason: str | None = connection.execute(select(runs.c.stop_because).where(runs.c.id == run_id)).scalar()
        return reason

    def facts(self, run_id: str) -> dict[str, Any]:
        """What the steps of a run found out so far."""
        with transaction(self._engine) as connection:
            return _facts(connection, run_id)

    def learn(self, run_id: str, **found: Any) -> None:
        """Keep what a step found out. Values are JSON."""
        with transaction(self._engine) as connection:
            _add_facts(connection, run_id, found)

    def keep_progress(self, run_id: str, progress: Progress) -> None:
        """Keep the newest iteration of a progress, once, and what the run has cost by now."""
        if not progress.iterations:
            return
        newest = progress.iterations[-1]
        row = {
            "iteration": dump(newest),
            "verdict": str(progress.verdict) if progress.verdict else None,
            "why": progress.why,
        }
        with transaction(self._engine) as connection:
            place = and_(iterations.c.run_id == run_id, iterations.c.number == newest.number)
            if connection.execute(update(iterations).where(place).values(**row)).rowcount == 0:
                connection.execute(insert(iterations).values(run_id=run_id, number=newest.number, **row))
            connection.execute(update(runs).where(runs.c.id == run_id).values(cost_usd=progress.spend.cost_usd or 0.0))
            if progress.doubts:
                _add_facts(connection, run_id, {"doubts": progress.doubts})

    def progress(self, run_id: str) -> Progress:
        """The agent's state as last kept: what a crashed run goes on from."""
        query = select(iterations).where(iterations.c.run_id == run_id).order_by(iterations.c.number)
        with transaction(self._engine) as connection:
            rows = connection.execute(query).all()
            doubts = str(_facts(connection, run_id).get("doubts", "")) if rows else ""
        if not rows:
            return Progress()
        done = tuple(load(Iteration, row.iteration) for row in rows)
        last = rows[-1]
        spend: Spend = done[-1].spend
        return Progress(done, spend, Verdict(last.verdict) if last.verdict else None, last.why, doubts)

    def finish(self, run_id: str, outcome: Outcome | Health, reason: str) -> None:
        """End a run. The first end stands."""
        still_running = and_(runs.c.id == run_id, runs.c.state == "running")
        values = {"state": "finished", "finished_at": time.time(), "outcome": str(outcome), "reason": reason}
        with transaction(self._engine) as connection:
            connection.execute(update(runs).where(still_running).values(**values))

    def spent_today(self, *, repository_id: int | None = None, installation_id: int | None = None) -> float:
        """USD spent by the runs that began in the last 24 hours."""
        condition = runs.c.started_at > time.time() - DAY_S
        if repository_id is not None:
            condition = and_(condition, runs.c.repository_id == repository_id)
        if installation_id is not None:
            condition = and_(condition, runs.c.installation_id == installation_id)
        with transaction(self._engine) as connection:
            return float(
                connection.execute(select(func.coalesce(func.sum(runs.c.cost_usd), 0.0)).where(condition)).scalar_one()
            )

    def add_note(self, trigger: Trigger) -> None:
        """Keep a note for whatever works on its issue, or waits to; the same one twice is one."""
        row = {
            "key": trigger.key,
            "repository_id": trigger.issue.repository.id,
            "number": trigger.issue.number,
            "author": trigger.sender.login[:100],
            "text": trigger.text,
            "at": time.time(),
        }
        try:
            with transaction(self._engine) as connection:
                connection.execute(insert(notes).values(**row))
        except IntegrityError:
            return

    def notes_since(self, run_id: str) -> Sequence[Note]:
        """The notes that people gave since the run was asked for, to its end, oldest first; of many the newest."""
        run = self.run(run_id)
        asked_at = self.accepted_at(run.trigger.key)
        issue, since = run.trigger.issue, run.started_at if asked_at is None else asked_at
        condition = and_(notes.c.repository_id == issue.repository.id, notes.c.number == issue.number)
        condition = and_(condition, notes.c.at >= since)
        if run.finished_at is not None:
            condition = and_(condition, notes.c.at <= run.finished_at)
        query = select(notes.c.author, notes.c.text).where(condition).order_by(notes.c.seq.desc()).limit(NOTES_AT_MOST)
        with transaction(self._engine) as connection:
            newest = [Note(row.author, row.text) for row in connection.execute(query)]
        return newest[::-1]

    def answer_once(self, key: str) -> bool:
        """True for the first caller with this key, False ever after."""
        try:
            with transaction(self._engine) as connection:
                connection.execute(insert(answers).values(key=key, at=time.time()))
        except IntegrityError:
            return False
        return True


_OF_A_RUN = (
    runs.c.id,
    runs.c.trigger,
    runs.c.state,
    runs.c.started_at,
    runs.c.finished_at,
    runs.c.stop_because,
    runs.c.outcome,
    runs.c.reason,
)
"""What a `RunRow` is made of; `facts`, which may be long, is read by whoever wants it."""


def _trigger(text: str) -> Trigger:
    """A trigger as it was kept. Before there were subjects, one had the number of its comment."""
    trigger = load(Trigger, text)
    if trigger.subject is not None or '"comment_id"' not in text:
        return trigger
    comment_id = json.loads(text).get("comment_id")
    return replace(trigger, subject=Subject(SubjectKind.ISSUE_COMMENT, comment_id)) if comment_id else trigger


def _lock(connection: Connection, run_id: str) -> None:
    """Take the write lock before what is read is written back: SQLite's transactions begin with their first write."""
    connection.execute(update(runs).where(runs.c.id == run_id).values(state=runs.c.state))


def _add_facts(connection: Connection, run_id: str, found: dict[str, Any]) -> None:
    _lock(connection, run_id)
    known = _facts(connection, run_id) | found
    connection.execute(update(runs).where(runs.c.id == run_id).values(facts=json.dumps(known)))


def _facts(connection: Connection, run_id: str) -> dict[str, Any]:
    text = connection.execute(select(runs.c.facts).where(runs.c.id == run_id)).scalar_one()
    facts: dict[str, Any] = json.loads(text)
    return facts


def _outcome(text: str | None) -> Outcome | Health | None:
    if not text:
        return None
    return Health(text) if text in set(Health) else Outcome(text)
