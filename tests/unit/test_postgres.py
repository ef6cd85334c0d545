"""Stores on a PostgreSQL server: what only a server can do, and what is said when it does not."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.unit.builders import Kdelta, boot, kernel, slot
from tests.unit.databases import PASSWORD, USER, Server, begin, look

from kdelta.model.errors import StoreError
from kdelta.model.noise import Noise
from kdelta.store import rows
from kdelta.store.place import open_store, shown

pytest_plugins = ["tests.unit.database_fixtures"]

GOOD = boot({"null": (1.0, 2.0)})
NOISE = Noise(
    box="exact", machine="x", benchmark="null", metric="time", boots=2, rounds=1, sd=None, df=0.0, ratio=None, p=None, flagged=False
)


def paragraph(error: StoreError) -> str:
    """What the user reads of it, on one line."""
    said = f"{error}; {error.advice}"
    assert "\n" not in said
    return said


# ---- URLs ----


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_a_url_may_name_postgresql_in_any_of_its_ways(postgres: str, scheme: str) -> None:
    url = postgres.replace("postgresql", scheme, 1)
    with closing(open_store(url)) as store:
        begin(store)
    assert look(postgres, "SELECT count(*) FROM runs") == [(1,)]


def test_what_libpq_takes_may_stand_in_the_url(postgres: str) -> None:
    look(postgres, "CREATE SCHEMA mine")
    with closing(open_store(f"{postgres}?options=-csearch_path%3Dmine&application_name=kdelta")) as store:
        begin(store)
    assert look(postgres, "SELECT count(*) FROM mine.runs") == [(1,)]


PRINTED = {
    "a file": ("/x/store.sqlite", "/x/store.sqlite"),
    "sqlite": ("sqlite:////x/store.sqlite", "sqlite:////x/store.sqlite"),
    "no password": ("postgresql://me@host/kdelta", "postgresql://me@host/kdelta"),
    "a password": ("postgresql://me:geheim@host:5433/kdelta", "postgresql://me:***@host:5433/kdelta"),
    "the other name": ("postgres://me:geheim@host/kdelta", "postgresql://me:***@host/kdelta"),
    "mistyped": ("postgresql://host/kdelta?passwd=geheim", "postgresql://host/kdelta"),
    "in the query": ("postgresql:///kdelta?password=geheim&host=/run", "postgresql:///kdelta?host=%2Frun"),
}


@pytest.mark.parametrize(("place", "printed"), PRINTED.values(), ids=PRINTED)
def test_a_place_is_printed_without_its_password(place: str, printed: str) -> None:
    assert shown(place) == printed


@pytest.mark.parametrize("url", ["postgresql://me:ge@heim@host/x", "postgresql://me:geheim@host:port/x", "geheim:://x"])
def test_a_url_that_cannot_be_read_is_not_repeated(url: str) -> None:
    with pytest.raises(StoreError) as error:
        open_store(url)
    assert "heim" not in paragraph(error.value)
    assert "%2F" in error.value.advice


# ---- what goes wrong ----

Broken = Callable[[Server, Path], str]
BROKEN: dict[str, tuple[Broken, str, str]] = {
    "wrong password": (lambda server, _: server.url("postgres", "geheim"), "password authentication failed", "password"),
    "no password": (lambda server, _: server.url("postgres").replace(f":{PASSWORD}@", "@"), "no password supplied", "~/.pgpass"),
    "no such user": (lambda server, _: server.url("postgres").replace(USER, "nobody"), "authentication failed", "user"),
    "no such database": (lambda server, _: server.url("geheim"), '"geheim" does not exist', "createdb"),
    "no server on the port": (lambda *_: "postgresql://me:geheim@127.0.0.1:1/x", "Connection refused", "pg_isready"),
    "no socket": (lambda _, folder: f"postgresql://me:geheim@/x?host={folder}", "No such file", "pg_isready"),
    "no such host": (lambda *_: "postgresql://me:geheim@host.invalid/x", "resolve host", "host"),
    "an option that is none": (lambda *_: "postgresql://me:geheim@127.0.0.1/x?colour=red", "colour", "--store"),
}


@pytest.mark.parametrize(("url", "cause", "advice"), BROKEN.values(), ids=BROKEN)
def test_a_server_that_does_not_let_us_in_is_one_paragraph_with_the_next_thing_to_try(
    server: Server, tmp_path: Path, url: Broken, cause: str, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSFILE", "/nowhere")
    with pytest.raises(StoreError, match=cause) as error:
        open_store(url(server, tmp_path))
    assert advice in error.value.advice
    assert PASSWORD not in paragraph(error.value)
    assert ":geheim@" not in paragraph(error.value)


def test_a_database_of_another_encoding_is_refused_before_a_store_is_made(server: Server) -> None:
    name = server.database("ENCODING 'SQL_ASCII' TEMPLATE template0")
    with pytest.raises(StoreError, match="SQL_ASCII") as error:
        open_store(server.url(name))
    assert "-E UTF8" in error.value.advice
    assert look(server.url(name), "SELECT tablename FROM pg_tables WHERE schemaname = 'public'") == []


@pytest.fixture
def guest(postgres: str) -> Iterator[str]:
    """The URL of a store for a user who has no rights yet but to see its tables' names."""
    open_store(postgres).close()
    look(postgres, f"CREATE USER guest PASSWORD '{PASSWORD}'")
    yield postgres.replace(USER, "guest", 1)
    look(postgres, "DROP OWNED BY guest; DROP USER guest")


