"""Schema 3: what a run found that measured a baseline against itself."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """A table more; nothing of what is stored changes."""
    op.create_table(
        "noise",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), nullable=False, index=True),
        sa.Column("box", sa.Text, nullable=False),
        sa.Column("machine", sa.Text, nullable=False),
        sa.Column("benchmark", sa.Text, nullable=False),
        sa.Column("metric", sa.Text, nullable=False),
        sa.Column("kernel", sa.String(64), sa.ForeignKey("kernels.key"), nullable=False),
        sa.Column("boots", sa.Integer, nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("sd", sa.Float),
        sa.Column("df", sa.Float, nullable=False),
        sa.Column("ratio", sa.Float),
        sa.Column("p", sa.Float),
        sa.Column("flagged", sa.Boolean, nullable=False),
    )
    op.execute("UPDATE store SET version = 3")
