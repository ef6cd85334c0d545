"""A database, transactions in it, and what its errors mean."""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import SQLAlchemyError

from kdelta.model.errors import StoreError

# PostgreSQL: a reader sees one moment; a writer that waited for another one sees what that one wrote.
READS = {"sqlite": {}, "postgresql": {"isolation_level": "REPEATABLE READ"}}
WRITES = {"sqlite": {"begin": "IMMEDIATE"}, "postgresql": {"isolation_level": "READ COMMITTED"}}
REBUILDS = {"sqlite": {"begin": "IMMEDIATE", "references": "OFF"}, "postgresql": WRITES["postgresql"]}

CONNECT_SECONDS = 10
REBUILDING = int.from_bytes(b"kdelta")
"""The number of PostgreSQL's lock that one holds who makes or rebuilds the tables."""

# (what is in the cause, the next thing to try): the first that fits. A server may speak another language: then it is the last.
ADVICE = (
    ("password|authentication|pg_hba", "check the user and the password of the URL; libpq also looks for one in ~/.pgpass"),
    ("database .* does not exist", "make the database: createdb NAME"),
    ("resolve host", "check the host of the URL"),
    ("connection (failed|is bad|timeout)|server closed", "see whether the server runs and listens there: pg_isready"),
    ("permission denied|must be owner", "have the owner of the database grant it: a store makes, reads and fills its own tables"),
)
OTHER_ADVICE = "what it held before is kept; make room, or give another with --store"


def shown(url: URL) -> str:
    """`url` as it may be printed: no password, neither in its place nor in the query."""
    return url.difference_update_query([name for name in url.query if "pass" in name]).render_as_string(hide_password=True)


class Database:
    """The database at `url`. Whatever goes wrong in it is a StoreError. Nobody needs to close it: when nobody has it, it is.

    Where it is `read_only`, the database itself refuses every change. Several threads may use it at once. `name` is what errors
    call it, `advice` what they say where nothing else fits; `pragmas` are of SQLite, beside those of all.
    """

    def __init__(
        self,
        url: URL,
        *,
        read_only: bool = False,
        name: str | None = None,
        advice: str = OTHER_ADVICE,
        pragmas: Sequence[str] = (),
    ) -> None:
        self.url, self.read_only = url, read_only
        self.name = name or shown(url)
        self._advice = advice
        self.kind = url.get_backend_name()
        if self.kind not in READS:
            raise StoreError(f"{self.name}: a store lies in SQLite or PostgreSQL", "give a path or postgresql://... with --store")
        try:
            self._engine = _sqlite(url, read_only, pragmas) if self.kind == "sqlite" else _postgresql(url, read_only)
        except (SQLAlchemyError, ImportError) as error:
            raise self._failed(error) from error
        self.close = weakref.finalize(self, self._engine.dispose)

    @contextmanager
    def _transaction(self, options: dict[str, str]) -> Iterator[Connection]:
        """All of it, or nothing."""
        try:
            with self._engine.connect().execution_options(**options) as connection, connection.begin():
                yield connection
        except SQLAlchemyError as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> StoreError:
        cause = " ".join(str(getattr(error, "orig", None) or error).split())
        advice = (advice for what, advice in ADVICE if re.search(what, cause))
        return StoreError(f"the store {self.name} failed: {cause}", next(advice, self._advice))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one moment."""
        with self._transaction(READS[self.kind]) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is durable when it has ended."""
        with self._transaction(WRITES[self.kind]) as connection:
            yield connection

    @contextmanager
    def rebuilding(self) -> Iterator[Connection]:
        """A transaction that may make tables and rebuild them, one process at a time.

        SQLite rebuilds a table by dropping the old one, and while it watches references, dropping one that is referred to is
        refused (SQLite's manual, "Making Other Kinds Of Table Schema Changes"). So it looks at the references at the end.
        """
        with self._transaction(REBUILDS[self.kind]) as connection:
            if self.kind == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": REBUILDING})
            yield connection
            if self.kind == "sqlite" and (lost := connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()):
                raise StoreError(f"{self.name}: rows refer to rows that are not there: {lost[:3]}", "restore a copy of it")


def _postgresql(url: URL, read_only: bool) -> Engine:
    """A visit lasts hours: a connection that the server has closed meanwhile is replaced before it is used."""
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    asked = {"connect_timeout": str(CONNECT_SECONDS), "client_encoding": "utf8", **url.query}
    engine = create_engine(url.set(query=asked), pool_pre_ping=True)
    if read_only:

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            connection.exec_driver_sql("SET TRANSACTION READ ONLY")

    return engine


def _sqlite(url: URL, read_only: bool, more: Sequence[str]) -> Engine:
    """A commit is on the disk when it returns; making tables is part of a transaction; all wait for each other.

    Python's driver begins no transaction for CREATE, so it is told to begin none, and SQLAlchemy does
    (SQLAlchemy's manual, SQLite dialect, "Serializable isolation / Savepoints / Transactional DDL"). One that is only read is not
    opened as a file that cannot be written: what a crash left half written could not be taken back then.
    """
    engine = create_engine(url)
    pragmas = ("synchronous=FULL", "busy_timeout=30000", *(("query_only=ON",) if read_only else ()))

    @event.listens_for(engine, "connect")
    def settings(connection: Any, record: object) -> None:
        connection.isolation_level = None
        for pragma in (*pragmas, *more):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        connection.exec_driver_sql(f"PRAGMA foreign_keys={options.get('references', 'ON')}")
        connection.exec_driver_sql(f"BEGIN {options.get('begin', '')}")

    return engine
