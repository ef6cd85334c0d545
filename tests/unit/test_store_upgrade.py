"""Stores of older schemas: opening one upgrades it, whole or not at all, and nothing that it holds changes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, inspect
from tests.unit.builders import boot, kernel, slot, sql
from tests.unit.databases import look

from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.errors import StoreError
from kdelta.model.kernel import RunningKernel
from kdelta.model.profile import Profile
from kdelta.model.sample import Sample
from kdelta.store import migrations, schema
from kdelta.store.place import open_store

pytest_plugins = ["tests.unit.database_fixtures"]

# What kdelta 0.1.0 made.
TABLES_1 = """
CREATE TABLE store (version INTEGER NOT NULL, PRIMARY KEY (version));
CREATE TABLE kernels (image_sha256 VARCHAR(64) NOT NULL, release TEXT NOT NULL, version TEXT NOT NULL, machine TEXT NOT NULL,
    build_id TEXT, config_sha256 VARCHAR(64), PRIMARY KEY (image_sha256));
CREATE TABLE runs (id INTEGER NOT NULL, uuid VARCHAR(36) NOT NULL, started VARCHAR(25) NOT NULL, "plan" TEXT NOT NULL,
    kernels TEXT NOT NULL, kdelta_version TEXT NOT NULL, PRIMARY KEY (id), UNIQUE (uuid));
CREATE TABLE boots (id INTEGER NOT NULL, run INTEGER NOT NULL, position INTEGER NOT NULL, attempt INTEGER NOT NULL,
    box TEXT NOT NULL, variant TEXT NOT NULL, seed INTEGER NOT NULL, kernel VARCHAR(64) NOT NULL, outcome TEXT NOT NULL,
    reason TEXT NOT NULL, running TEXT, benchmarks TEXT NOT NULL, environment TEXT NOT NULL, warnings TEXT NOT NULL,
    kernel_log TEXT NOT NULL, host_seconds FLOAT NOT NULL, ready_seconds FLOAT, PRIMARY KEY (id),
    UNIQUE (run, position, attempt), FOREIGN KEY(run) REFERENCES runs (id),
    FOREIGN KEY(kernel) REFERENCES kernels (image_sha256));
CREATE TABLE cells (id INTEGER NOT NULL, boot INTEGER NOT NULL, benchmark TEXT NOT NULL, state TEXT NOT NULL,
    reason TEXT NOT NULL, PRIMARY KEY (id), FOREIGN KEY(boot) REFERENCES boots (id));
CREATE TABLE samples (id INTEGER NOT NULL, boot INTEGER NOT NULL, benchmark TEXT NOT NULL, metric TEXT NOT NULL,
    iteration INTEGER NOT NULL, warmup BOOLEAN NOT NULL, value FLOAT NOT NULL, unit TEXT NOT NULL, operations BIGINT NOT NULL,
    elapsed_ns BIGINT NOT NULL, PRIMARY KEY (id), FOREIGN KEY(boot) REFERENCES boots (id));
CREATE TABLE profiles (id INTEGER NOT NULL, boot INTEGER NOT NULL, benchmark TEXT NOT NULL, iteration INTEGER NOT NULL,
    operations BIGINT NOT NULL, counts TEXT NOT NULL, PRIMARY KEY (id), FOREIGN KEY(boot) REFERENCES boots (id));
CREATE INDEX ix_boots_run ON boots (run);
CREATE INDEX ix_cells_boot ON cells (boot);
CREATE INDEX ix_samples_boot ON samples (boot);
CREATE INDEX ix_profiles_boot ON profiles (boot);
INSERT INTO store VALUES (1);
"""

OLD = kernel("6.1.0")
PLAN_1 = (
    '{"baseline":"old","variants":[{"name":"old","kernel":"apt:6.1","cmdline":["quiet"],"sysctl":{"kernel.x":"1"}}],'
    '"boxes":[{"name":"exact","kind":"exact","cpus":2,"memory":600}],"benchmarks":[{"name":"null","program":"null",'
    '"parameters":{"size":"1"},"operation":"one getppid()","operations":10,"iterations":4,"getppid":2,'
    '"metric":{"name":"time","unit":"ns/op","better":"smaller"},"needs":["/bin/sh"]}],"seeds":5}'
)
KERNELS_1 = (
    f'{{"old":{{"spec":"{OLD.spec}","image":"{OLD.image}","image_sha256":"{OLD.image_sha256}","machine":"x86_64",'
    f'"release":"6.1.0","version":"#1 SMP","build_id":"{OLD.build_id}","config_sha256":null,"boot_image":""}}}}'
)
RUNNING_1 = f'["6.1.0","#1 SMP","x86_64","{OLD.build_id}"]'
ROWS_1 = f"""
INSERT INTO kernels VALUES ('{OLD.image_sha256}', '6.1.0', '#1 SMP', 'x86_64', '{OLD.build_id}', NULL);
INSERT INTO kernels VALUES ('{"0" * 64}', '6.12.0', '#1 SMP', 'x86_64', NULL, '{"1" * 64}');
INSERT INTO runs VALUES (3, 'u', '2024-02-29T12:34:56+00:00', '{PLAN_1}', '{KERNELS_1}', '0.1.0');
INSERT INTO boots VALUES (7, 3, 0, 1, 'exact', 'old', 1, '{OLD.image_sha256}', 'lost', 'it went', NULL, '["null"]', '{{}}', '[]',
    '', 1.5, NULL);
