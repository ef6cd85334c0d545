"""The page of a run as a browser shows it: what can be done with it, by mouse and by keyboard alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import Open
from tests.unit import page_runs
from tests.unit.page_runs import DISCARDED, PANIC

from kdelta.model.dossier import Dossier
from kdelta.report.figures import amount, probability
from kdelta.report.page import page as report

RECORDS = page_runs.small()
MAIL = "\nSubject: 6.1 against 6.0 <b> & more\n\n  a table\n"
BENCHMARKS = "tr => tr.map(one => one.cells[0].querySelector('bdi').textContent)"


@pytest.fixture(scope="module")
def dossier() -> Dossier:
    return page_runs.dossier(RECORDS)


@pytest.fixture(scope="module")
def html(dossier: Dossier) -> str:
    return report.render(dossier, page_runs.document(RECORDS), mail=MAIL)


@pytest.fixture
def page(open_page: Open, html: str) -> Page:
    return open_page(html)


def rows(page: Page, grid: int = 0) -> list[str]:
    """The benchmarks that are shown, in their order."""
    found: list[str] = page.locator(".grid").nth(grid).locator("tbody tr:not([hidden])").evaluate_all(BENCHMARKS)
    return found


def facts(page: Page, of: str) -> dict[str, str]:
    pairs: list[list[str]] = page.eval_on_selector_all(
        f"{of} dt", "all => all.map(one => [one.textContent, one.nextSibling.textContent])"
    )
    return {label: value for label, value in pairs}


def document() -> Any:
    return json.loads(page_runs.document(RECORDS))


# ---- the table ----


def test_a_heading_sorts_by_its_change_down_up_and_back(page: Page) -> None:
    heading = page.locator(".grid").first.locator("thead th").nth(2)
    planned = rows(page)
    seen = []
    for _ in range(3):
        heading.locator("button").click()
        seen.append((heading.get_attribute("aria-sort"), rows(page)))
    changes = {one.new.benchmark.name: one.ratio.value for one in changes_of_first_column() if one.ratio}
    down = sorted(changes, key=lambda name: -changes[name])
    assert seen == [("descending", down), ("ascending", down[::-1]), (None, planned)]


def changes_of_first_column() -> list[Any]:
    run = RECORDS[0]
    new = run.plan.variants[1].name
    box = run.plan.boxes[0].name
    judged = page_runs.dossier(RECORDS).judgement.verdicts
    return [one for one in judged if one.new.variant == new and one.new.box.name == box]


def test_a_name_filters_the_rows_of_all_boxes(page: Page) -> None:
    page.fill("#filter-name", "BENCH-2")
    assert (rows(page, 0), rows(page, 1)) == (["Bench-2"], ["Bench-2"])
    assert page.text_content("#filter-said") == "2 of 8 rows"


def test_a_verdict_that_is_not_wanted_takes_rows_without_another_away(page: Page, dossier: Dossier) -> None:
    for word in ("undecided", "equivalent", "no-value"):
        page.uncheck(f"#filter [value={word}]")
    changed = {one.new.benchmark.name for one in dossier.judgement.verdicts if one.answer.value in ("faster", "slower")}
    assert set(rows(page)) | set(rows(page, 1)) == changed
    assert page.locator("tr:not([hidden]) td.undecided:not(.off)").count() == 0


def test_what_is_said_of_a_cell_is_what_the_data_say(page: Page, dossier: Dossier) -> None:
    for place, verdict in enumerate(dossier.judgement.verdicts):
        page.locator(f"[data-cell='{place}']").hover()
        said = facts(page, "#tip")
        assert verdict.ratio is not None
        value, low, high = verdict.ratio.value, verdict.ratio.low, verdict.ratio.high
        assert said["ratio"] == f"{value:.6g} [{low:.6g}, {high:.6g}]"
        assert said["p"] == probability(verdict.p, dossier.judgement.alpha)
        assert said["rounds in common"].split(",")[0] == str(verdict.rounds)
        assert (said["sd of a boot"], said["visible change"]) == (amount(verdict.sd), amount(verdict.visible))
        assert said.get("doubt") == (verdict.doubts[-1] if verdict.doubts else None)


def test_escape_takes_what_is_said_of_a_cell_away(page: Page) -> None:
    cell = page.locator("[data-cell='0']")
    cell.focus()  # scrolling to it would take it away too
    page.mouse.move(0, 0)
    cell.hover()
    page.wait_for_selector("#tip", state="visible")
    page.keyboard.press("Escape")
    assert page.is_hidden("#tip")


# ---- samples ----


def test_a_cell_shows_its_samples_with_the_values_of_the_data(page: Page) -> None:
    page.locator("[data-cell='1']").click()
    page.wait_for_selector("#plot-picture:focus")
    assert page.input_value("#plot-benchmark") == str(page.evaluate("view.cells[1].benchmark"))
    data, (base, new) = document(), page.evaluate("view.cells[1].variants")
    samples, boots = data["samples"], data["boots"]
    wanted = [
        value
        for boot, benchmark, metric, value in zip(
            *(samples[name] for name in ("boot", "benchmark", "metric", "value")), strict=True
        )
        if boots["box"][boot] == 0 and benchmark == page.evaluate("view.cells[1].benchmark") and metric == 0
        if boots["variant"][boot] in (base, new)
    ]
    drawn = page.evaluate("plot.points.filter(one => one.kind !== 'failed').map(one => one.value)")
    assert sorted(drawn) == sorted(wanted)


def test_a_sample_under_the_pointer_says_its_exact_value_and_where_it_comes_from(page: Page) -> None:
    frame = page.locator("#plot-picture svg").bounding_box()
    assert frame
    for place in range(0, page.evaluate("plot.points.length"), 5):
        x, y, value = page.evaluate("place => [plot.points[place].x, plot.points[place].y, plot.points[place].value]", place)
        page.locator("#plot-picture").hover(position={"x": x, "y": y})
        said = str(page.text_content("#plot-point"))
        shown = page.evaluate("plot.points[plot.at].value")
        assert said.split(": ")[1].split(" ")[0] == page.evaluate("String(plot.points[plot.at].value)") or "panic" in said
        assert shown == value or page.evaluate("plot.points[plot.at].x") == pytest.approx(x, abs=8)


def test_what_was_discarded_and_what_failed_is_marked_and_says_why(page: Page) -> None:
    page.select_option("#plot-benchmark", "0")
    for box in page.locator("#plot-columns input").all():
        box.check()
    page.wait_for_selector("html[data-drawn='0/0/0']", state="attached")
    kinds = page.evaluate("plot.points.map(one => [one.kind, one.why])")
    assert ["discarded", f"; not judged: {DISCARDED}"] in kinds
    assert ["failed", f": panic {PANIC}"] in kinds
    assert page.locator("#plot-picture text", has_text="failed").count() == sum(kind == "failed" for kind, _ in kinds) >= 2
    assert page.locator(".mark.discarded").count() == 1


def test_another_metric_of_a_benchmark_can_be_shown(page: Page) -> None:
    page.select_option("#plot-benchmark", "3")
    page.select_option("#plot-metric", "1")
    page.wait_for_selector("html[data-drawn$='/3/1']", state="attached")
    assert page.text_content("#plot-axis") == "Up: ns/op. To the right: boots in the order in which they ran."


# ---- the keyboard ----


def test_all_can_be_done_with_the_keyboard_alone(page: Page) -> None:
    def active(script: str) -> Any:
        return page.evaluate(f"document.activeElement.{script}")

    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        if active("tagName") == "BODY":
            break
        seen.append(active("id || document.activeElement.textContent.trim()"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", seen[-1]
    assert seen[0] == "Skip to the summary"
    assert seen.index("filter-name") < seen.index("plot-box") < seen.index("plot-picture") < seen.index("Data as JSON")
    grids = page.locator(".grid").count()
    assert seen.count("benchmark") == grids


def test_arrow_keys_move_in_a_table_and_enter_shows_the_samples_of_a_cell(page: Page) -> None:
    page.locator(".grid thead button").first.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.dataset.cell") == "0"
    assert page.is_visible("#tip")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "plot-picture"
    page.keyboard.press("ArrowRight")
    assert page.text_content("#plot-point")
    page.locator("#plot-back").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.cell") == "0"


# ---- downloads ----


def saved(page: Page, name: str, folder: Path) -> bytes:
    with page.expect_download() as waiting:
        page.click(f"[data-file='{name}']")
    assert waiting.value.suggested_filename == name
    waiting.value.save_as(folder / "saved")
    return (folder / "saved").read_bytes()


def test_downloads_are_the_data_to_the_byte(page: Page, tmp_path: Path) -> None:
    assert saved(page, "kdelta-run-7.json", tmp_path) == page_runs.document(RECORDS)
    assert saved(page, "kdelta-run-7.csv", tmp_path).decode() == page_runs.csv_text(RECORDS)
    assert saved(page, "kdelta-run-7.txt", tmp_path).decode() == MAIL
    assert saved(page, "kdelta-run-7-picture-1.svg", tmp_path).startswith(b"<svg xmlns=")


# Values, and how ECMAScript writes them: the shortest digits that are read as the same again.
NUMBERS = {"5.0": "5", "-0.0": "-0", "0.1": "0.1", "1e21": "1e+21", "1e20": "1" + 20 * "0", "1e-7": "1e-7", "null": ""}


def test_numbers_of_csv_have_one_form(page: Page) -> None:
    assert page.evaluate("all => all.map(one => csvNumber(JSON.parse(one)))", list(NUMBERS)) == list(NUMBERS.values())


# ---- how it looks ----

LOOKS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 380, "height": 800}},
    "dark": {"viewport": {"width": 800, "height": 800}, "color_scheme": "dark"},
}


@pytest.mark.parametrize("words", LOOKS.values(), ids=LOOKS)
def test_nothing_is_wider_than_the_window(open_page: Open, html: str, words: dict[str, Any]) -> None:
    page = open_page(html, **words)
    assert page.evaluate("[document.documentElement.scrollWidth, document.body.scrollWidth]") <= 2 * [words["viewport"]["width"]]


# What stands on what, as far as it has a colour of its own: the nearest background behind each text that is shown.
CONTRASTS = """() => {
  const light = (text) => {
    const parts = text.match(/[\\d.]+/g).map(Number);
    const [r, g, b] = parts.map((one) => one / 255).map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return [0.2126 * r + 0.7152 * g + 0.0722 * b, parts[3] ?? 1];
  };
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const [value, alpha] = light(getComputedStyle(at).backgroundColor);
      if (alpha === 1) return value;
    }
    return light(getComputedStyle(document.documentElement).backgroundColor)[0];
  };
  const found = [];
  for (const one of document.querySelectorAll("body *:not(script, noscript, svg, svg *)")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !one.checkVisibility()) continue;
    const [ink, paper] = [light(getComputedStyle(one).color)[0], behind(one)];
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (ratio < 4.5) found.push([one.tagName, one.className, one.textContent.slice(0, 30), ratio]);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_that_is_written_can_be_read(open_page: Open, html: str, scheme: str) -> None:
    page = open_page(html, color_scheme=scheme)
    page.uncheck("#filter [value=slower]")
    assert page.evaluate(CONTRASTS) == []


