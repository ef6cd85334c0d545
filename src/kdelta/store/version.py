"""Which schema a database has, and bringing it to this one."""

from __future__ import annotations

from sqlalchemy import Connection, insert, inspect, select

from kdelta.model.errors import StoreError
from kdelta.store import migrations, schema
from kdelta.store.database import Database

EMPTY = 0


def prepare(database: Database) -> None:
    """Make the tables in an empty database, and upgrade older ones. Raises StoreError for what is no store, or a newer one; and for
    what would have to be made or upgraded where the database is only read."""
    with database.reading() as connection:
        found = version_of(database, connection)
    if found == schema.VERSION:
        return
    if database.read_only:
        what = f"has schema {found}, this kdelta reads {schema.VERSION}" if found else "holds no run yet"
        raise StoreError(f"{database.name} {what}", "open it with a command that may change it: kdelta runs")
    with database.rebuilding() as connection:
        found = version_of(database, connection)  # Another process may have been faster.
        if found == EMPTY:
            _make(database, connection)
        elif found < schema.VERSION:
            migrations.upgrade(connection, found)


def version_of(database: Database, connection: Connection) -> int:
    """Its schema, or EMPTY; raises as `prepare`. A plain select: this is at every start of the program."""
    inspector, place = inspect(connection), database.name
    tables = inspector.get_table_names()
    if not tables:
        return EMPTY
    if "store" not in tables or [column["name"] for column in inspector.get_columns("store")] != ["version"]:
        raise StoreError(f"{place} is a database, but no store of kdelta", "give another with --store")
    found = connection.execute(select(schema.store.c.version)).scalar()
    if not isinstance(found, int) or not 1 <= found <= schema.VERSION:
        raise StoreError(f"{place} has schema {found}, this kdelta reads {schema.VERSION}", "use the kdelta that wrote it")
    return found


def _make(database: Database, connection: Connection) -> None:
    """The newest schema at once; that the revisions lead to the same one is tested."""
    if database.kind == "postgresql":
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
        if encoding != "UTF8":
            raise StoreError(f"{database.name} has the encoding {encoding}", "make it with: createdb -T template0 -E UTF8 NAME")
    schema.metadata.create_all(connection)
    connection.execute(insert(schema.alembic_version).values(version_num=f"{schema.VERSION:04}"))
    connection.execute(insert(schema.store).values(version=schema.VERSION))
