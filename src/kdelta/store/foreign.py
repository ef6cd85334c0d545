"""A store's file that came from elsewhere: looked at before any of it is believed, and never written to.

What SQLite advises of files that may be hostile is done first (its manual, "Defense Against The Dark Arts"): nothing that the
file defines runs, and its pages are checked. Then its tables have to be those of a store, and every value one that a store holds.
"""

from __future__ import annotations

import hashlib
import sqlite3
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import URL, BigInteger, Boolean, Column, Connection, Float, Integer, LargeBinary, Table, create_engine, select

from kdelta.model.boot import CellState, Outcome
from kdelta.model.errors import MisuseError, StoreError
from kdelta.model.kernel import Kernel, RunningKernel
from kdelta.model.plan import Plan
from kdelta.model.published import Block, Entry, Listing
from kdelta.store import schema
from kdelta.store.database import Database
from kdelta.store.version import prepare, version_of

HEADER = b"SQLite format 3\0"
WAL = 2
"""Of the header's bytes 18 and 19: pages may lie in a file beside it."""

DISTRUST = ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0")
ADVICE = "get the file again from where it came; a store of this kdelta is copied with `kdelta export`"

# How SQLite stores the values of a column; any other is text.
STORED = (
    (Boolean, "typeof({0}) = 'integer' AND {0} IN (0, 1)"),
    (Integer, "typeof({0}) = 'integer'"),
    (BigInteger, "typeof({0}) = 'integer'"),
    (Float, "typeof({0}) = 'real'"),
    (LargeBinary, "typeof({0}) = 'blob'"),
)
TEXT = "typeof({0}) = 'text'"

MOST_CHAINS = 1 << 28
"""Bytes of the call chains of one benchmark in one boot: some hundred times those of the exact lab."""
MOST_TEXT = 1 << 26
"""Bytes of a text that runs were read from."""

Decode = Callable[[Any], object]


def _chains(packed: bytes) -> object:
    return msgspec.json.decode(_unpacked(packed, MOST_CHAINS), type=dict[str, int])


def _unpacked(packed: bytes, most: int) -> bytes:
    unpacker = zlib.decompressobj()
    found = unpacker.decompress(packed, most)
    if not unpacker.eof:
        raise ValueError(f"is cut off, or more than {most >> 20} MiB")
    return found


def _json(of: Any) -> Decode:
    return partial(msgspec.json.decode, type=of)


# Columns whose text or bytes stand for something, and what reads them.
CODED: tuple[tuple[Table, str, Decode], ...] = (
    (schema.runs, "plan", _json(Plan)),
    (schema.runs, "kernels", _json(dict[str, Kernel])),
    (schema.boots, "benchmarks", _json(tuple[str, ...])),
    (schema.endings, "outcome", Outcome),
    (schema.endings, "running", _json(RunningKernel)),
    (schema.endings, "environment", _json(dict[str, str])),
    (schema.endings, "warnings", _json(tuple[str, ...])),
    (schema.cells, "state", CellState),
    (schema.profiles, "counts", _json(dict[str, int])),
    (schema.stacks, "counts", _chains),
    (schema.published, "entries", _json(list[Entry])),
    (schema.published, "listings", _json(list[Listing])),
    (schema.blocks, "block", _json(Block)),
)


def is_store(path: Path) -> bool:
    """Whether the file at `path` is a database of SQLite. Raises MisuseError where it cannot be read."""
    return _header(path).startswith(HEADER)


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """The store in the file at `path`, of which every value has been looked at. An older schema is upgraded in a copy of it.

    Raises MisuseError for what is no such file, StoreError for what is in it and does not belong into a store.
    """
    if not is_store(path):
        raise MisuseError(f"{path} is no store of kdelta", "name a file that `kdelta export` wrote, unpacked")
    with tempfile.TemporaryDirectory(prefix="kdelta-") as folder, closing(_read_only(path)) as found:
        with found.reading() as connection:
            _require_tables(connection, path)
            is_old = version_of(found, connection) < schema.VERSION
            if is_old:
                _copy(connection, Path(folder, "store.sqlite"), path)
        with closing(_upgraded(Path(folder, "store.sqlite"), path) if is_old else _read_only(path)) as ready:
            with ready.reading() as connection:
                _require_shape(connection, path)
                _require_values(connection, path)
            yield ready