INSERT INTO boots VALUES (8, 3, 0, 2, 'exact', 'old', 1, '{OLD.image_sha256}', 'done', '',
    '{{"release":"6.1.0","version":"#1 SMP","machine":"x86_64","build_id":null}}', '["null"]', '{{"qemu":"7.2"}}', '["hot"]',
    'all is well', 2.5, 0.25);
INSERT INTO cells VALUES (9, 7, 'null', 'killed', 'it went');
INSERT INTO cells VALUES (10, 8, 'null', 'ok', '');
INSERT INTO samples VALUES (11, 8, 'null', 'time', -1, TRUE, 0.1, 'ns/op', 10, 9223372036854775807);
INSERT INTO samples VALUES (12, 8, 'null', 'time', 0, FALSE, 0.3333333333333333, 'ns/op', 10, 3);
INSERT INTO profiles VALUES (13, 8, 'null', 0, 10, '{{"schedule":3}}');
"""
BOOT_1 = Boot(
    outcome=Outcome.DONE,
    running=RunningKernel("6.1.0", "#1 SMP", "x86_64"),
    cells=(Cell("null", CellState.OK),),
    samples=tuple(
        Sample(benchmark="null", metric="time", iteration=i, warmup=i < 0, value=v, unit="ns/op", operations=10, elapsed_ns=ns)
        for i, v, ns in ((-1, 0.1, 2**63 - 1), (0, 1 / 3, 3))
    ),
    warnings=("hot",),
    environment={"qemu": "7.2"},
    host_seconds=2.5,
    ready_seconds=0.25,
)


@contextmanager
def connected(place: str) -> Iterator[Connection]:
    """A connection past the store, in one transaction."""
    url = f"sqlite:///{place}" if "://" not in place else place.replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def revise(connection: Connection, revision: str) -> None:
    """The tables as the revisions up to `revision` make them."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def run_all(connection: Connection, statements: str) -> None:
    for statement in filter(str.strip, statements.split(";\n")):
        connection.exec_driver_sql(statement)


@pytest.fixture
def old(place: str) -> str:
    """A store of schema 1. The kdelta that had it wrote SQLite only; in PostgreSQL it is as that one would have made it."""
    with connected(place) as connection:
        if "://" in place:
            revise(connection, "0001")
            connection.exec_driver_sql("DROP TABLE alembic_version")
        else:
            run_all(connection, TABLES_1)
        run_all(connection, ROWS_1)
    return place


# ---- what it holds ----


def test_what_an_old_store_holds_is_read_as_it_was_written(old: str) -> None:
    with closing(open_store(old)) as store:
        [found] = store.boots(3)
        place = (found.id, found.attempt, found.box, found.variant, found.seed, found.benchmarks)
        assert place == (8, 2, "exact", "old", 1, ("null",))
        assert found.boot == BOOT_1
        assert (store.kernel_log(7), store.kernel_log(8)) == ("", "all is well")
        assert store.profiles([8], "null") == [Profile(benchmark="null", iteration=0, operations=10, counts={"schedule": 3})]


def test_the_plan_of_an_old_run_is_read(old: str) -> None:
    with closing(open_store(old)) as store:
        run = store.run(3)
    assert (run.plan.seeds, run.plan.variants[0].sysctl, run.plan.boxes[0].memory) == (5, {"kernel.x": "1"}, 600)
    [benchmark] = run.plan.benchmarks
    assert (benchmark.name, benchmark.parameters, benchmark.iterations, benchmark.getppid) == ("null", {"size": "1"}, 4, 2)
    assert (benchmark.metric.name, benchmark.metric.unit, benchmark.needs) == ("time", "ns/op", ("/bin/sh",))
    assert run.kernels == {"old": OLD}


