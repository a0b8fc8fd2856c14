"""Who is signed in to look at runs, kept in the database: the same for every web process on every machine."""

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Engine, Row, delete, func, or_, select, true, update

from bot.records import SESSION_IDLE_S, SESSION_LASTS_S, SessionRow
from bot.runs.tables import sessions, sign_ins
from bot.runs.transactions import insert_new, leave_no_trace, transaction

ASKED_AT_MOST = 5_000
"""How many browsers may be under way to GitHub at a time; the oldest are forgotten: anybody can have one more."""

_TOO_MANY = ASKED_AT_MOST + 500


@dataclass(frozen=True, slots=True)
class SqlSessions:
    """`records.Sessions` over the database. Safe for any number of threads and processes."""

    engine: Engine

    def ask(self, key: str, leads_to: str, now: float) -> None:
        with transaction(self.engine) as connection:
            insert_new(connection, sign_ins, key=key, leads_to=leads_to, at=now)
            if connection.execute(select(func.count()).select_from(sign_ins)).scalar_one() > _TOO_MANY:
                newest = select(sign_ins.c.at).order_by(sign_ins.c.at.desc()).offset(ASKED_AT_MOST).limit(1)
                connection.execute(delete(sign_ins).where(sign_ins.c.at <= newest.scalar_subquery()))

    def arrive(self, key: str, since: float) -> str | None:
        taken = delete(sign_ins).where(sign_ins.c.key == key).returning(sign_ins.c.leads_to, sign_ins.c.at)
        with transaction(self.engine) as connection:
            found = connection.execute(taken).first()
            connection.execute(delete(sign_ins).where(sign_ins.c.at < since))
        return str(found.leads_to) if found is not None and found.at >= since else None

    def begin(self, row: SessionRow) -> None:
        self.forget_what_is_over(row.began_at)
        with transaction(self.engine) as connection:
            insert_new(connection, sessions, **asdict(row))

    def find(self, key: str) -> SessionRow | None:
        with transaction(self.engine) as connection:
            row = connection.execute(select(sessions).where(sessions.c.key == key)).first()
        return None if row is None else _session(row)

    def see(self, key: str, now: float) -> None:
        with transaction(self.engine) as connection:
            connection.execute(update(sessions).where(sessions.c.key == key).values(seen_at=now))

    def claim(self, row: SessionRow, now: float, until: float) -> bool:
        is_free = or_(sessions.c.claimed_until.is_(None), sessions.c.claimed_until < now)
        claimed = update(sessions).where(sessions.c.key == row.key, sessions.c.version == row.version, is_free)
        with transaction(self.engine) as connection:
            return connection.execute(claimed.values(claimed_until=until)).rowcount == 1

    def replace(self, row: SessionRow, sealed: str) -> bool:
        following = update(sessions).where(sessions.c.key == row.key, sessions.c.version == row.version)
        with transaction(self.engine) as connection:
            leave_no_trace(connection)
            changed = following.values(sealed=sealed, version=row.version + 1, claimed_until=None)
            return connection.execute(changed).rowcount == 1

    def end(self, key: str) -> SessionRow | None:
        with transaction(self.engine) as connection:
            leave_no_trace(connection)
            row = connection.execute(delete(sessions).where(sessions.c.key == key).returning(*sessions.c)).first()
        return None if row is None else _session(row)

    def end_all_of(self, user_id: int, *, begun_until: float | None = None) -> None:
        is_meant = true() if begun_until is None else sessions.c.began_at <= begun_until
        with transaction(self.engine) as connection:
            leave_no_trace(connection)
            connection.execute(delete(sessions).where(sessions.c.user_id == user_id, is_meant))

    def forget_what_is_over(self, now: float) -> None:
        """Keep nothing of sessions that have ended by themselves."""
        over = or_(sessions.c.began_at <= now - SESSION_LASTS_S, sessions.c.seen_at <= now - SESSION_IDLE_S)
        with transaction(self.engine) as connection:
            leave_no_trace(connection)
            connection.execute(delete(sessions).where(over))


def _session(row: Row[Any]) -> SessionRow:
    return SessionRow(row.key, row.user_id, row.sealed, row.began_at, row.seen_at, row.version)
