"""A store with three runs, and a client of its pages; a test module that wants them names this one in `pytest_plugins`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from tests.unit.builders import fill, plan

from kdelta.serve.app import create_app
from kdelta.store.place import open_store
from kdelta.store.store import Store


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs 1 and 3 of both benchmarks, and 2 of one."""
    at = tmp_path_factory.mktemp("filled") / "store.sqlite"
    fill(at, plan(names=["null", "ctx-2"], seeds=3), started="2024-01-01T00:00:00+00:00")
    fill(at, plan(["new"], seeds=3), started="2024-01-02T00:00:00+00:00")
    fill(at, plan(["new", "old"], ["null", "ctx-2"], seeds=3), started="2024-01-03T00:00:00+00:00")
    return at


@pytest.fixture
def served_place(filled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(filled, tmp_path / "store.sqlite"))


@pytest.fixture
def served_store(served_place: Path) -> Iterator[Store]:
    with closing(open_store(str(served_place), read_only=True)) as opened:
        yield opened


@pytest.fixture
def client(served_store: Store) -> FlaskClient:
    return create_app(served_store).test_client()
