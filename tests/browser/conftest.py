"""One browser for all tests of a worker. It reaches no network: whatever a page asks for beside itself fails its test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, Request, Route, sync_playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
OWN = ("file:", "blob:", "data:")

Open = Callable[..., Page]
"""A page from its HTML, drawn to its end; words are those of a browser's context: `viewport`, `color_scheme`."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.fail("the pages are tested in Chromium, which is not here. Type: sudo apt install chromium", pytrace=False)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=list(OPTIONS))
        yield started
        started.close()


@dataclass
class Watched:
    """A page, and what it did that no page may: ask for anything, fail, complain, or open a dialog."""

    page: Page
    path: Path
    wrong: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.context.route(lambda url: not url.startswith(OWN), self._refuse)
        self.page.on("request", self._requested)
        self.page.on("console", lambda one: self.wrong.append(f"{one.type}: {one.text}"))
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)

    def _refuse(self, route: Route) -> None:
        self.wrong.append(f"asked for {route.request.url}")
        route.abort()

    def _requested(self, request: Request) -> None:
        if not request.url.startswith(("blob:", self.path.as_uri())):
            self.wrong.append(f"asked for {request.url}")

    def _dismiss(self, dialog: Dialog) -> None:
        self.wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens pages that must do nothing wrong until the end of the test."""
    opened: list[Watched] = []

    def made(html: str, *, drawn: bool = True, **words: Any) -> Page:
        path = tmp_path / f"page-{len(opened)}.html"
        path.write_text(html, encoding="utf-8")
        watched = Watched(browser.new_context(offline=True, **words).new_page(), path)
        watched.page.set_default_timeout(10_000)
        watched.watch()
        opened.append(watched)
        watched.page.goto(path.as_uri())
        if drawn:
            watched.page.wait_for_selector("html[data-drawn]", state="attached")
        return watched.page

    yield made
    for one in opened:
        one.page.context.close()
    assert [one.wrong for one in opened] == [[] for _ in opened]
