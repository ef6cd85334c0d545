"""Runs that others published, in the store: all that was read of a text is there again, and moves as every run."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from tests.unit.builders import sql
from tests.unit.published import TWO, WRITTEN, block, document, entry, listing, made, stored
from tests.unit.test_store_upgrade import ROWS_1 as OLD_ROWS
from tests.unit.test_store_upgrade import connected, everything, revise, run_all
from tests.unit.transferred import RICH, UUID, seen, store_of

from kdelta.archive.as_runs import runs
from kdelta.archive.reading import digest
from kdelta.model.errors import StoreError
from kdelta.store import transfer
from kdelta.store.place import open_store
from kdelta.store.store import Store

pytest_plugins = ["tests.unit.database_fixtures"]


def test_a_published_run_is_read_as_it_was_added(store: Store) -> None:
    (one,) = made(TWO, block(listings=(listing("new", "old"),), first=9))
    (run,) = stored(store, TWO, block(listings=(listing("new", "old"),), first=9))
    assert msgspec.structs.replace(run, id=0) == one.run
    assert store.runs() == [run]
    assert tuple(msgspec.structs.replace(boot, id=0) for boot in store.boots(run.id)) == one.boots


def test_no_character_of_a_text_is_lost(store: Store) -> None:
    odd = "\0 \x1a \N{BAR CHART}"
    (run,) = stored(store, block(entry(odd, "1.0", benchmark=odd, reason=odd)), subject=odd, source=odd)
    assert store.source(run.origins[0].source.sha256) == WRITTEN
    assert store.source("0" * 64) is None
    assert (run.origins[0].source.subject, store.boots(run.id)[0].published[0].benchmark) == (odd, odd)


def test_a_block_is_found_by_what_it_says(store: Store) -> None:
    (run,) = stored(store, TWO)
    elsewhere = msgspec.structs.replace(TWO, first=99, last=101)
    other = digest(block(entry("old", "3.0")))
    assert store.known([digest(elsewhere), other]) == {digest(elsewhere): run.id}


def test_of_one_benchmark_only_its_own_entries_are_read(store: Store) -> None:
    stored(store, block(entry("a", "1.0"), entry("a", "2.0", benchmark="exec")))
    ((_, boots),) = store.measured("exec")
    assert [one.benchmark for one in boots[0].published] == ["exec"]


def test_several_runs_of_one_text_have_it_once(tmp_path: Path) -> None:
    with closing(open_store(str(tmp_path / "s.sqlite"))) as opened:
        stored(opened, block(entry("a", "1"), entry("b", "2")), block(entry("a", "1"), entry("c", "2"), first=8))
    assert sql(tmp_path / "s.sqlite", "SELECT count(*) FROM sources") == [(1,)]


# ---- moved ----


def test_a_published_run_moves_whole_beside_own_ones(place: str, tmp_path: Path) -> None:
    with closing(store_of(place, UUID, RICH)) as here, closing(open_store(str(tmp_path / "there.sqlite"))) as there:
        stored(here, TWO)
        transfer.export(here, None, tmp_path / "moved")
        transfer.load(there, [tmp_path / "moved"])
        assert seen(there) == seen(here)
        assert there.source(there.run(2).origins[0].source.sha256) == WRITTEN


def test_what_was_read_here_too_under_another_name_is_there_already(tmp_path: Path) -> None:
    with closing(open_store(str(tmp_path / "here.sqlite"))) as here, closing(open_store(str(tmp_path / "there.sqlite"))) as there:
        stored(here, block(entry("", "1.0"), entry("b", "2.0")), source="first.txt")
        stored(there, block(entry("", "1.0"), entry("b", "2.0"), first=70), source="reply.txt")
        transfer.export(here, None, tmp_path / "moved")
        ((found,),) = transfer.load(there, [tmp_path / "moved"])
        assert (found.is_new, found.run, found.added) == (False, 1, 0)
        assert len(there.boots(1)) == 2


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE published SET entries = '[{\"variant\": 3}]'", "table published, row 1: entries"),
        ("UPDATE published SET listings = 'x'", "table published, row 1: listings"),
        ("UPDATE blocks SET block = '{}'", "table blocks, row 1: block"),
        ("UPDATE blocks SET source = 'elsewhere'", "refers to a row of sources"),
        ("UPDATE sources SET content = x'00'", "content: is cut off"),
        ("UPDATE sources SET content = x'789c030000000001'", "content: its checksum is e3b0c442"),
        ("UPDATE sources SET line = 'one'", "line does not hold a integer"),
    ],
)
def test_what_was_altered_is_refused(tmp_path: Path, statement: str, said: str) -> None:
    with closing(open_store(str(tmp_path / "here.sqlite"))) as here:
        stored(here, TWO)
        transfer.export(here, None, tmp_path / "moved")
        sql(tmp_path / "moved", statement)
        with closing(open_store(str(tmp_path / "there.sqlite"))) as there, pytest.raises(StoreError, match=said):
            transfer.load(there, [tmp_path / "moved"])


# ---- older stores ----


def test_a_store_of_schema_4_gets_three_tables_more(place: str) -> None:
    with connected(place) as connection:
        revise(connection, "0001")
        run_all(connection, OLD_ROWS)
        revise(connection, "0004")
    before = everything(place)
    with connected(place) as connection:
        revise(connection, "0005")
    more: dict[str, list[str]] = {"published": [], "sources": [], "blocks": []}
    assert everything(place) == {**before, "store": ["(5,)"], "alembic_version": ["('0005',)"], **more}


def test_the_document_of_the_tests_makes_one_run() -> None:
    assert len(runs(document(TWO))) == 1
