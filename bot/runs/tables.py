"""The tables of inbox and runs. What changes here needs a migration beside it (`bot/runs/migrations/`)."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

from bot.records import storable

metadata = MetaData()


class Plain(TypeDecorator[str]):
    """Text from outside (a test's name, a service's words), kept without what no database takes in a text.

    PostgreSQL refuses NUL, both refuse half of a surrogate pair: “�” stands for each.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's
        return None if value is None else storable(value)


inbox = Table(
    "inbox",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("key", String(300), nullable=False, unique=True),
    Column("kind", String(20), nullable=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("repository_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("accepted_at", Float, nullable=False),
    Column("state", String(10), nullable=False, default="waiting", index=True),
    Column("note", Plain, nullable=False, default=""),
    Index("ix_inbox_issue", "repository_id", "number"),
)
"""`state`: waiting or done. `note` says what came of it."""

runs = Table(
    "runs",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("installation_id", BigInteger, nullable=False),
    Column("repository_id", BigInteger, nullable=False, index=True),
    Column("number", Integer, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("state", String(10), nullable=False, index=True),
    Column("started_at", Float, nullable=False, index=True),
    Column("finished_at", Float),
    Column("stop_because", Plain),
    Column("cost_usd", Float, nullable=False, default=0.0),
    Column("facts", Text, nullable=False, default="{}"),
    Column("outcome", String(20)),
    Column("reason", Plain),
    Column("worker_id", String(40)),
    Column("fence", Integer, nullable=False, default=0, server_default="0"),
    Column("leased_until", Float),
    Column("resumes_at", Float),
    Column("waits_for", Plain),
)
"""`state`: running or finished. `facts` is JSON: what the steps found out (base commit, plan, comment ids …).

A run belongs to the worker that holds its lease: `worker_id` until `leased_until`; each that takes it over raises
`fence` by one. A run that waits for a service has left its place until `resumes_at` (NULL: at work); `waits_for` says
for what. One that has ended with `resumes_at` owes last words, which are tried again then.
"""

iterations = Table(
    "iterations",
    metadata,
    Column("run_id", String(40), nullable=False),
    Column("number", Integer, nullable=False),
    Column("iteration", Text, nullable=False),
    Column("verdict", String(40)),
    Column("why", Plain, nullable=False, default=""),
    UniqueConstraint("run_id", "number"),
)
"""One row an iteration: the trace, and what a crashed run goes on from."""

answers = Table("answers", metadata, Column("key", String(300), primary_key=True), Column("at", Float, nullable=False))
"""What was answered, so that nothing is answered twice."""

notes = Table(
    "notes",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("key", String(300), nullable=False, unique=True),
    Column("repository_id", BigInteger, nullable=False, index=True),
    Column("number", Integer, nullable=False),
    Column("author", String(100), nullable=False),
    Column("text", Plain, nullable=False),
    Column("at", Float, nullable=False),
)
"""What people said to runs at work, in order. `at` is when it was kept, by our own clock."""

asks = Table(
    "asks",
    metadata,
    Column("key", String(300), primary_key=True),
    Column("repository_id", BigInteger, nullable=False, index=True),
    Column("login", String(100), nullable=False),
    Column("is_let_in", Boolean, nullable=False),
    Column("at", Float, nullable=False),
)
"""Who asked for something, and whether they might: what strangers can have us do is counted here."""

replies = Table(
    "replies",
    metadata,
    Column("key", String(300), primary_key=True),
    Column("repository_id", BigInteger, nullable=False, index=True),
    Column("number", Integer, nullable=False),
    Column("at", Float, nullable=False),
)
"""Which triggers were answered in words, and in which thread."""

queue_comments = Table(
    "queue_comments",
    metadata,
    Column("run_id", String(40), primary_key=True),
    Column("comment_id", BigInteger, nullable=False),
    Column("said", String(100), nullable=False),
)
"""The comment of each run that waits to begin, and what it says of its place."""

dialects = Table(
    "dialects",
    metadata,
    Column("model", Text, primary_key=True),
    Column("dialect", String(20), nullable=False),
    Column("found_at", Float, nullable=False),
)
"""Which dialect a model at an endpoint was found to speak."""

leases = Table(
    "leases",
    metadata,
    Column("name", String(60), primary_key=True),
    Column("worker_id", String(40), nullable=False),
    Column("fence", Integer, nullable=False),
    Column("until", Float, nullable=False),
)
"""What one worker at a time does for all, and which one that is."""

workers = Table(
    "workers",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("name", String(300), nullable=False),
    Column("home", Text, nullable=False),
    Column("version", String(40), nullable=False),
    Column("started_at", Float, nullable=False),
    Column("beat_at", Float, nullable=False),
    Column("places", Integer, nullable=False),
    Column("problem", Plain, nullable=False, default=""),
    Column("drains", Boolean, nullable=False, default=False),
)
"""The worker processes, `name` being host:pid. `problem` is what keeps one from working, "" for nothing; one that
`drains` takes nothing on.
"""

caught_up = Table(
    "caught_up",
    metadata,
    Column("app_id", BigInteger, primary_key=True, autoincrement=False),
    Column("delivery_id", BigInteger, nullable=False),
    Column("at", Float, nullable=False),
)
"""The newest delivery of an App that was looked at when deliveries were last caught up with."""

controls = Table(
    "controls",
    metadata,
    Column("key", String(100), primary_key=True),
    Column("value", Plain, nullable=False),
    Column("at", Float, nullable=False),
)
"""What operators ask of all workers: to pause, to drain."""