def test_every_row_of_every_table_is_kept(old: str) -> None:
    open_store(old).close()
    assert look(old, "SELECT * FROM store") == [(schema.VERSION,)]
    assert look(old, "SELECT key, image_sha256, release, config_sha256 FROM kernels ORDER BY release") == [
        (OLD.image_sha256, OLD.image_sha256, "6.1.0", None),
        ("0" * 64, "0" * 64, "6.12.0", "1" * 64),
    ]
    assert look(old, "SELECT id, run, position, attempt, kernel FROM boots ORDER BY id") == [
        (7, 3, 0, 1, OLD.image_sha256),
        (8, 3, 0, 2, OLD.image_sha256),
    ]
    assert look(old, "SELECT boot, outcome, reason, host_seconds, ready_seconds FROM endings ORDER BY boot") == [
        (7, "lost", "it went", 1.5, None),
        (8, "done", "", 2.5, 0.25),
    ]
    assert look(old, "SELECT * FROM cells ORDER BY id") == [(9, 7, "null", "killed", "it went"), (10, 8, "null", "ok", "")]
    assert look(old, "SELECT id, boot, iteration, value, elapsed_ns FROM samples ORDER BY id") == [
        (11, 8, -1, 0.1, 2**63 - 1),
        (12, 8, 0, 1 / 3, 3),
    ]
    assert look(old, "SELECT * FROM profiles") == [(13, 8, "null", 0, 10, '{"schedule":3}', None, "instructions")]
    assert look(old, "SELECT * FROM discards") == []
    assert look(old, "SELECT * FROM noise") == []


def test_a_store_of_schema_2_gets_a_table_more(place: str) -> None:
    with connected(place) as connection:
        revise(connection, "0001")
        run_all(connection, ROWS_1)
        revise(connection, "0002")
    before = everything(place)
    with connected(place) as connection:
        revise(connection, "0003")
    assert everything(place) == {**before, "store": ["(3,)"], "alembic_version": ["('0003',)"], "noise": []}


def test_profiles_of_schema_3_are_of_instructions_and_its_boots_are_judged(place: str) -> None:
    with connected(place) as connection:
        revise(connection, "0001")
        run_all(connection, ROWS_1)
        revise(connection, "0003")
    with closing(open_store(place)) as store:
        [profile] = store.profiles([8], "null")
        assert (profile.unit, profile.hertz, store.stacks([8], "null")) == ("instructions", None, [])
        assert (len(store.boots(3)), store.boots(3, profiled=True)) == (1, [])


def test_an_old_run_can_be_completed(old: str) -> None:
    if "://" in old:  # The rows above have numbers of their own, of which PostgreSQL's counters know nothing.
        for table in ("runs", "boots", "cells", "samples", "profiles"):
            look(old, f"SELECT setval('{table}_id_seq', 100)")
    with closing(open_store(old)) as store:
        store.add(3, slot(1), OLD, boot({"null": (1.0,)}))
        assert [record.position for record in store.boots(3)] == [0, 1]


def test_the_store_that_was_upgraded_still_refuses_what_refers_to_nothing(old: str) -> None:
    with closing(open_store(old)) as store:
        with pytest.raises(StoreError):
            store.add(3, slot(1), kernel("7.0"), boot({"null": (1.0,)}))
        with pytest.raises(StoreError):
            store.append(99, BOOT_1.samples)


# ---- the schema ----


def shape(connection: Connection) -> dict[str, Any]:
    """What a database says of its tables, without the order of columns."""
    inspector = inspect(connection)
    return {
        table: (
            sorted((one["name"], str(one["type"]), one["nullable"], one["default"]) for one in inspector.get_columns(table)),
            inspector.get_pk_constraint(table)["constrained_columns"],
            sorted((one["constrained_columns"], one["referred_table"], one["referred_columns"]) for one in references)
            if (references := inspector.get_foreign_keys(table))
            else [],
            sorted(one["column_names"] for one in inspector.get_unique_constraints(table)),
            sorted((str(one["name"]), one["column_names"], one["unique"]) for one in inspector.get_indexes(table)),
        )
        for table in sorted(inspector.get_table_names())
    }


def differences(connection: Connection) -> list[Any]:
    """Between the tables there are and those of `schema`, as Alembic finds them."""
    return list(compare_metadata(MigrationContext.configure(connection), schema.metadata))


