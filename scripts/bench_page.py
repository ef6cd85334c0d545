"""The page of a large run: how large it is, how long it takes to make, and until what is on it can be used in a browser.

Usage, from the project's folder: python -m scripts.bench_page [ROUNDS]. Times are those of this machine, and mean nothing on one
that does other work. The document of the data is made before: only the page is timed.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from tests.browser.conftest import OPTIONS, PROGRAMS
from tests.unit import page_runs

from kdelta.report.page import page


def ready(browser: Browser, path: Path) -> tuple[float, float]:
    """Milliseconds from the start of navigation until the tables can be used, and until the samples are drawn."""
    shown = browser.new_page()
    shown.goto(path.as_uri())
    shown.wait_for_selector("html[data-drawn]", state="attached")
    drawn = shown.evaluate("performance.now()")
    found = float(shown.evaluate("document.documentElement.dataset.ready"))
    shown.close()
    return found, drawn


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    records = page_runs.large()
    dossier, data = page_runs.dossier(records), page_runs.document(records)
    times = []
    for _ in range(rounds):
        started = time.monotonic()
        html = page.render(dossier, data)
        times.append(time.monotonic() - started)
    print(f"page of {len(records[1])} boots: {len(html.encode()) / 1e6:.2f} MB, made in {statistics.median(times):.2f} s")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        sys.exit("no browser to open it in: sudo apt install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "page.html"
        path.write_text(html, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=program, args=list(OPTIONS))
        usable, drawn = (statistics.median(each) for each in zip(*(ready(browser, path) for _ in range(rounds)), strict=True))
        browser.close()
    print(f"in the browser: tables can be used after {usable:.0f} ms, samples are drawn after {drawn:.0f} ms")


if __name__ == "__main__":
    main()
