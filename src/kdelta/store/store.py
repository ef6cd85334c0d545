"""One store: runs are begun, boots added, and both read back. Each boot is one transaction, durable when `add` returns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, insert, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from kdelta.model.boot import Boot
from kdelta.model.errors import MisuseError, StoreError
from kdelta.model.kernel import Kernel
from kdelta.model.plan import Plan, Slot
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sample import Profile
from kdelta.store import rows, schema


class Store:
    """Opens the store at `url`, making it if it is not there. Raises StoreError where that fails."""

    def __init__(self, url: URL) -> None:
        self._url = url.render_as_string()
        try:
            self._engine = create_engine(url)
        except (SQLAlchemyError, ImportError) as error:
            raise _failed(self._url, error) from error
        if self._engine.dialect.name == "sqlite":
            _make_durable(self._engine)
        with self._connection() as connection:
            is_empty = not inspect(connection).get_table_names()
        if is_empty:
            with self._connection(writes=True) as connection:
                _make(connection)
        with self._connection() as connection:
            _require_ours(connection, self._url)

    @contextmanager
    def _connection(self, *, writes: bool = False) -> Iterator[Connection]:
        """One transaction: all of it, or nothing."""
        try:
            with self._engine.connect().execution_options(writes=writes) as connection, connection.begin():
                yield connection
        except SQLAlchemyError as error:
            raise _failed(self._url, error) from error

    def close(self) -> None:
        self._engine.dispose()

    # ---- adding ----

    def begin(self, plan: Plan, kernels: dict[str, Kernel], *, uuid: str, started: str, kdelta_version: str) -> RunRecord:
        """A new run; `kernels` are by variant."""
        values = {
            "uuid": uuid,
            "started": started,
            "plan": rows.json(plan),
            "kernels": rows.json(kernels),
            "kdelta_version": kdelta_version,
        }
        with self._connection(writes=True) as connection:
            for kernel in kernels.values():
                rows.add_kernel(connection, kernel)
            key = connection.execute(insert(schema.runs).values(values)).inserted_primary_key
        assert key is not None
        return self.run(key[0])

    def add(self, run: int, slot: Slot, kernel: Kernel, boot: Boot) -> None:
        """Add `boot` with all its samples and profiles: all of it is durable on return, or none of it is there."""
        with self._connection(writes=True) as connection:
            key = connection.execute(
                insert(schema.boots).values(rows.boot_row(connection, run, slot, kernel, boot))
            ).inserted_primary_key
            assert key is not None
            rows.add_rows(
                connection, schema.cells, key[0], [{**rows.fields(cell), "state": cell.state.value} for cell in boot.cells]
            )
            rows.add_rows(connection, schema.samples, key[0], [rows.fields(sample) for sample in boot.samples])
            profiles = [{**rows.fields(profile), "counts": rows.json(profile.counts)} for profile in boot.profiles]
            rows.add_rows(connection, schema.profiles, key[0], profiles)

    # ---- reading ----

    def runs(self) -> list[RunRecord]:
        """All runs, oldest first."""
        with self._connection() as connection:
            return [rows.run(row) for row in connection.execute(select(schema.runs).order_by(schema.runs.c.id))]

    def run(self, number: int | None = None) -> RunRecord:
        """The run with that number, or the newest. Raises MisuseError where there is none."""
        wanted = select(schema.runs).order_by(schema.runs.c.id.desc()).limit(1)
        if number is not None:
            wanted = wanted.where(schema.runs.c.id == number)
        with self._connection() as connection:
            row = connection.execute(wanted).first()
            known = connection.execute(select(schema.runs.c.id).order_by(schema.runs.c.id)).scalars().all()
        if row is None and not known:
            raise MisuseError("the store holds no run yet", "measure one: kdelta run -k apt:oldest -k apt:newest -b quick --exact")
        if row is None:
            raise MisuseError(f"there is no run {number}", f"there are the runs {known[0]} to {known[-1]}: see `kdelta runs`")
        return rows.run(row)

    def boots(self, run: int) -> list[BootRecord]:
        """The boots of a run in the plan's order, the last attempt at each position, without profiles and kernel log."""
        boots = schema.boots
        last = (
            select(boots.c.position, func.max(boots.c.attempt).label("attempt"))
            .where(boots.c.run == run)
            .group_by(boots.c.position)
            .subquery()
        )
        wanted = (
            select(*[column for column in boots.c if column.name != "kernel_log"])
            .join(last, (boots.c.position == last.c.position) & (boots.c.attempt == last.c.attempt))
            .where(boots.c.run == run)
            .order_by(boots.c.position)
        )
        with self._connection() as connection:
            found = connection.execute(wanted).all()
            ids = [row.id for row in found]
            cells = rows.grouped(connection, schema.cells, ids)
            samples = rows.grouped(connection, schema.samples, ids)
        return [rows.stored(row, cells.get(row.id, []), samples.get(row.id, [])) for row in found]

    def profiles(self, boot_ids: list[int], benchmark: str) -> list[Profile]:
        """The profiles of one benchmark in these boots, in the order of `boot_ids`: not in that of a repeated boot's return."""
        table = schema.profiles
        wanted = select(table).where(table.c.boot.in_(boot_ids), table.c.benchmark == benchmark).order_by(table.c.id)
        with self._connection() as connection:
            found = connection.execute(wanted).all()
        return [rows.profile(row) for row in sorted(found, key=lambda row: boot_ids.index(row.boot))]

    def kernel_log(self, boot_id: int) -> str:
        with self._connection() as connection:
            return str(connection.execute(select(schema.boots.c.kernel_log).where(schema.boots.c.id == boot_id)).scalar_one())


def _make(connection: Connection) -> None:
    """Make the tables, unless another process was faster."""
    if not inspect(connection).get_table_names():
        schema.metadata.create_all(connection)
        connection.execute(insert(schema.store).values(version=schema.VERSION))


def _require_ours(connection: Connection, url: str) -> None:
    if not inspect(connection).has_table("store"):
        raise StoreError(f"{url} is a database, but no store of kdelta", "give another with --store")
    version = connection.execute(select(schema.store.c.version)).scalar()
    if version != schema.VERSION:
        raise StoreError(f"{url} has schema {version}, this kdelta reads {schema.VERSION}", "use the kdelta that wrote it")


def _make_durable(engine: Engine) -> None:
    """SQLite: a commit is on the disk when it returns; making tables is part of a transaction; all wait for each other.

    Python's driver begins no transaction for CREATE, so it is told to begin none, and SQLAlchemy does
    (SQLAlchemy's manual, SQLite dialect, "Serializable isolation / Savepoints / Transactional DDL").
    """

    @event.listens_for(engine, "connect")
    def settings(connection: Any, record: object) -> None:
        connection.isolation_level = None
        for pragma in ("synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")


def _failed(url: str, error: Exception) -> StoreError:
    cause = str(getattr(error, "orig", None) or error).splitlines()[0]
    return StoreError(f"the store {url} failed: {cause}", "what it held before is kept; make room, or give another with --store")
