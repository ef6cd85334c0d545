"""Older schemas become the newest: a revision for each, by Alembic, which is configured here and not by a file."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection


def upgrade(connection: Connection, version: int) -> None:
    """Bring the tables from schema `version` to the newest, in the transaction of `connection`. 0: there are none yet.

    Alembic is imported when it is needed: a store that is up to date opens without it.
    """
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    if version:
        command.stamp(config, f"{version:04}", purge=True)
    command.upgrade(config, "head")
