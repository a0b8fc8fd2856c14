"""As of which moment a pull request was told to be closed, merged or open is kept: what is told late must not win."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add it. A program of the version before goes on with these tables."""
    op.add_column("runs", sa.Column("pull_state_at", sa.Float))
