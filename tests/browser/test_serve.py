"""The pages of a store in a browser: from the list to a run, a comparison and a history, by mouse and by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

pytest_plugins = ["tests.browser.serving"]


def heading(page: Page) -> str:
    return page.get_by_role("heading", level=1).inner_text()


def test_a_reader_goes_from_the_list_to_a_run_a_comparison_and_a_history(page: Page, served: str) -> None:
    page.goto(served)
    expect(page.get_by_role("status")).to_have_text("3 runs.")
    page.get_by_label("Benchmark").fill("ctx")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("status")).to_have_text("2 runs.")
    page.get_by_role("link", name="run 1", exact=True).click()
    expect(page).to_have_title("new against old - kdelta run 1")
    page.go_back()
    page.get_by_role("link", name="Compare old of run 1").click()
    expect(page.get_by_text("1:old is chosen.")).to_be_visible()
    page.get_by_role("row", name="run 2").get_by_role("link", name="new").click()
    assert heading(page) == "run 2: new against run 1: old"
    expect(page.get_by_role("region", name="Summary")).to_contain_text("run 2: new against run 1: old")
    page.get_by_role("link", name="The other way round").click()
    assert heading(page) == "run 1: old against run 2: new"
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="History").click()
    page.get_by_role("link", name="null").click()
    assert heading(page) == "null over kernels"
    expect(page.get_by_role("img", name=re.compile("^null on exact, over kernels"))).to_be_visible()
    page.get_by_role("link", name="Compare run 2, new, with the row above").click()
    assert heading(page) == "run 2: new against run 1: new"


def tab_to(page: Page, name: str, most: int = 60) -> None:
    """Press the key until what has the focus is called `name`."""
    for _ in range(most):
        page.keyboard.press("Tab")
        said = page.evaluate("(document.activeElement.getAttribute('aria-label') || document.activeElement.innerText || '').trim()")
        if said == name:
            return
    pytest.fail(f"no key leads to {name}")


def test_everything_is_reached_by_keyboard(page: Page, served: str) -> None:
    page.goto(served)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText") == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("old")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("2 runs.")
    tab_to(page, "2 in all")
    page.keyboard.press("Enter")
    tab_to(page, "null")
    page.keyboard.press("Enter")
    assert heading(page) == "null over kernels"
    tab_to(page, "Compare run 2, new, with the row above")
    page.keyboard.press("Enter")
    assert heading(page) == "run 2: new against run 1: new"


def test_what_has_the_focus_is_seen(page: Page, served: str) -> None:
    page.goto(served)
    tab_to(page, "Compare")
    style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style == "solid"


PAGES = ("", "?kernel=nothing", "compare", "compare?a=1:old", "history", "history?benchmark=null")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path or "list")
def test_a_page_is_no_wider_than_a_phone_and_needs_no_script(page: Page, served: str, path: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(served + path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate("document.scripts.length") == 0


def test_what_the_picture_says_is_what_the_table_says(page: Page, served: str) -> None:
    page.goto(f"{served}history?benchmark=ctx-2")
    rows = page.locator("tbody tr").all()
    told = [title for title in page.locator("svg g title").all_text_contents()]
    assert len(rows) == len(told) == 4
    for row, title in zip(rows, told, strict=True):
        median, interval, spread = (row.locator("td.figure").nth(place).inner_text() for place in (1, 2, 3))
        assert f": {median}, 95% [{interval.replace(' to ', ', ')}], {spread} in 3" in title


def test_the_picture_is_drawn_in_its_own_style(page: Page, served: str) -> None:
    """That its style is allowed shows in the colour of its writing."""
    page.goto(f"{served}history?benchmark=null")
    assert page.evaluate("getComputedStyle(document.querySelector('svg text.title')).fontWeight") == "700"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_writing_has_contrast_in_light_and_dark(browser: Browser, served: str, scheme: str) -> None:
    context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
    page = context.new_page()
    page.goto(served)
    colours = page.evaluate("(s => [s.color, s.backgroundColor])(getComputedStyle(document.body))")
    context.close()
    ink, paper = (sum(map(int, re.findall(r"\d+", colour))) for colour in colours)
    assert (ink < paper) is (scheme == "light")
    assert abs(ink - paper) > 500


def test_on_paper_there_is_nothing_to_click_on(page: Page, served: str) -> None:
    page.goto(served)
    page.emulate_media(media="print")
    expect(page.get_by_role("navigation", name="Pages")).to_be_hidden()
    expect(page.get_by_role("button", name="Search")).to_be_hidden()
    expect(page.get_by_role("link", name="run 1", exact=True)).to_be_visible()


def test_a_page_that_there_is_not_says_so_and_leads_back(browser: Browser, served: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{served}run/9")
    assert heading(page) == "there is no run 9"
    page.get_by_role("link", name="The list of runs").click()
    assert heading(page) == "Runs"
    context.close()
