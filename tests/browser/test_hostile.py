"""Names and texts of others do no harm in a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import Open
from tests.browser.test_page import saved
from tests.unit import page_runs

from kdelta.report.page import page as report

RECORDS = page_runs.hostile()
PHONE = {"width": 380, "height": 800}


@pytest.fixture(scope="module")
def html() -> str:
    return report.render(page_runs.dossier(RECORDS), page_runs.document(RECORDS), mail="\n".join(page_runs.HOSTILE[:7]))


@pytest.fixture
def page(open_page: Open, html: str) -> Page:
    return open_page(html, viewport=PHONE)


def test_nothing_of_them_runs_whatever_is_touched(page: Page) -> None:
    count = page.evaluate("view.cells.length")
    assert count > 200
    for place in range(0, count, 40):
        page.evaluate("place => selectCell(document.querySelector(`[data-cell='${place}']`))", place)
        page.evaluate("showPoint(0)")
        page.evaluate("place => showTip(document.querySelector(`[data-cell='${place}']`))", place)
    page.locator(".grid thead button").nth(1).click()
    page.fill("#filter-name", page_runs.HOSTILE[0])
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("globalThis.harmed") is None
    assert page.locator("script").count() == 3
    assert page.locator("img, iframe, object, embed, base, link").count() == 0


def test_they_leave_tables_in_their_frames(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    tallest = page.eval_on_selector_all(".grid tr", "rows => Math.max(...rows.map(one => one.getBoundingClientRect().height))")
    assert tallest < 80


def test_they_name_no_file(page: Page) -> None:
    names = page.eval_on_selector_all("[data-file]", "all => all.map(one => one.dataset.file)")
    assert len(names) > 3
    assert [name for name in names if not name.startswith("kdelta-run-7") or "/" in name or len(name) > 40] == []


def test_they_are_in_the_data_as_they_were(page: Page, tmp_path: Path) -> None:
    data = json.loads(saved(page, "kdelta-run-7.json", tmp_path))
    assert [one["name"] for one in data["variants"]] == list(page_runs.HOSTILE[:8])
    assert saved(page, "kdelta-run-7.csv", tmp_path).decode() == page_runs.csv_text(RECORDS)


def test_they_do_no_harm_without_scripts_either(open_page: Open, html: str) -> None:
    page = open_page(html, drawn=False, java_script_enabled=False, viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.locator("img, iframe, object, embed, base, link").count() == 0