def _header(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise MisuseError(f"{path} is no file", "name a file that `kdelta export` wrote")
        with path.open("rb") as file:
            return file.read(20)
    except OSError as error:
        raise MisuseError(f"{path} cannot be read: {error.strerror}", "name a file that you may read") from error


def _read_only(path: Path) -> Database:
    """In a file whose pages may lie beside it, SQLite makes files even to read; where none are there, it is told so."""
    query = {"uri": "true", "mode": "ro"}
    if WAL in _header(path)[18:20]:
        beside = path.with_name(f"{path.name}-wal")
        if beside.exists() and beside.stat().st_size:
            raise StoreError(
                f"{path} is in use: {beside.name} holds a part of it", f'copy it: sqlite3 {path} ".backup copy.sqlite"'
            )
        query["immutable"] = "1"
    url = URL.create("sqlite", database=path.absolute().as_uri(), query=query)
    return Database(url, name=str(path), advice=ADVICE, pragmas=(*DISTRUST, "query_only=ON"))


def _copy(connection: Connection, copy: Path, path: Path) -> None:
    try:
        with closing(sqlite3.connect(copy)) as made:
            driver: Any = connection.connection.driver_connection
            driver.backup(made)
    except sqlite3.Error as error:
        raise StoreError(
            f"{path} is of an older kdelta and cannot be copied to upgrade it: {error}", "make room in TMPDIR"
        ) from error


def _upgraded(copy: Path, path: Path) -> Database:
    database = Database(URL.create("sqlite", database=str(copy)), name=str(path), advice=ADVICE, pragmas=DISTRUST)
    try:
        prepare(database)
    except StoreError:
        raise
    except Exception as error:  # Alembic looks at the tables with code that does not expect others than ours.
        raise StoreError(f"{path} cannot be upgraded: its tables are not those of a store: {error!r}", ADVICE) from error
    return database


def _require_tables(connection: Connection, path: Path) -> None:
    """Tables and their indexes, `store` among them, and nothing that computes; and whole pages."""
    master = connection.exec_driver_sql("SELECT type, name, sql FROM sqlite_master").fetchall()
    odd = [f"{kind} {name!r}" for kind, name, sql in master if kind not in ("table", "index") or _computes(sql)]
    if odd:
        raise StoreError(f"{path} has a {odd[0]}, which a store has not: nothing of it was read", ADVICE)
    if "store" not in [name for _, name, _ in master]:
        raise StoreError(f"{path} is a database, but no store of kdelta", "name a file that `kdelta export` wrote")
    [problem] = connection.exec_driver_sql("PRAGMA integrity_check(1)").fetchone() or ("nothing was said of it",)
    if problem != "ok":
        raise StoreError(f"{path} is damaged: {' '.join(str(problem).split())}", ADVICE)


def _computes(sql: str | None) -> bool:
    return bool(sql) and " ".join(str(sql).split()).upper().startswith("CREATE VIRTUAL")


def _require_shape(connection: Connection, path: Path) -> None:
    """The columns, references and unique keys of a new store; more indexes do no harm."""
    engine = create_engine("sqlite://")
    with engine.begin() as new:
        schema.metadata.create_all(new)
        for table in schema.metadata.tables:
            wanted, found = _shape(new, table), _shape(connection, table)
            if found[0] != wanted[0] or not found[1] >= wanted[1]:
                odd = sorted(map(str, (found[0] ^ wanted[0]) | (wanted[1] - found[1])))
                raise StoreError(f"{path}: the table {table} is not that of a store: {odd[0]}", ADVICE)
    engine.dispose()


def _shape(connection: Connection, table: str) -> tuple[set[tuple[Any, ...]], set[tuple[Any, ...]]]:
    """Columns and references; unique keys."""
    ask = connection.exec_driver_sql
    columns = {("column", *row[1:4], *row[5:7]) for row in ask(f"PRAGMA table_xinfo({table})")}
    references = {("reference", *row[2:5]) for row in ask(f"PRAGMA foreign_key_list({table})")}
    keys = {
        ("unique", *(name for _, _, name in ask(f"PRAGMA index_info({index[1]})")))
        for index in ask(f"PRAGMA index_list({table})").fetchall()
        if index[2] and not index[4]
    }
    return columns | references, keys


def _require_values(connection: Connection, path: Path) -> None:
    """Rows refer to rows that are there, and hold what their columns are for."""
    if lost := connection.exec_driver_sql("PRAGMA foreign_key_check").fetchone():
        raise _wrong(path, lost[0], lost[1], f"refers to a row of {lost[2]} that is not there")
    for table in schema.metadata.sorted_tables:
        _require_types(connection, path, table)
    for table, column, decode in CODED:
        wanted = select(next(iter(table.primary_key)), table.c[column]).where(table.c[column].is_not(None))
        for number, value in connection.execute(wanted.execution_options(yield_per=100)):
            try:
                decode(value)
            except (msgspec.MsgspecError, ValueError, zlib.error, RecursionError) as error:
                raise _wrong(path, table.name, number, f"{column}: {error}") from error
    _require_plans(connection, path)
    _require_texts(connection, path)


def _require_types(connection: Connection, path: Path, table: Table) -> None:
    each = " ".join(f"WHEN NOT ({_stored(column)}) THEN '{column.name}'" for column in table.c)
    key = next(iter(table.primary_key)).name
    wrong = connection.exec_driver_sql(
        f"SELECT * FROM (SELECT {key}, CASE {each} END AS wrong FROM {table.name}) WHERE wrong IS NOT NULL LIMIT 1"
    ).first()
    if wrong:
        raise _wrong(path, table.name, wrong[0], f"{wrong[1]} does not hold a {str(table.c[wrong[1]].type).lower()}")


def _stored(column: Column[Any]) -> str:
    name = f'"{column.name}"'
    rule = next((rule for kind, rule in STORED if isinstance(column.type, kind)), TEXT).format(name)
    return f"({rule}) OR {name} IS NULL" if column.nullable else rule


def _require_plans(connection: Connection, path: Path) -> None:
    """What a boot is of is in its run's plan: whoever asks for a box or a kernel by name finds it."""
    runs, boots = schema.runs, schema.boots
    for run, plan, kernels in connection.execute(select(runs.c.id, runs.c.plan, runs.c.kernels)).all():
        planned = msgspec.json.decode(plan, type=Plan)
        variants, boxes = {one.name for one in planned.variants}, {one.name for one in planned.boxes}
        if not {*variants, planned.baseline} <= msgspec.json.decode(kernels, type=dict[str, Kernel]).keys():
            raise _wrong(path, "runs", run, "kernels: not one for each column of the plan")
        for boot, box, variant in connection.execute(select(boots.c.id, boots.c.box, boots.c.variant).where(boots.c.run == run)):
            if box not in boxes or variant not in variants:
                raise _wrong(path, "boots", boot, f"{variant!r} on {box!r} is not in the plan of run {run}")


def _require_texts(connection: Connection, path: Path) -> None:
    """A text is known by its checksum."""
    sources = schema.sources
    wanted = select(sources.c.sha256, sources.c.content).where(sources.c.content.is_not(None))
    for key, packed in connection.execute(wanted.execution_options(yield_per=10)):
        try:
            found = hashlib.sha256(_unpacked(packed, MOST_TEXT)).hexdigest()
        except (ValueError, zlib.error) as error:
            raise _wrong(path, "sources", key, f"content: {error}") from error
        if found != key:
            raise _wrong(path, "sources", key, f"content: its checksum is {found}")


def _wrong(path: Path, table: str, number: object, what: str) -> StoreError:
    return StoreError(f"{path}: table {table}, row {number!r}: {' '.join(what.split())}", ADVICE)