@pytest.fixture
def fresh(place: str) -> dict[str, Any]:
    """The shape of a new store at `place`, which is left empty."""
    open_store(place).close()
    with connected(place) as connection:
        assert differences(connection) == []
        found = shape(connection)
        if "://" in place:
            schema.metadata.drop_all(connection)
    if "://" not in place:
        Path(place).unlink()
    return found


def test_the_revisions_lead_to_the_tables_of_a_new_store(fresh: dict[str, Any], place: str) -> None:
    with connected(place) as connection:
        revise(connection, "head")
    with connected(place) as connection:
        assert differences(connection) == []
        assert shape(connection) == fresh


def test_an_upgraded_store_has_the_tables_of_a_new_store(fresh: dict[str, Any], old: str) -> None:
    open_store(old).close()
    with connected(old) as connection:
        assert differences(connection) == []
        assert shape(connection) == fresh
    assert look(old, "SELECT version_num FROM alembic_version") == [(f"{schema.VERSION:04}",)]


def test_the_first_revision_is_what_was_released(tmp_path: Path) -> None:
    shapes = []
    for name in ("released", "revision"):
        with connected(str(tmp_path / name)) as connection:
            if name == "released":
                run_all(connection, TABLES_1)
            else:
                revise(connection, "0001")
            shapes.append(shape(connection))
    del shapes[1]["alembic_version"]
    assert shapes[0] == shapes[1]


def test_the_last_revision_is_this_schema() -> None:
    assert ScriptDirectory(str(Path(migrations.__file__).parent)).get_heads() == [f"{schema.VERSION:04}"]


# ---- whole, or not at all ----


def everything(place: str) -> dict[str, Any]:
    with connected(place) as connection:
        tables = inspect(connection).get_table_names()
        return {table: sorted(map(repr, connection.exec_driver_sql(f"SELECT * FROM {table}"))) for table in tables}


@pytest.mark.parametrize("where", ["INSERT INTO endings", "CREATE TABLE discards", "CREATE TABLE noise", "UPDATE store"])
def test_an_upgrade_that_is_cut_off_leaves_the_old_store(old: str, where: str) -> None:
    def cut_off(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if statement.strip().startswith(where):
            raise KeyboardInterrupt

    before = everything(old)
    event.listen(Engine, "before_cursor_execute", cut_off)
    try:
        with pytest.raises(KeyboardInterrupt):
            open_store(old)
    finally:
        event.remove(Engine, "before_cursor_execute", cut_off)
    assert everything(old) == before
    with closing(open_store(old)) as store:
        assert store.boots(3)[0].boot == BOOT_1


OPEN = """
import sys
from kdelta.store.place import open_store
print("ready", flush=True)
sys.stdin.readline()
print(len(open_store(sys.argv[1]).boots(3)), "alembic" in sys.modules)
"""


def openers(count: int, place: str) -> list[tuple[str, str]]:
    """What processes say that open the store at one moment: the boots, and whether they needed Alembic; and what went wrong."""
    pipe, command = subprocess.PIPE, [sys.executable, "-c", OPEN, place]
    started = [subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(count)]
    assert {process.stdout.readline() for process in started if process.stdout} == {"ready\n"}
    for process in started:
        print(file=process.stdin, flush=True)
    return [process.communicate(timeout=60) for process in started]


def test_several_may_upgrade_the_store_at_once(old: str) -> None:
    said = openers(4, old)
    assert {boots.split()[0] for boots, _ in said} == {"1"}
    assert {error for _, error in said} == {""}


def test_a_store_that_is_up_to_date_opens_without_alembic(old: str) -> None:
    assert openers(1, old) == [("1 True\n", "")]
    assert openers(1, old) == [("1 False\n", "")]


def test_a_new_store_is_made_without_alembic_and_with_the_version_for_it(place: str) -> None:
    assert openers(1, place) == [("0 False\n", "")]
    assert look(place, "SELECT version_num FROM alembic_version") == [(f"{schema.VERSION:04}",)]


def test_a_damaged_old_store_is_not_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with connected(str(path)) as connection:
        run_all(connection, TABLES_1 + ROWS_1)
    sql(path, "INSERT INTO cells VALUES (99, 98, 'null', 'ok', '')")
    before = everything(str(path))
    with pytest.raises(StoreError, match="rows that are not there"):
        open_store(str(path))
    assert everything(str(path)) == before
