"""What is kept of triggers and runs. One small transaction a call; every call may be repeated."""

import json
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from sqlalchemy import Engine, and_, func, select, update

from bot.errors import Gone
from bot.records import Health, Note, Outcome, Progress, Trigger, TriggerKind, dump
from bot.runs.caught_up import CaughtUp
from bot.runs.controls import Controls
from bot.runs.forgetting import Whole
from bot.runs.happenings import Happenings
from bot.runs.inbox import SqlInbox, Waiting
from bot.runs.leases import Held, Nothing, give_back, seconds_now
from bot.runs.listed import of_trigger
from bot.runs.notes import Notes
from bot.runs.orders import keep_order
from bot.runs.owed import FIRST_AFTER_S, owes
from bot.runs.paid import Paid, let_go
from bot.runs.pull_states import PullStates
from bot.runs.rows import PROOFS, PROVING, RUNS, WORK, RunRow, add_facts, read_facts, read_runs, run_id_for
from bot.runs.shelves import Shelves
from bot.runs.spent import spent_in_a_day
from bot.runs.stops import Stops
from bot.runs.tables import answers, inbox, runs
from bot.runs.talk import Talk
from bot.runs.trail import Trail
from bot.runs.transactions import insert_new, transaction
from bot.runs.transferred import Transfers

__all__ = ["DAY_S", "PROOFS", "PROVING", "RUNS", "WORK", "RunRow", "SqlInbox", "Store", "Waiting", "run_id_for"]

DAY_S = 86_400.0
NOTHING = Nothing()


