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
    text,
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


_WAITS = text("state = 'waiting'")

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
    Column("shelf", String(10), nullable=False, server_default="new"),
    Index("ix_inbox_issue", "repository_id", "number"),
    Index("ix_inbox_shelf", "shelf", "repository_id", "seq", "kind", sqlite_where=_WAITS, postgresql_where=_WAITS),
)
"""`state`: waiting or done. `note` says what came of it; `shelf` where it lies while it waits (`bot/runs/shelf.py`)."""

LISTED = (
    "started_at", "id", "kind", "state", "outcome", "resumes_at", "repository_id", "repository", "asked_by", "cost_usd",
    "number", "model", "iteration_count", "asked_at", "published_at", "pull_request", "pull_state",
)  # fmt: skip
"""What runs are chosen, counted and summed up by: an index holds all of it, as a row with its facts is long to read."""

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
    Column("kind", String(20)),
    Column("repository", String(300), index=True),
    Column("asked_by", String(100), index=True),
    Column("asked_at", Float),
    Column("title", Plain),
    Column("step", String(60)),
    Column("model", Plain),
    Column("iteration_count", Integer),
    Column("tokens", BigInteger),
    Column("pull_request", Integer),
    Column("pull_state", String(10)),
    Column("published_at", Float),
    Column("pull_state_at", Float),
    Index("ix_runs_listed", *LISTED),
    Index("ix_runs_finished_at", "finished_at"),
    Index("ix_runs_pull_request", "repository_id", "pull_request"),
)
"""`state`: running or finished. `facts` is JSON: what the steps found out (base commit, plan, comment ids …). What
lists of runs show and choose by is kept beside it (`bot/runs/listed.py`); NULL where it is not known.

A run belongs to the worker that holds its lease: `worker_id` until `leased_until`; each that takes it over raises
`fence` by one. A run that waits for a service has left its place until `resumes_at` (NULL: at work); `waits_for` says
for what. One that has ended with `resumes_at` owes last words, which are tried again then.

`pull_state_at` is GitHub's moment of which `pull_state` is; NULL as long as nothing was told since the run published.
"""

iterations = Table(
    "iterations",
    metadata,
    Column("run_id", String(40), nullable=False),
    Column("number", Integer, nullable=False),
    Column("iteration", Text, nullable=False),
    Column("verdict", String(40)),
    Column("why", Plain, nullable=False, default=""),
    Column("summary", Plain),
    UniqueConstraint("run_id", "number"),
)
"""One row an iteration: the trace, and what a crashed run goes on from. `summary` is what is shown of many at once."""

happenings = Table(
    "happenings",
    metadata,
    Column("run_id", String(40), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", Float, nullable=False),
    Column("kind", String(10), nullable=False),
    Column("text", Plain, nullable=False),
)
"""What happens in a run, in its order: for who looks on. `seq` counts from 1 in each run."""

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
"""What is asked of all workers: to pause, to cancel, to forget, to look for labels."""

paid = Table(
    "paid",
    metadata,
    Column("run_id", String(40), nullable=False),
    Column("step", String(60), nullable=False),
    Column("request", String(64), nullable=False),
    Column("nth", Integer, nullable=False),
    Column("reply", Plain, nullable=False),
    UniqueConstraint("run_id", "step", "request", "nth"),
)
"""The replies of models that a step of a run has paid for, until it is done: what it gets again when it is told again.

`request` is a digest of what was asked, `nth` which of several askings of the same in one telling.
"""

spent = Table(
    "spent",
    metadata,
    Column("hour", Integer, primary_key=True, autoincrement=False),
    Column("installation_id", BigInteger, primary_key=True, autoincrement=False),
    Column("repository_id", BigInteger, primary_key=True, autoincrement=False),
    Column("usd", Float, nullable=False),
)
"""What was spent in each hour since the epoch: it outlives the runs, as no budget is had back by forgetting them."""

sessions = Table(
    "sessions",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("user_id", BigInteger, nullable=False, index=True),
    Column("sealed", Text, nullable=False),
    Column("began_at", Float, nullable=False),
    Column("seen_at", Float, nullable=False),
    Column("version", Integer, nullable=False),
    Column("claimed_until", Float),
)
"""Who is signed in. `key` is a digest of the secret that the browser has, and `sealed` is read with that secret alone.

`version` counts how often `sealed` was replaced; whoever is about to has claimed it until a moment.
"""

sign_ins = Table(
    "sign_ins",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("leads_to", Plain, nullable=False),
    Column("at", Float, nullable=False, index=True),
)
"""Browsers that were sent to GitHub to sign in, and where they wanted to. `key` is a digest of what each has."""
