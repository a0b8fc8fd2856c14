"""Up to where it is known what GitHub delivered, and which labels were put on."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine, and_, delete, select

from bot.records import RepositoryRef, TriggerKind
from bot.runs.inbox import trigger_of
from bot.runs.tables import caught_up, controls, inbox
from bot.runs.transactions import put, transaction

_LOOK = "labels of "


@dataclass(frozen=True, slots=True)
class Mark:
    """How far it was looked: everything up to `delivery_id` is done, and labels were looked through `at` that moment.

    0 where it never was. Seconds since the epoch.
    """

    delivery_id: int = 0
    at: float = 0.0


class CaughtUp:
    """The marks in the database, and what the inbox knows already."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def mark(self, app_id: int) -> Mark:
        """How far it was looked for this App."""
        query = select(caught_up.c.delivery_id, caught_up.c.at).where(caught_up.c.app_id == app_id)
        with transaction(self._engine) as connection:
            row = connection.execute(query).first()
        return Mark(row.delivery_id, row.at) if row else Mark()

    def keep(self, app_id: int, mark: Mark) -> None:
        """Keep how far it was looked. Where two do so at once, one of them stands: less far is looked again."""
        with transaction(self._engine) as connection:
            put(connection, caught_up, app_id=app_id, delivery_id=mark.delivery_id, at=mark.at)

    def ask(self, installation_id: int, since: float) -> None:
        """Have the labels of an account looked through soon, those that were put on since then."""
        key, later = f"{_LOOK}{installation_id}", controls.c.at > since
        with transaction(self._engine) as connection:
            put(connection, controls, over=later, key=key, value="asked for", at=since)

    def asked(self) -> dict[int, float]:
        """Since when the labels of accounts are to be looked through soon, by the installation."""
        query = select(controls.c.key, controls.c.at).where(controls.c.key.startswith(_LOOK))
        with transaction(self._engine) as connection:
            return {int(row.key.removeprefix(_LOOK)): float(row.at) for row in connection.execute(query)}

    def looked(self, installation_id: int, since: float) -> None:
        """It was done."""
        done = and_(controls.c.key == f"{_LOOK}{installation_id}", controls.c.at == since)
        with transaction(self._engine) as connection:
            connection.execute(delete(controls).where(done))

    def newest(self, kind: TriggerKind, repository: RepositoryRef, number: int = 0) -> float | None:
        """When what this kind of trigger tells of happened last, as far as the inbox knows. GitHub's clock."""
        of_it = and_(inbox.c.repository_id == repository.id, inbox.c.number == number, inbox.c.kind == str(kind))
        with transaction(self._engine) as connection:
            texts = connection.execute(select(inbox.c.trigger).where(of_it)).scalars().all()
        moments = [datetime.fromisoformat(trigger_of(text).occurred_at) for text in texts]
        return max(moments).timestamp() if moments else None