class Store:
    """Triggers and runs, for the worker. What is kept of each subject has a module of its own."""

    def __init__(self, engine: Engine, held: Held = NOTHING) -> None:
        """`held` is what whoever writes about runs must hold; what they write raises where it is lost."""
        self._engine = engine
        self._held = held
        self._inbox = SqlInbox(engine)
        self._notes = Notes(engine)
        self._stops = Stops(engine)
        self._trail = Trail(engine, held)
        self.paid = Paid(engine, held)
        self.talk = Talk(engine)
        self.happenings = Happenings(engine, held)
        self.shelves = Shelves(engine, held)
        self.transfers = Transfers(engine, held)
        self.controls = Controls(engine)
        self.pulls = PullStates(engine)

    def holding(self, held: Held) -> "Store":
        """The same, for who writes about runs as long as this is held."""
        return Store(self._engine, held)

    def require_held(self) -> None:
        """Raise where what must be held is lost: before anything is written elsewhere."""
        with transaction(self._engine) as connection:
            self._held.check(connection)

    # --- What waits

    def waiting(self) -> Sequence[Waiting]:
        """Every trigger that waits, oldest first: for who shows all of it."""
        return self.shelves.all()

    def accepted_at(self, key: str) -> float | None:
        """When a trigger came in, in seconds since the epoch by our own clock; None where none of this key did."""
        return self._inbox.accepted_at(key)

    # --- Runs

    def begin_run(self, waiting: Waiting) -> str:
        """Turn a trigger into a run, in one transaction. Returns the run's id.

        Raises `Gone` where the trigger was forgotten since it was read: it begins nothing.
        """
        trigger = waiting.trigger
        run_id = run_id_for(trigger)
        with transaction(self._engine) as connection:
            self._held.lock(connection)
            is_kept = connection.execute(
                update(inbox).where(inbox.c.seq == waiting.seq).values(state="done", note=f"run {run_id}")
            ).rowcount
            if not is_kept:
                raise Gone("what was asked for is forgotten")
            insert_new(
                connection,
                runs,
                id=run_id,
                installation_id=trigger.issue.repository.installation_id,
                repository_id=trigger.issue.repository.id,
                number=trigger.issue.number,
                trigger=dump(trigger),
                state="running",
                started_at=time.time(),
                **of_trigger(trigger),
            )
        return run_id

    def unfinished(self) -> Sequence[RunRow]:
        """Every run that has not ended, oldest first."""
        return read_runs(self._engine, runs.c.state == "running")

    def runs_of(self, repository_id: int, number: int) -> Sequence[RunRow]:
        """Every run of an issue, oldest first."""
        return read_runs(self._engine, and_(runs.c.repository_id == repository_id, runs.c.number == number))

    def runs_of_all(self, places: Collection[tuple[int, int]]) -> dict[tuple[int, int], list[RunRow]]:
        """Every run of these issues, each a repository's id and a number, oldest first."""
        of_them = and_(
            runs.c.repository_id.in_({repository_id for repository_id, _ in places}),
            runs.c.number.in_({number for _, number in places}),
        )
        found: dict[tuple[int, int], list[RunRow]] = {place: [] for place in places}
        for run in read_runs(self._engine, of_them) if places else ():
            place = run.trigger.issue.repository.id, run.trigger.issue.number
            if place in found:
                found[place].append(run)
        return found

    def numbers_of(self, repository_id: int, number: int) -> frozenset[int]:
        """Where an issue is talked about: its own number, and those of the pull requests that its runs published."""
        there = and_(runs.c.repository_id == repository_id, runs.c.number == number)
        published = and_(there, runs.c.facts.contains('"pull_request": '))
        with transaction(self._engine) as connection:
            facts = [json.loads(text) for text in connection.execute(select(runs.c.facts).where(published)).scalars()]
        pulls = (each.get("pull_request") for each in facts)
        return frozenset((number, *(pull for pull in pulls if isinstance(pull, int))))

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
        found = read_runs(self._engine, runs.c.id == run_id)
        if not found:
            raise KeyError(run_id)
        return found[0]

    def run_ids(self, prefix: str) -> Sequence[str]:
        """The ids of the runs that begin so, in their order."""
        query = select(runs.c.id).where(runs.c.id.startswith(prefix, autoescape=True)).order_by(runs.c.started_at)
        with transaction(self._engine) as connection:
            return [str(row.id) for row in connection.execute(query)]

    def facts(self, run_id: str) -> dict[str, Any]:
        """What the steps of a run found out so far."""
        with transaction(self._engine) as connection:
            return read_facts(connection, run_id)

    def learn(self, run_id: str, **found: Any) -> None:
        """Keep what a step found out. Values are JSON."""
        with transaction(self._engine) as connection:
            self._held.lock(connection)
            add_facts(connection, run_id, found)

    def finish(self, run_id: str, outcome: Outcome | Health, reason: str) -> None:
        """End a run. The first end stands. What it owes in words is tried in a while."""
        still_running = and_(runs.c.id == run_id, runs.c.state == "running")
        values = {"state": "finished", "finished_at": time.time(), "outcome": str(outcome), "reason": reason}
        with transaction(self._engine) as connection:
            self._held.lock(connection)
            later = seconds_now(connection) + FIRST_AFTER_S if owes(connection, run_id) else None
            connection.execute(update(runs).where(still_running).values(**values, resumes_at=later, waits_for=None))
            let_go(connection, run_id)

    def give_back(self, run_id: str, *, wait_s: float, waits_for: str) -> None:
        """Leave a run's place to others: in so many seconds it is taken up again, by a worker that has room for it.

        Whoever tells it has lost it by that.
        """
        with transaction(self._engine) as connection:
            self._held.lock(connection)
            give_back(connection, run_id, wait_s=wait_s, waits_for=waits_for)

    # --- That a run is to stop

    def request_stop(
        self, repository_id: int, number: int, because: str, *, asked_at: str, kinds: Collection[TriggerKind] = RUNS
    ) -> int:
        """Ask the unfinished runs of an issue to stop that were asked for by then. Returns how many were asked."""
        return self._stops.request(repository_id, number, because, asked_at=asked_at, kinds=kinds)

    def request_stop_of_all(self, what: Whole, because: str) -> int:
        """Ask every unfinished run of a repository or an installation to stop. Returns how many were asked."""
        return self._stops.request_of_all(what, because)

    def request_stop_of_run(self, run_id: str, because: str) -> int:
        """Ask one run to stop, if it has not ended. Returns how many were asked."""
        return self._stops.request_of_run(run_id, because)

    def stop_because(self, run_id: str) -> str | None:
        """Why the run is to stop; None while nobody asked. Raises as `require_held`: who has lost it is to end, too."""
        self.require_held()
        return self._stops.because_of(run_id)

    def order_to_forget(self, what: Whole, moment: float | None) -> None:
        """Order that all of it is forgotten that there was up to a moment: up to now where that is not known."""
        with transaction(self._engine) as connection:
            self._held.lock(connection)
            keep_order(connection, what, time.time() if moment is None else moment)

    def let_in_again(self, installation_id: int) -> None:
        """An account lets the App in again: what was left there is gone on with, and what was missed is looked for."""
        is_account = and_(inbox.c.installation_id == installation_id, inbox.c.repository_id == 0)
        went = and_(is_account, inbox.c.number == 0, inbox.c.kind == str(TriggerKind.UNINSTALLED))
        waits = and_(runs.c.installation_id == installation_id, runs.c.resumes_at.is_not(None))
        with transaction(self._engine) as connection:
            self._held.lock(connection)
            connection.execute(update(runs).where(waits).values(resumes_at=seconds_now(connection)))
            since = connection.execute(select(func.max(inbox.c.accepted_at)).where(went)).scalar()
        CaughtUp(self._engine).ask(installation_id, time.time() - DAY_S if since is None else since)

    # --- Its iterations

    def keep_progress(self, run_id: str, progress: Progress) -> None:
        """Keep the newest iteration of a progress, once, and what the run has cost by now."""
        self._trail.keep(run_id, progress)

    def progress(self, run_id: str) -> Progress:
        """The agent's state as last kept: what a crashed run goes on from."""
        return self._trail.progress(run_id)

    def spent_today(self, *, repository_id: int | None = None, installation_id: int | None = None) -> float:
        """USD spent in the last 24 hours, by runs that were forgotten since too."""
        with transaction(self._engine) as connection:
            return spent_in_a_day(
                connection, now=time.time(), repository_id=repository_id, installation_id=installation_id
            )

    # --- What people say, and what they are told

    def add_note(self, trigger: Trigger) -> None:
        """Keep a note for whatever works on its issue, or waits to; the same one twice is one."""
        self._notes.add(trigger)

    def notes_since(self, run_id: str) -> Sequence[Note]:
        """The notes that people gave since the run was asked for, to its end, oldest first; of many the newest."""
        return [note for _, note in self.numbered_notes(run_id)]

    def numbered_notes(self, run_id: str) -> Sequence[tuple[int, Note]]:
        """The same, each with its number: later ones have higher ones."""
        run = self.run(run_id)
        return self._notes.since(run, self._inbox.accepted_at(run.trigger.key))

    def answer_once(self, key: str) -> bool:
        """True for the first caller with this key, False ever after."""
        with transaction(self._engine) as connection:
            return insert_new(connection, answers, key=key, at=time.time())
