"""What models were paid for is kept: their replies until the step is done, and what was spent, by the hour."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_HOUR = {"sqlite": "CAST(started_at / 3600 AS INTEGER)", "postgresql": "CAST(floor(started_at / 3600) AS INTEGER)"}
"""By dialect: one rounds where the other cuts off."""

_SPENT_SO_FAR = """
INSERT INTO spent (hour, installation_id, repository_id, usd)
SELECT {hour}, installation_id, repository_id, sum(cost_usd) FROM runs WHERE cost_usd > 0 GROUP BY 1, 2, 3
"""


def upgrade() -> None:
    """Add it. A program of the version before goes on with these tables: what it spends is not added up."""
    op.create_table(
        "paid",
        sa.Column("run_id", sa.String(40), nullable=False),
        sa.Column("step", sa.String(60), nullable=False),
        sa.Column("request", sa.String(64), nullable=False),
        sa.Column("nth", sa.Integer, nullable=False),
        sa.Column("reply", sa.Text, nullable=False),
        sa.UniqueConstraint("run_id", "step", "request", "nth"),
    )
    op.create_table(
        "spent",
        sa.Column("hour", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("installation_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("usd", sa.Float, nullable=False),
    )
    op.execute(_SPENT_SO_FAR.format(hour=_HOUR[op.get_context().dialect.name]))
    waits = sa.text("state = 'waiting'")
    op.add_column("inbox", sa.Column("shelf", sa.String(10), nullable=False, server_default="new"))
    op.create_index(
        "ix_inbox_shelf",
        "inbox",
        ["shelf", "repository_id", "seq", "kind"],
        sqlite_where=waits,
        postgresql_where=waits,
    )