def test_on_paper_everything_is_open_and_nothing_is_to_be_pressed(page: Page) -> None:
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert [one for one in ("nav", "form", "button:not(th button)") if page.locator(f"{one}:visible").count()] == []
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0


def test_without_scripts_everything_stands_there_but_what_they_do(open_page: Open, html: str) -> None:
    page = open_page(html, drawn=False, java_script_enabled=False)
    assert page.locator("#samples svg:visible").count() == 3
    assert page.locator(".grid td:visible").count() == 3 * 4 + 2 * 4
    assert [one for one in ("form", "button", "#plot", "#download-list") if page.locator(f"{one}:visible").count()] == []


def test_a_run_of_which_nothing_was_compared_shows_its_values(open_page: Open) -> None:
    records = page_runs.drawn(page_runs.plain(1, 1, 2))
    page = open_page(report.render(page_runs.dossier(records), page_runs.document(records)))
    assert page.locator(".grid td.value").count() == 2
    assert page.evaluate("plot.points.length") == 5 * 4


def test_boots_stand_for_their_samples_where_those_are_not_inside(open_page: Open, dossier: Dossier) -> None:
    page = open_page(report.render(dossier, page_runs.document(RECORDS), most_data=100))
    page.locator("[data-cell='1']").click()
    benchmark, (base, new) = page.evaluate("[view.cells[1].benchmark, view.cells[1].variants]")
    entries = dossier.tables[0].rows[benchmark].entries
    assert sorted(page.evaluate("plot.points.map(one => one.value)")) == sorted(entries[base].boots + entries[new].boots)
    assert "kdelta report 7 --form csv" in str(page.text_content("#downloads"))
    assert page.locator("[data-file='kdelta-run-7.csv']").count() == 0


def test_the_page_of_a_large_run_is_small_enough_and_is_drawn(open_page: Open) -> None:
    records = page_runs.large()
    html = report.render(page_runs.dossier(records), page_runs.document(records))
    assert len(html.encode()) <= 3_000_000
    page = open_page(html)
    assert page.locator("[data-cell]").count() == 12 * 7 * 6
    assert page.evaluate("plot.points.length") == 2 * 30 * 4
