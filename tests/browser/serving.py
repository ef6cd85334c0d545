"""A store that is served as `kdelta serve` does it; a test module that wants that names this one in `pytest_plugins`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Route
from tests.unit.builders import fill, plan

from kdelta.serve.server import Server
from kdelta.store.place import open_store


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address, with a slash at its end, of a store with three runs of two kernels; in the second is no ctx-2."""
    place = tmp_path_factory.mktemp("served") / "store.sqlite"
    fill(place, plan(names=["null", "ctx-2"], seeds=3), started="2024-01-01T00:00:00+00:00")
    fill(place, plan(["new"], seeds=3), started="2024-01-02T00:00:00+00:00")
    fill(place, plan(["old", "new"], ["null", "ctx-2"], seeds=3), started="2024-01-03T00:00:00+00:00")
    with closing(open_store(str(place), read_only=True)) as store:
        server = Server(store, "127.0.0.1", 0)
        thread = threading.Thread(target=server.run)
        thread.start()
        yield server.url
        server.end()
        thread.join()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that asked nobody but this machine for anything, and had nothing to complain of."""
    asked: list[str] = []
    said: list[str] = []

    def only_here(route: Route) -> None:
        if urlsplit(route.request.url).hostname in (None, "127.0.0.1"):
            route.continue_()
        else:
            asked.append(route.request.url)
            route.abort()

    def heard(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            said.append(message.text)

    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.route("**/*", only_here)
    opened = context.new_page()
    opened.on("console", heard)
    opened.on("pageerror", lambda error: said.append(str(error)))
    yield opened
    context.close()
    assert (asked, said) == ([], [])
