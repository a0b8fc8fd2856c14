"""Repositories that went to another account, where the App is too: what is kept of them is that installation's now."""

from dataclasses import replace

from sqlalchemy import Engine, and_, select, update

from bot.records import RepositoryRef, TriggerKind, dump
from bot.runs.inbox import trigger_of
from bot.runs.leases import Held
from bot.runs.orders import ordered_installations
from bot.runs.shelf import shelf_of_new
from bot.runs.tables import inbox, runs
from bot.runs.transactions import transaction


class Transfers:
    """Takes on what another installation had. Whoever does it must hold what `held` says."""

    def __init__(self, engine: Engine, held: Held) -> None:
        self._engine = engine
        self._held = held

    def take_on(self, ref: RepositoryRef) -> int:
        """Have all of a repository be this installation's. Returns how much of it waits; it may be repeated.

        A run at work goes on under the number that it began with, by which its mirror is found; it counts as the new
        account's from now on. What an installation had that was taken off is not had back: it is being forgotten.
        """
        with transaction(self._engine) as connection:
            self._held.lock(connection)
            not_from = {ref.installation_id, *ordered_installations(connection)}
            of_others, told = (
                and_(table.c.repository_id == ref.id, table.c.installation_id.not_in(not_from))
                for table in (inbox, runs)
            )
            requests = and_(of_others, inbox.c.kind.not_in([str(kind) for kind in _OF_THE_APP]))
            query = select(inbox.c.seq, inbox.c.trigger).where(requests, inbox.c.state == "waiting")
            connection.execute(update(runs).where(told).values(installation_id=ref.installation_id))
            waiting = connection.execute(query).all()
            for row in waiting:
                trigger = trigger_of(row.trigger)
                moved = replace(trigger, issue=replace(trigger.issue, repository=ref))
                shelf = str(shelf_of_new(trigger.kind))
                values = {"installation_id": ref.installation_id, "trigger": dump(moved), "shelf": shelf}
                connection.execute(update(inbox).where(inbox.c.seq == row.seq).values(**values))
            connection.execute(update(inbox).where(requests).values(installation_id=ref.installation_id))
        return len(waiting)

    def is_gone_over(self, ref: RepositoryRef) -> bool:
        """Whether another installation was the last to see the repository: this one has nothing more of it to lose."""
        came = and_(inbox.c.repository_id == ref.id, inbox.c.number == 0, inbox.c.kind == str(TriggerKind.INSTALLED))
        newest = select(inbox.c.installation_id).where(came).order_by(inbox.c.seq.desc()).limit(1)
        with transaction(self._engine) as connection:
            last = connection.execute(newest).scalar()
        return last is not None and last != ref.installation_id


_OF_THE_APP = (TriggerKind.INSTALLED, TriggerKind.UNINSTALLED)
