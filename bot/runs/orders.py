"""That all of a repository or an installation is to be forgotten: ordered, and carried out as soon as it can be.

An order stays when it is carried out, for what was asked for before it is not to come back from elsewhere.
"""

import logging
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, and_, select, update

from bot.records import RepositoryRef, TriggerKind
from bot.runs.forgetting import Forgetting, Forgotten, Whole
from bot.runs.inbox import trigger_of
from bot.runs.stops import Stops
from bot.runs.tables import controls, inbox
from bot.runs.transactions import insert_new, transaction
from bot.triggers.installing import FOR_GOOD

BECAUSE = "forgotten by the operator"
"""Why runs at work are stopped where an operator orders it."""

_ORDERED, _DONE = "ordered", "done"
_KEY = "forget {}"
_NOTED = "; to be forgotten"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Orders:
    """The orders to forget, given by operators and by taking the App off."""

    engine: Engine
    forgetting: Forgetting

    def give(self, what: Whole, moment: float) -> None:
        """Order that all of it goes that there was up to a moment, and end what is at work for it."""
        stops = Stops(self.engine)
        if what.repository_id is not None:
            stops.request_of_repository(what.repository_id, BECAUSE)
        elif what.installation_id is not None:
            stops.request_of_account(what.installation_id, BECAUSE)
        with transaction(self.engine) as connection:
            _keep(connection, what, moment)

    def carry_out(self) -> dict[Whole, Forgotten]:
        """Forget what was ordered, and can go by now; of the rest, `at_work` says how much has to end before."""
        self._hear()
        query = select(controls.c.key, controls.c.at).where(
            controls.c.key.startswith(_KEY.format("")), controls.c.value == _ORDERED
        )
        with transaction(self.engine) as connection:
            orders = [(_whole(row.key), float(row.at)) for row in connection.execute(query)]
        return {what: self._forget(what, moment) for what, moment in orders}

    def forgotten_until(self, ref: RepositoryRef) -> float | None:
        """Up to when everything of a repository was ordered to be forgotten; None where nothing was."""
        keys = [_KEY.format(what) for what in (Whole(ref.id), Whole(installation_id=ref.installation_id))]
        with transaction(self.engine) as connection:
            moments = connection.execute(select(controls.c.at).where(controls.c.key.in_(keys))).scalars().all()
        return max(moments, default=None)

    def _forget(self, what: Whole, moment: float) -> Forgotten:
        gone = self.forgetting.whole(what, moment)
        if not gone.at_work:
            is_it = and_(controls.c.key == _KEY.format(what), controls.c.at == moment)
            with transaction(self.engine) as connection:
                connection.execute(update(controls).where(is_it).values(value=_DONE))
        log.info("%s is forgotten: %d runs, %d requests; %d runs end yet", what, gone.runs, gone.requests, gone.at_work)
        return gone

    def _hear(self) -> None:
        """Take it for an order that the App was taken off: acted on already, what was at work is ending."""
        acted_on = and_(inbox.c.kind == str(TriggerKind.UNINSTALLED), inbox.c.state == "done")
        query = select(inbox.c.seq, inbox.c.trigger, inbox.c.accepted_at, inbox.c.note).where(
            and_(acted_on, inbox.c.note.not_like(f"%{_NOTED}"))
        )
        with transaction(self.engine) as connection:
            for row in connection.execute(query).all():
                trigger = trigger_of(row.trigger)
                ref = trigger.issue.repository
                if trigger.because == FOR_GOOD:
                    _keep(connection, Whole(ref.id) if ref.id else Whole(None, ref.installation_id), row.accepted_at)
                noted = update(inbox).where(inbox.c.seq == row.seq).values(note=f"{row.note}{_NOTED}")
                connection.execute(noted)


def _keep(connection: Connection, what: Whole, moment: float) -> None:
    """An order of before stands where it is of the same, and goes further."""
    row = {"value": _ORDERED, "at": moment}
    if not insert_new(connection, controls, key=_KEY.format(what), **row):
        newer = and_(controls.c.key == _KEY.format(what), controls.c.at < moment)
        connection.execute(update(controls).where(newer).values(**row))


def _whole(key: str) -> Whole:
    kind, number = key.removeprefix(_KEY.format("")).split()
    return Whole(int(number)) if kind == "repository" else Whole(installation_id=int(number))
