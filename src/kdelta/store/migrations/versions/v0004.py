"""Schema 4: call chains, profiles in ticks, and visits that are profiled."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """A table and three columns more; every profile until now was one of instructions, and every boot was judged."""
    op.create_table(
        "stacks",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("boot", sa.Integer, sa.ForeignKey("boots.id"), nullable=False, index=True),
        sa.Column("benchmark", sa.Text, nullable=False),
        sa.Column("operations", sa.BigInteger, nullable=False),
        sa.Column("counts", sa.LargeBinary, nullable=False),
        sa.Column("unit", sa.Text, nullable=False),
        sa.Column("hertz", sa.Float),
    )
    op.add_column("profiles", sa.Column("hertz", sa.Float))
    _add_filled("profiles", sa.Column("unit", sa.Text), "'instructions'")
    _add_filled("boots", sa.Column("profiled", sa.Boolean), "FALSE")
    op.execute("UPDATE store SET version = 4")


def _add_filled(table: str, column: sa.Column[str] | sa.Column[bool], value: str) -> None:
    op.add_column(table, column)
    op.execute(f"UPDATE {table} SET {column.name} = {value}")
    with op.batch_alter_table(table) as altered:
        altered.alter_column(column.name, existing_type=column.type, nullable=False)
