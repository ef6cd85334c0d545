"""Fixtures of the tests of the store; a test module that wants them names this one in `pytest_plugins`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.databases import Server, running

from kdelta.store.place import open_store
from kdelta.store.store import Store


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One for all tests."""
    with running() as started:
        yield started


@pytest.fixture
def postgres(server: Server) -> Iterator[str]:
    """The URL of an empty database."""
    name = server.database()
    yield server.url(name)
    server.run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place for a store, in turn in each kind of database."""
    return str(tmp_path / "store.sqlite") if request.param == "sqlite" else str(request.getfixturevalue("postgres"))


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    with closing(open_store(place)) as opened:
        yield opened
