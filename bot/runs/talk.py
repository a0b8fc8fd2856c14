"""What is kept of the talk with people: who asked and might, what was answered, what is said of the queue.

One small transaction a call; every call may be repeated. Times are seconds since the epoch.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import Engine, and_, delete, func, select

from bot.records import IssueRef, Trigger, TriggerKind
from bot.runs.tables import asks, inbox, queue_comments, replies
from bot.runs.transactions import batched, put, transaction

KEPT_S = 90 * 86_400.0
"""How long it is remembered who asked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """That somebody asked, when that was looked into, and whether they might."""

    is_let_in: bool
    at: float


@dataclass(frozen=True, slots=True)
class QueueComment:
    """The comment of a run that waits to begin, and what it says."""

    comment_id: int
    said: str


class Talk:
    """The talk of one worker with everybody."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    # --- Who asked

    def asked(self, key: str) -> Asked | None:
        """What was found out about the trigger's sender; None where nothing was yet."""
        with transaction(self._engine) as connection:
            row = connection.execute(select(asks.c.is_let_in, asks.c.at).where(asks.c.key == key)).first()
        return Asked(row.is_let_in, row.at) if row else None

    def let_in(self, keys: Collection[str]) -> frozenset[str]:
        """Those of these triggers whose senders were let in."""
        query = select(asks.c.key).where(and_(asks.c.key.in_(keys), asks.c.is_let_in.is_(True)))
        with transaction(self._engine) as connection:
            return frozenset(connection.execute(query).scalars())

    def keep_asked(self, trigger: Trigger, *, is_let_in: bool, at: float) -> None:
        """Keep what was found out, the newest for each trigger; what is old is forgotten."""
        repository_id, login = trigger.issue.repository.id, trigger.sender.login.casefold()[:100]
        with transaction(self._engine) as connection:
            connection.execute(delete(asks).where(asks.c.repository_id == repository_id, asks.c.at < at - KEPT_S))
            put(
                connection,
                asks,
                key=trigger.key,
                repository_id=repository_id,
                login=login,
                is_let_in=is_let_in,
                at=at,
            )

    def refusals(self, repository_id: int, *, since: float, login: str | None = None, of_answers: bool = False) -> int:
        """How many were refused in a repository, of one person or of all: of what may be answers, or of all else."""
        is_answer = func.coalesce(inbox.c.kind, "") == TriggerKind.ANSWER
        condition = and_(
            asks.c.repository_id == repository_id,
            asks.c.at > since,
            asks.c.is_let_in.is_(False),
            is_answer if of_answers else ~is_answer,
        )
        if login is not None:
            condition = and_(condition, asks.c.login == login.casefold()[:100])
        counted = select(func.count()).select_from(asks.outerjoin(inbox, inbox.c.key == asks.c.key)).where(condition)
        with transaction(self._engine) as connection:
            return int(connection.execute(counted).scalar_one())

    def was_let_in(self, repository_id: int, login: str, *, since: float = 0.0) -> bool:
        """Whether the person's newest request in the repository that was looked into since then was let in."""
        of_person = and_(
            asks.c.repository_id == repository_id, asks.c.login == login.casefold()[:100], asks.c.at > since
        )
        query = select(asks.c.is_let_in).where(of_person).order_by(asks.c.at.desc()).limit(1)
        with transaction(self._engine) as connection:
            return bool(connection.execute(query).scalar())

    # --- What was answered

    def is_answered(self, key: str) -> bool:
        """Whether this trigger got its answer."""
        with transaction(self._engine) as connection:
            return connection.execute(select(replies.c.key).where(replies.c.key == key)).first() is not None

    def keep_answered(self, key: str, at: IssueRef, *, moment: float) -> None:
        """Keep that it got it, in this thread."""
        with transaction(self._engine) as connection:
            put(connection, replies, key=key, repository_id=at.repository.id, number=at.number, at=moment)

    def answers_in(self, at: IssueRef, *, since: float) -> int:
        """How many answers a thread got."""
        condition = and_(
            replies.c.repository_id == at.repository.id, replies.c.number == at.number, replies.c.at > since
        )
        with transaction(self._engine) as connection:
            return int(connection.execute(select(func.count()).select_from(replies).where(condition)).scalar_one())

    # --- What is said of the queue

    def queue_comment(self, run_id: str) -> QueueComment | None:
        """The comment of a run that waits; None where it has none."""
        with transaction(self._engine) as connection:
            row = connection.execute(select(queue_comments).where(queue_comments.c.run_id == run_id)).first()
        return QueueComment(row.comment_id, row.said) if row else None

    def queue_comments(self, run_ids: Collection[str] | None = None) -> Mapping[str, QueueComment]:
        """The comments of these runs that wait, or of all, by their ids."""
        query = select(queue_comments)
        if run_ids is not None:
            query = query.where(queue_comments.c.run_id.in_(run_ids))
        with transaction(self._engine) as connection:
            rows = connection.execute(query).all()
        return {row.run_id: QueueComment(row.comment_id, row.said) for row in rows}

    def keep_queue_comment(self, run_id: str, comment: QueueComment) -> None:
        """Keep it, or what it says by now."""
        with transaction(self._engine) as connection:
            put(connection, queue_comments, run_id=run_id, comment_id=comment.comment_id, said=comment.said)

    def forget_queue_comment(self, *run_ids: str) -> None:
        """The runs have begun, or never will."""
        with transaction(self._engine) as connection:
            for some in batched(run_ids):
                connection.execute(delete(queue_comments).where(queue_comments.c.run_id.in_(some)))
