"""What there was before schemas had versions: a database of any age is brought to it, whatever of it is there."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make what is missing."""
    op.create_table(
        "inbox",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("key", sa.String(300), nullable=False, unique=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("installation_id", sa.BigInteger, nullable=False),
        sa.Column("repository_id", sa.BigInteger, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("trigger", sa.Text, nullable=False),
        sa.Column("accepted_at", sa.Float, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("installation_id", sa.BigInteger, nullable=False),
        sa.Column("repository_id", sa.BigInteger, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("trigger", sa.Text, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("finished_at", sa.Float),
        sa.Column("stop_because", sa.Text),
        sa.Column("cost_usd", sa.Float, nullable=False),
        sa.Column("facts", sa.Text, nullable=False),
        sa.Column("outcome", sa.String(20)),
        sa.Column("reason", sa.Text),
        if_not_exists=True,
    )
    op.create_table(
        "iterations",
        sa.Column("run_id", sa.String(40), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("iteration", sa.Text, nullable=False),
        sa.Column("verdict", sa.String(40)),
        sa.Column("why", sa.Text, nullable=False),
        sa.UniqueConstraint("run_id", "number"),
        if_not_exists=True,
    )
    if op.get_context().dialect.name != "sqlite":  # it was 30 once, which SQLite never minds
        op.alter_column("iterations", "verdict", type_=sa.String(40), existing_nullable=True)
    op.create_table(
        "answers",
        sa.Column("key", sa.String(300), primary_key=True),
        sa.Column("at", sa.Float, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "notes",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("key", sa.String(300), nullable=False, unique=True),
        sa.Column("repository_id", sa.BigInteger, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("author", sa.String(100), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "asks",
        sa.Column("key", sa.String(300), primary_key=True),
        sa.Column("repository_id", sa.BigInteger, nullable=False),
        sa.Column("login", sa.String(100), nullable=False),
        sa.Column("is_let_in", sa.Boolean, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "replies",
        sa.Column("key", sa.String(300), primary_key=True),
        sa.Column("repository_id", sa.BigInteger, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "queue_comments",
        sa.Column("run_id", sa.String(40), primary_key=True),
        sa.Column("comment_id", sa.BigInteger, nullable=False),
        sa.Column("said", sa.String(100), nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "dialects",
        sa.Column("model", sa.Text, primary_key=True),
        sa.Column("dialect", sa.String(20), nullable=False),
        sa.Column("found_at", sa.Float, nullable=False),
        if_not_exists=True,
    )
    for table, column in (
        ("inbox", "state"),
        ("runs", "repository_id"),
        ("runs", "state"),
        ("notes", "repository_id"),
        ("asks", "repository_id"),
        ("replies", "repository_id"),
    ):
        op.create_index(f"ix_{table}_{column}", table, [column], if_not_exists=True)
