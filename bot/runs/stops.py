"""That a run is to stop: asked by a person, or by what became of its issue, its repository, its account."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, Engine, and_, select, update

from bot.records import TriggerKind
from bot.runs.forgetting import Whole
from bot.runs.rows import RUNS, read_runs
from bot.runs.tables import runs
from bot.runs.transactions import transaction


class Stops:
    """What unfinished runs are asked. The first reason stands."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def request(
        self, repository_id: int, number: int, because: str, *, asked_at: str, kinds: Collection[TriggerKind] = RUNS
    ) -> int:
        """Ask the unfinished runs of an issue to stop that were asked for by then. Returns how many were asked."""
        of_issue = and_(runs.c.repository_id == repository_id, runs.c.number == number, runs.c.state == "running")
        found = [run for run in read_runs(self._engine, of_issue) if run.trigger.kind in kinds]
        older = [run.id for run in found if run.trigger.occurred_at <= asked_at]
        return self._request(runs.c.id.in_(older), because)

    def request_of_all(self, what: Whole, because: str) -> int:
        """Ask every unfinished run of a repository or an installation to stop. Returns how many were asked."""
        return self._request(what.among(runs), because)

    def request_of_run(self, run_id: str, because: str) -> int:
        """Ask one run to stop, if it has not ended. Returns how many were asked."""
        return self._request(runs.c.id == run_id, because)

    def _request(self, which: ColumnElement[bool], because: str) -> int:
        condition = and_(which, runs.c.state == "running", runs.c.stop_because.is_(None))
        with transaction(self._engine) as connection:
            return connection.execute(update(runs).where(condition).values(stop_because=because)).rowcount

    def because_of(self, run_id: str) -> str | None:
        """Why the run is to stop; None while nobody asked."""
        with transaction(self._engine) as connection:
            reason: str | None = connection.execute(select(runs.c.stop_because).where(runs.c.id == run_id)).scalar()
        return reason
