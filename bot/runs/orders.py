"""That all of a repository or an installation is to be forgotten: ordered, and carried out as soon as it can be.

An order stays when it is carried out, for what was asked for before it is not to come back from elsewhere.
"""

import logging
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, and_, select, update

from bot.records import RepositoryRef
from bot.runs.forgetting import Forgetting, Forgotten, Whole
from bot.runs.stops import Stops
from bot.runs.tables import controls
from bot.runs.transactions import put, transaction

BECAUSE = "forgotten by the operator"
"""Why runs at work are stopped where an operator orders it."""

_ORDERED, _DONE = "ordered", "done"
_KEY = "forget {}"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Orders:
    """The orders to forget, given by operators and by taking the App off."""

    engine: Engine
    forgetting: Forgetting

    def give(self, what: Whole, moment: float) -> None:
        """Order that all of it goes that there was up to a moment, and end what is at work for it."""
        Stops(self.engine).request_of_all(what, BECAUSE)
        with transaction(self.engine) as connection:
            keep_order(connection, what, moment)

    def carry_out(self) -> dict[Whole, Forgotten]:
        """Forget what was ordered, and can go by now; of the rest, `at_work` says how much has to end before."""
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


def keep_order(connection: Connection, what: Whole, moment: float) -> None:
    """Order that all of it goes that there was up to a moment: what is at work is ending.

    An order of before stands where it is of the same, and goes further.
    """
    put(connection, controls, over=controls.c.at < moment, key=_KEY.format(what), value=_ORDERED, at=moment)


def ordered_installations(connection: Connection) -> set[int]:
    """The installations of which all was ordered to go, whenever that was."""
    keys = connection.execute(select(controls.c.key).where(controls.c.key.startswith(_KEY.format("installation "))))
    return {int(key.rpartition(" ")[2]) for key in keys.scalars()}


def _whole(key: str) -> Whole:
    kind, number = key.removeprefix(_KEY.format("")).split()
    return Whole(int(number)) if kind == "repository" else Whole(installation_id=int(number))
