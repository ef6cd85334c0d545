"""Schema 5: what others published, and the texts that it was read from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Three tables more; nothing of what is stored changes."""
    op.create_table(
        "published",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("boot", sa.Integer, sa.ForeignKey("boots.id"), nullable=False, index=True),
        sa.Column("benchmark", sa.Text, nullable=False),
        sa.Column("entries", sa.Text, nullable=False),
        sa.Column("listings", sa.Text, nullable=False),
    )
    op.create_table(
        "sources",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("sender", sa.Text, nullable=False),
        sa.Column("date", sa.Text, nullable=False),
        sa.Column("message_id", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary),
    )
    op.create_table(
        "blocks",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), nullable=False, index=True),
        sa.Column("source", sa.String(64), sa.ForeignKey("sources.sha256"), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False, index=True),
        sa.Column("block", sa.Text, nullable=False),
    )
    op.execute("UPDATE store SET version = 5")