def test_a_user_who_may_only_read_can_read(guest: str, postgres: str) -> None:
    with closing(open_store(postgres)) as store:
        store.add(begin(store).id, slot(), kernel("old"), GOOD)
    look(postgres, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest")
    with closing(open_store(guest)) as store:
        assert len(store.boots(1)) == 1
        with pytest.raises(StoreError, match="permission denied") as error:
            store.add(1, slot(1), kernel("old"), GOOD)
        assert "grant" in error.value.advice


def test_to_measure_no_right_to_change_rows_is_needed(guest: str, postgres: str) -> None:
    look(postgres, "GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO guest")
    look(postgres, "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO guest")
    with closing(open_store(guest)) as store:
        run = begin(store)
        boot_id = store.open_boot(1, slot(), kernel("old"))
        store.append(boot_id, GOOD.samples)
        store.close_cell(boot_id, GOOD.cells[0], {1: "not settled yet"})
        store.close_boot(boot_id, GOOD)
        store.add(1, slot(1), kernel("old"), GOOD)
        store.add_noise(run, [NOISE])
        assert [len(record.boot.samples) for record in store.boots(1)] == [2, 2]
        assert store.noise() == {1: (NOISE,)}


def test_a_connection_that_the_server_closed_meanwhile_is_replaced(server: Server, postgres: str) -> None:
    with closing(open_store(postgres)) as store:
        begin(store)
        server.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{postgres.rpartition('/')[2]}'")
        boot_id = store.open_boot(1, slot(), kernel("old"))
        server.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{postgres.rpartition('/')[2]}'")
        store.append(boot_id, GOOD.samples)
        assert len(store.boots(1)[0].boot.samples) == 2


# ---- at the same time ----


def test_a_writer_of_another_run_is_not_waited_for(postgres: str) -> None:
    with closing(open_store(postgres)) as store, psycopg.connect(postgres) as other:
        first, second = begin(store, uuid="a"), begin(store, uuid="b")
        other.execute("SELECT pg_advisory_xact_lock(%s, %s)", (rows.NUMBERING, first.id))
        writer = threading.Thread(target=store.add, args=(second.id, slot(), kernel("old"), GOOD))
        writer.start()
        writer.join(timeout=60)
        assert not writer.is_alive()
    assert look(postgres, "SELECT run, attempt FROM boots") == [(second.id, 1)]


def test_a_reader_sees_one_moment(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another process adds between two selects of a reader is not in what it gets, by half or at all."""
    with closing(open_store(postgres)) as store, closing(open_store(postgres)) as other:
        begin(store)
        boot_id = store.open_boot(1, slot(), kernel("old"))
        grouped = rows.grouped

        def after_another_wrote(*arguments: Any, **words: Any) -> object:
            monkeypatch.setattr(rows, "grouped", grouped)
            other.append(boot_id, GOOD.samples)
            return grouped(*arguments, **words)

        monkeypatch.setattr(rows, "grouped", after_another_wrote)
        assert [len(store.boots(1)[0].boot.samples) for _ in range(2)] == [0, 2]


# ---- the program ----


@pytest.mark.parametrize("option", [True, False], ids=["--store", "KDELTA_STORE"])
def test_the_program_takes_the_url_of_a_server(
    kdelta: Kdelta, postgres: str, option: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_store(postgres)) as store:
        store.add(begin(store).id, slot(), kernel("old"), GOOD)
    words = ["--store", postgres] if option else []
    if not option:
        monkeypatch.setenv("KDELTA_STORE", postgres)
    [run] = json.loads(kdelta("runs", "--json", *words).out)
    [measured] = json.loads(kdelta("compare", "--json", *words).out)["boots"]
    assert (run["boots"], [one["value"] for one in measured["samples"]]) == (1, [1.0, 2.0])


def test_the_program_ends_with_the_code_of_misuse_where_there_is_no_server(kdelta: Kdelta) -> None:
    ended = kdelta("runs", "--store", "postgresql://me:geheim@127.0.0.1:1/x")
    assert (ended.code, ended.out) == (2, "")
    assert "pg_isready" in ended.err
    assert "geheim" not in ended.err
