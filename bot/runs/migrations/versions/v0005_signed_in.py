"""Who is signed in to look at runs is kept, for all web processes."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add it. A program of the version before goes on with these tables."""
    op.create_table(
        "sessions",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("began_at", sa.Float, nullable=False),
        sa.Column("seen_at", sa.Float, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("claimed_until", sa.Float),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])
    op.create_table(
        "sign_ins",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("leads_to", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("ix_sign_ins_at", "sign_ins", ["at"])
