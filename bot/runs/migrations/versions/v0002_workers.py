"""Runs belong to the worker that holds their lease; what is known of workers, of deliveries, of what operators ask."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add it. A program of the version before goes on with these tables: it sets none of the new columns."""
    for column in (
        sa.Column("worker_id", sa.String(40)),
        sa.Column("fence", sa.Integer, nullable=False, server_default="0"),
        sa.Column("leased_until", sa.Float),
        sa.Column("resumes_at", sa.Float),
        sa.Column("waits_for", sa.Text),
    ):
        op.add_column("runs", column)
    op.create_index("ix_runs_started_at", "runs", ["started_at"])
    op.create_index("ix_inbox_issue", "inbox", ["repository_id", "number"])
    op.create_table(
        "leases",
        sa.Column("name", sa.String(60), primary_key=True),
        sa.Column("worker_id", sa.String(40), nullable=False),
        sa.Column("fence", sa.Integer, nullable=False),
        sa.Column("until", sa.Float, nullable=False),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("name", sa.String(300), nullable=False),
        sa.Column("home", sa.Text, nullable=False),
        sa.Column("version", sa.String(40), nullable=False),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("beat_at", sa.Float, nullable=False),
        sa.Column("places", sa.Integer, nullable=False),
        sa.Column("problem", sa.Text, nullable=False),
        sa.Column("drains", sa.Boolean, nullable=False),
    )
    op.create_table(
        "caught_up",
        sa.Column("app_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("delivery_id", sa.BigInteger, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_table(
        "controls",
        sa.Column("key", sa.String(100), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
