"""Runs that are moved to a server and from it, also while others write."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.builders import kernel, slot
from tests.unit.transferred import OTHER, RICH, attempts, close, hasty, moved, rich, seen, store_of, told, under_way

from kdelta.store import transfer
from kdelta.store.place import open_store
from kdelta.store.store import Store

pytest_plugins = ["tests.unit.database_fixtures"]


@pytest.fixture(autouse=True)
def in_haste() -> Iterator[None]:
    with hasty():
        yield


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Store]:
    """An empty store to import into."""
    with closing(open_store(str(tmp_path / "here.sqlite"))) as opened:
        yield opened


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Store]:
    """A store from which runs come."""
    with closing(rich(tmp_path / "there.sqlite")) as opened:
        yield opened


@pytest.mark.parametrize("way", ["to it", "from it"])
def test_runs_are_moved_to_and_from_a_server(there: Store, here: Store, postgres: str, tmp_path: Path, way: str) -> None:
    with closing(rich(postgres) if way == "from it" else open_store(postgres)) as served:
        source, target = (there, served) if way == "to it" else (served, here)
        assert told(moved(source, target, tmp_path)) == [(True, 5, 0, 2), (True, 1, 0, 0)]
        assert told(moved(source, target, tmp_path)) == [(False, 0, 0, 0)] * 2
        assert seen(target) == seen(there)
        assert attempts(target) == attempts(there)
        transfer.export(served, None, tmp_path / "served")
        transfer.export(there, None, tmp_path / "filed")
        assert (tmp_path / "served").read_bytes() == (tmp_path / "filed").read_bytes()


def test_a_visit_is_continued_on_a_server(postgres: str, tmp_path: Path) -> None:
    with closing(store_of(tmp_path / "there")) as there, closing(open_store(postgres)) as served:
        boot_id = under_way(there, 0, (1.0,))
        moved(there, served, tmp_path)
        close(there, boot_id)
        assert told(moved(there, served, tmp_path)) == [(False, 0, 1, 0)]
        assert attempts(served) == attempts(there)


def test_two_who_import_the_same_into_a_server_import_it_once(there: Store, postgres: str, tmp_path: Path) -> None:
    transfer.export(there, None, tmp_path / "moved")
    stores = [open_store(postgres) for _ in range(3)]
    found: list[list[tuple[bool, int, int, int]]] = []
    threads = [
        threading.Thread(target=lambda store=store: found.append(told(transfer.load(store, [tmp_path / "moved"])[0])))
        for store in stores
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [[(False, 0, 0, 0)] * 2] * 2 + [[(True, 5, 0, 2), (True, 1, 0, 0)]]
    assert seen(stores[0]) == seen(there)
    for store in stores:
        store.close()


def test_a_run_that_is_being_measured_on_a_server_gets_numbers_of_its_own(postgres: str, tmp_path: Path) -> None:
    """An attempt that is added while a file is imported is not numbered as one of the file's."""
    with closing(store_of(tmp_path / "there")) as there, closing(open_store(postgres)) as served:
        moved(there, served, tmp_path)
        there.add(1, slot(), kernel("old"), OTHER)
        transfer.export(there, None, tmp_path / "moved", replace=True)
        writers = [
            threading.Thread(target=served.add, args=(1, slot(), kernel("old"), RICH)),
            threading.Thread(target=transfer.load, args=(served, [tmp_path / "moved"])),
        ]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert list(attempts(served)) == [(0, 1), (0, 2)]
