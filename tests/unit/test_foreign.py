"""Files that others wrote: a store that is whole is read and left as it is; anything else is refused, with what is wrong where."""

from __future__ import annotations

import gzip
import hashlib
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.builders import sql
from tests.unit.databases import row_counts
from tests.unit.test_store_upgrade import BOOT_1, ROWS_1, TABLES_1, connected, revise, run_all
from tests.unit.transferred import hasty, rich, seen

from kdelta.model.errors import KdeltaError, MisuseError, StoreError
from kdelta.store import foreign, transfer
from kdelta.store.place import open_store
from kdelta.store.store import Store


@pytest.fixture(autouse=True)
def in_haste() -> Iterator[None]:
    with hasty():
        yield


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(str(tmp_path / "here.sqlite"))) as opened:
        yield opened


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with something in every table."""
    folder = tmp_path_factory.mktemp("exported")
    with closing(rich(folder / "store.sqlite")) as store:
        transfer.export(store, None, folder / "moved")
    return (folder / "moved").read_bytes()


@pytest.fixture
def moved(tmp_path: Path, exported: bytes) -> Path:
    path = tmp_path / "moved"
    path.write_bytes(exported)
    return path


def written(statements: str) -> Callable[[Path], object]:
    """What spoils a file by SQL."""

    def spoil(path: Path) -> None:
        for statement in statements.split("; "):
            sql(path, statement)

    return spoil


def redefined(old: str, new: str) -> Callable[[Path], object]:
    """What spoils a file by altering how its tables are defined."""

    def spoil(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA writable_schema=ON")
            connection.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?)", (old, new))

    return spoil


def misdirected(path: Path) -> None:
    """An index that leads to other rows than its own: whoever asks by it misses some, and nothing else shows it."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema=ON")
        other = "(SELECT rootpage FROM sqlite_master WHERE name = 'ix_cells_boot')"
        connection.execute(f"UPDATE sqlite_master SET rootpage = {other} WHERE name = 'ix_samples_boot'")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: -2 * 4096])


def scribbled(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[20000:24000] = b"\xa5" * 4000
    path.write_bytes(content)


def new(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def without(path: Path, statements: str) -> None:
    path.unlink()
    written(statements)(path)


BOMB = zlib.compress(b'{"a":1' + b" " * (1 << 20) + b"}").hex()
HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing": (new(b""), "is no store of kdelta"),
    "a text": (new(b"dear diary, " * 99), "is no store of kdelta"),
    "a packed file": (lambda path: path.write_bytes(gzip.compress(path.read_bytes())), "is no store of kdelta"),
    "only a header": (new(foreign.HEADER), "not a database"),
    "another program's": (lambda path: without(path, "CREATE TABLE songs (title)"), "no store of kdelta"),
    "another program's store": (lambda path: without(path, "CREATE TABLE store (title)"), "no store of kdelta"),
    "cut off": (cut, "malformed|damaged"),
    "scribbled over": (scribbled, "malformed|damaged"),
    "an index of other rows": (misdirected, "is damaged"),
    "a later schema": (written("UPDATE store SET version = 99"), "has schema 99, this kdelta reads"),
    "no schema": (written("DELETE FROM store"), "has schema None"),
    "a view": (written("ALTER TABLE samples RENAME TO s; CREATE VIEW samples AS SELECT * FROM s"), "a view 'samples'"),
    "a trigger": (
        written("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END".replace("; ", ";\n")),
        "a trigger 't'",
    ),
    "a virtual table": (written("CREATE VIRTUAL TABLE x USING fts5(a)"), "a table 'x', which"),
    "no table": (written("DROP TABLE discards"), "the table discards is not that of a store"),
    "no column": (written("ALTER TABLE samples DROP COLUMN unit"), "the table samples is not that of a store: .*'unit'"),
    "one more column": (written("ALTER TABLE samples ADD COLUMN x"), "the table samples is not that of a store: .*'x'"),
    "a computed column": (
        written("ALTER TABLE samples ADD COLUMN x AS (value)"),
        "the table samples is not that of a store: .*'x'",
    ),
    "no reference": (redefined("FOREIGN KEY(boot) REFERENCES boots (id)", "CHECK (1)"), "is not that of a store: .*'reference'"),
    "a column for anything": (redefined("value FLOAT", "value BLOB"), "the table samples is not that of a store: .*'value'"),
    "a text for a float": (
        written("UPDATE samples SET value = 'fast' WHERE id = 2"),
        "table samples, row 2: value does not hold a float",
    ),
    "a text for a number": (
        written("UPDATE boots SET seed = 'x' WHERE id = 3"),
        "table boots, row 3: seed does not hold an? integer",
    ),
    "bytes for a text": (
        written("UPDATE cells SET reason = x'00' WHERE id = 1"),
        "table cells, row 1: reason does not hold a text",
    ),
    "a text for bytes": (written("UPDATE stacks SET counts = 'x' WHERE id = 1"), "table stacks, row 1: counts does not hold a"),
    "neither true nor false": (
        written("UPDATE samples SET warmup = 2 WHERE id = 4"),
        "table samples, row 4: warmup does not hold a boolean",
    ),
    "no UTF-8": (written("UPDATE samples SET unit = CAST(x'ff' AS TEXT)"), "UTF-8"),
    "a boot of nothing": (written("UPDATE samples SET boot = 77 WHERE id = 3"), "table samples, row 3: refers to a row of boots"),
    "a boot of no run": (written("UPDATE boots SET run = 77 WHERE id = 1"), "table boots, row 1: refers to a row of runs"),
    "no JSON": (written("UPDATE runs SET plan = '{' WHERE id = 2"), "table runs, row 2: plan: "),
    "another JSON": (written("UPDATE runs SET kernels = '[1]' WHERE id = 1"), "table runs, row 1: kernels: Expected `object`"),
    "deep JSON": (written(f"UPDATE runs SET plan = '{'[' * 100000}'"), "table runs, row 1: plan: "),
    "an unknown outcome": (written("UPDATE endings SET outcome = 'fine' WHERE boot = 2"), "table endings, row 2: outcome: 'fine'"),
    "an unknown state": (written("UPDATE cells SET state = 'fine' WHERE id = 1"), "table cells, row 1: state: 'fine'"),
    "no counts": (written("""UPDATE profiles SET counts = '{"f":"x"}' WHERE id = 2"""), "table profiles, row 2: counts: "),
    "nothing that was packed": (written("UPDATE stacks SET counts = x'00' WHERE id = 1"), "table stacks, row 1: counts: "),
    "packed and cut off": (
        written("UPDATE stacks SET counts = substr(counts, 1, 9) WHERE id = 1"),
        "table stacks, row 1: .*cut off",
    ),
    "packed without measure": (written(f"UPDATE stacks SET counts = x'{BOMB}' WHERE id = 1"), "table stacks, row 1: .*more than"),
    "a box that is in no plan": (
        written("UPDATE boots SET box = 'x' WHERE id = 1"),
        "table boots, row 1: 'old' on 'x' is not in the plan",
    ),
    "a column without a kernel": (
        written("UPDATE runs SET kernels = '{}' WHERE id = 2"),
        "table runs, row 2: kernels: not one for each",
    ),
}


@pytest.mark.parametrize(("spoil", "why"), HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_whole_store_is_refused_and_neither_the_file_nor_the_store_changes(
    here: Store, moved: Path, spoil: Callable[[Path], object], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign, "MOST_CHAINS", 1 << 16)
    spoil(moved)
    before, counts = moved.read_bytes(), row_counts(str(moved.parent / "here.sqlite"))
    files = set(moved.parent.iterdir())
    with pytest.raises(KdeltaError, match=why) as error:
        transfer.load(here, [moved])
    assert str(moved) in str(error.value)
    assert error.value.advice
    assert "\n" not in f"{error.value}{error.value.advice}"
    assert (moved.read_bytes(), set(moved.parent.iterdir())) == (before, files)
    assert row_counts(str(moved.parent / "here.sqlite")) == counts


NO_FILES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "not there": (lambda _: None, "cannot be read: No such file"),
    "a folder": (Path.mkdir, "is no file"),
}


@pytest.mark.parametrize(("make", "why"), NO_FILES.values(), ids=NO_FILES)
def test_what_is_no_file_is_misuse(here: Store, tmp_path: Path, make: Callable[[Path], Any], why: str) -> None:
    make(tmp_path / "x")
    with pytest.raises(MisuseError, match=why):
        transfer.load(here, [tmp_path / "x"])


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(places=st.lists(st.tuples(st.integers(0, 2**16), st.binary(min_size=1, max_size=60)), min_size=1, max_size=3))
def test_a_file_with_any_bytes_changed_is_imported_or_refused(
    here: Store, moved: Path, exported: bytes, places: list[tuple[int, bytes]]
) -> None:
    content = bytearray(exported)
    for place, found in places:
        start = place % len(content)
        content[start : start + len(found)] = found
    moved.write_bytes(content)
    try:
        transfer.load(here, [moved])
    except (StoreError, MisuseError):
        assert moved.read_bytes() == content


# ---- left as it is ----


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_file_that_is_imported_is_not_changed_and_nothing_is_left_beside_it(here: Store, moved: Path) -> None:
    before, files = digest(moved), set(moved.parent.iterdir())
    moved.chmod(0o400)
    transfer.load(here, [moved])
    assert (digest(moved), set(moved.parent.iterdir())) == (before, files)


def test_a_file_of_which_a_part_lies_beside_it_is_refused_and_without_it_read(here: Store, moved: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(moved)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("UPDATE runs SET started = '2025' WHERE id = 1")
        connection.commit()
        with pytest.raises(StoreError, match=r"is in use: moved-wal") as error:
            transfer.load(here, [moved])
        assert ".backup" in error.value.advice
    before, files = digest(moved), set(tmp_path.iterdir())
    assert len(transfer.load(here, [moved])[0]) == 2
    assert (digest(moved), set(tmp_path.iterdir())) == (before, files)
    assert here.run(1).started == "2025"


def test_a_file_in_which_a_transaction_was_cut_off_is_refused_and_not_repaired(here: Store, moved: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut"
    with closing(sqlite3.connect(moved)) as connection:
        connection.execute("PRAGMA cache_size=1")
        connection.execute("UPDATE samples SET unit = hex(zeroblob(9000))")
        for ending in ("", "-journal"):
            path.with_name(f"cut{ending}").write_bytes(moved.with_name(f"moved{ending}").read_bytes())
    before, files = digest(path), set(tmp_path.iterdir())
    with pytest.raises(StoreError, match=str(path)):
        transfer.load(here, [path])
    assert (digest(path), set(tmp_path.iterdir())) == (before, files)


def test_indexes_that_somebody_added_do_no_harm(here: Store, moved: Path) -> None:
    sql(moved, "CREATE INDEX mine ON samples (metric)")
    sql(moved, "ANALYZE")
    assert len(transfer.load(here, [moved])[0]) == 2


# ---- older ones ----


@pytest.mark.parametrize("revision", ["released", "0001", "0002", "0003"])
def test_a_file_of_an_older_kdelta_is_imported_and_not_changed(here: Store, tmp_path: Path, revision: str) -> None:
    path = tmp_path / "old"
    with connected(str(path)) as connection:
        if revision == "released":
            run_all(connection, TABLES_1)
        else:
            revise(connection, "0001")
        run_all(connection, ROWS_1)
        if revision != "released":
            revise(connection, revision)
    before, files = digest(path), set(tmp_path.iterdir())
    [found] = transfer.load(here, [path])[0]
    assert (found.run, found.source.id, found.added) == (1, 3, 2)
    assert [one.boot for one in here.boots(1)] == [BOOT_1]
    assert (digest(path), set(tmp_path.iterdir())) == (before, files)
    with closing(open_store(str(path))) as upgraded:
        assert seen(upgraded) == seen(here)


def test_an_older_file_whose_tables_are_others_is_refused(here: Store, tmp_path: Path) -> None:
    path = tmp_path / "old"
    written("CREATE TABLE store (version INTEGER NOT NULL PRIMARY KEY); INSERT INTO store VALUES (1)")(path)
    with pytest.raises(StoreError, match=str(path)):
        transfer.load(here, [path])
