"""The pages of a store: what leads where, and what is refused."""

from __future__ import annotations

import json
import re
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from tests.unit.builders import boot, kernel, plan, slot
from tests.unit.databases import begin
from tests.unit.golden import check
from tests.unit.served import get, links, numbers

from kdelta.model.errors import StoreError
from kdelta.serve import listing
from kdelta.serve.app import create_app
from kdelta.serve.pages import Pages
from kdelta.store.place import open_store
from kdelta.store.store import Store

pytest_plugins = ["tests.unit.serve_fixtures"]

# ---- the list ----


def test_runs_are_listed_newest_first_with_how_far_they_came(client: FlaskClient) -> None:
    page = get(client, "/")
    assert numbers(page) == [3, 2, 1]
    assert re.findall(r"<td>(\d+ of \d+)</td>", page) == ["6 of 6", "3 of 3", "6 of 6"]


SEARCHES = {
    "everything": ("", [3, 2, 1]),
    "a column, whatever its case": ("kernel=OLD", [3, 1]),
    "what was asked for": ("kernel=vmlinuz-new", [3, 2, 1]),
    "a build id": (f"kernel={'ab' * 4}", [3, 2, 1]),
    "a version": ("kernel=SMP", [3, 2, 1]),
    "a benchmark": ("benchmark=ctx", [3, 1]),
    "both": ("kernel=old&benchmark=null", [3, 1]),
    "blanks": ("kernel=+&benchmark=++", [3, 2, 1]),
    "nothing that there is": ("kernel=old&benchmark=fork", []),
}


@pytest.mark.parametrize(("query", "found"), SEARCHES.values(), ids=SEARCHES)
def test_runs_are_found_by_kernel_and_benchmark(client: FlaskClient, query: str, found: list[int]) -> None:
    assert numbers(get(client, f"/?{query}")) == found


def test_what_was_looked_for_stays_in_the_form_and_what_was_found_is_shown(client: FlaskClient) -> None:
    page = get(client, "/?kernel=old&benchmark=ctx")
    assert 'name="kernel" value="old"' in page
    assert 'name="benchmark" value="ctx"' in page
    assert "2 runs." in page
    assert links(page).count("/history?benchmark=ctx-2") == 2 * 2


def test_an_empty_list_says_what_to_do(client: FlaskClient, tmp_path: Path) -> None:
    assert "Make the words shorter" in get(client, "/?kernel=nothing")
    with closing(open_store(str(tmp_path / "empty.sqlite"))) as empty:
        other = create_app(empty).test_client()
        assert "Measure one: <code>kdelta run</code>" in get(other, "/")
        assert "Measure one: <code>kdelta run</code>" in get(other, "/history")


def test_a_long_list_comes_in_pages_that_keep_what_was_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "PAGE", 2)
    with closing(open_store(str(tmp_path / "many.sqlite"))) as store:
        for number in range(6):
            begin(store, plan(["old"] if number else ["odd"]), uuid=str(number))
        client = create_app(store).test_client()
        first, last = get(client, "/?kernel=old"), get(client, "/?kernel=old&page=3")
        assert numbers(first) == [6, 5]
        assert [link for link in links(first) if "page=" in link] == ["/?page=2&kernel=old&benchmark="]
        assert numbers(last) == [2]
        assert [link for link in links(last) if "page=" in link] == ["/?page=2&kernel=old&benchmark="]
        assert numbers(get(client, "/?kernel=old&page=9")) == []


def test_the_list_reads_no_boots(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(self: Store, run: int, *, profiled: bool = False) -> None:
        raise AssertionError

    monkeypatch.setattr(Store, "boots", never)
    get(client, "/")


# ---- one run ----


def test_a_run_has_a_page_and_its_data(client: FlaskClient) -> None:
    assert "new against old" in get(client, "/run/1")
    assert "new against old" in get(client, "/run/1/mail.txt")
    assert json.loads(get(client, "/run/1/data.json"))["schema"] == "kdelta-report"
    assert get(client, "/run/1/data.csv").startswith("run,box,variant,")
    kinds = [client.get(f"/run/1/{form}").mimetype for form in ("mail.txt", "data.json", "data.csv")]
    assert kinds == ["text/plain", "application/json", "text/csv"]


def test_a_page_that_was_made_is_kept_until_there_is_more_of_its_run(tmp_path: Path) -> None:
    made = []

    def make(store: Store, number: int) -> bytes:
        made.append(number)
        return b"%d" % len(made)

    with closing(open_store(str(tmp_path / "store.sqlite"))) as store:
        run = begin(store, plan(seeds=2)).id
        pages = Pages(store, make)
        assert [pages.page(run), pages.page(run)] == [b"1", b"1"]
        opened = store.open_boot(run, slot(), kernel("old"))
        assert pages.page(run) == b"2"
        came = boot({"null": [1.0]})
        store.append(opened, came.samples)
        assert pages.page(run) == b"3"
        store.close_cell(opened, came.cells[0], {0: "why"})
        assert pages.page(run) == b"4"
        store.close_boot(opened, came)
        assert [pages.page(run), pages.page(run)] == [b"5", b"5"]


def test_only_a_few_pages_are_kept_those_that_were_asked_for_last(served_store: Store) -> None:
    made: list[int] = []

    def make(store: Store, number: int) -> bytes:
        made.append(number)
        return b""

    pages = Pages(served_store, make, most=2)
    for number in (1, 2, 1, 3, 1, 2):
        pages.page(number)
    assert made == [1, 2, 3, 2]


# ---- two columns, one benchmark ----


def test_two_columns_are_chosen_one_after_the_other(client: FlaskClient) -> None:
    first = get(client, "/compare")
    assert "/compare?a=3:new&b=" in links(first)
    second = get(client, "/compare?a=3:new")
    assert "/compare?a=3:new&b=1:old" in links(second)
    assert "/compare?a=3:new&b=3:new" not in links(second)
    assert "run 1: old against run 3: new" in unescape(get(client, "/compare?a=3:new&b=1:old"))


def test_a_page_of_two_runs_says_that_they_share_no_rounds_and_leads_on(client: FlaskClient) -> None:
    page = get(client, "/compare?a=3:new&b=1:old")
    assert "Columns of two runs, which have no rounds in common" in page
    assert "the columns are of two runs" in page
    assert "in an order drawn for that round" not in page
    assert {"/", "/history", "/compare?a=1%3Aold&b=3%3Anew"} <= set(links(page))


def test_two_columns_of_one_run_have_their_profiles_those_of_two_have_not(client: FlaskClient) -> None:
    assert [get(client, f"/compare?a=1:old&b={other}").count("Flame graph: ") > 0 for other in ("1:new", "3:new")] == [True, False]


def test_a_search_among_columns_keeps_what_was_chosen(client: FlaskClient) -> None:
    page = get(client, "/compare?a=3:new&kernel=old")
    assert numbers(page) == [3, 1]
    assert '<input type="hidden" name="a" value="3:new">' in page


def test_columns_of_one_run_are_compared_in_its_rounds(client: FlaskClient) -> None:
    assert "seeds 1 to 3" in get(client, "/compare?a=1:old&b=1:new")


def test_a_benchmark_has_a_table_a_picture_and_comparisons(client: FlaskClient) -> None:
    page = get(client, "/history?benchmark=ctx-2")
    assert re.findall(r'<th scope="row" class="kernel"><bdi>([^<]*)</bdi>', page) == ["new", "new", "old", "old"]
    assert "/compare?a=1:new&b=3:new" in links(page)
    assert "<svg" in page


def test_the_history_begins_with_the_benchmarks_that_there_are(client: FlaskClient) -> None:
    assert [link for link in links(get(client, "/history")) if "?" in link] == [
        "/history?benchmark=ctx-2",
        "/history?benchmark=null",
    ]


def test_pages_are_as_kept(client: FlaskClient) -> None:
    paths = ("/", "/compare?a=1:old", "/history?benchmark=null&box=exact")
    check("serve", "\n".join(f"==== {path}\n{get(client, path)}" for path in paths))


# ---- what is refused ----

REFUSED = {
    "/run/9": (404, "there is no run 9", "there are the runs 1 to 3"),
    f"/run/{2**80}": (404, f"there is no run {2**80}", "there are the runs 1 to 3"),
    "/run/x": (404, "There is no such page.", "The list of runs leads to every page there is."),
    "/run/1/data.xls": (404, "there is no form 'data.xls' of run 1", "known: data.arrow, data.bench"),
    "/run/1/../../etc": (404, "There is no such page.", ""),
    "/nowhere": (404, "There is no such page.", ""),
    "/run//1": (404, "There is no such page.", ""),
    "/?page=0": (400, "'0' is no page of the list", "Go back to the list of runs"),
    "/?page=x": (400, "'x' is no page of the list", ""),
    "/compare?a=x&b=1:old": (400, "'x' names no column of a run: write RUN:COLUMN", ""),
    "/compare?a=9:old&b=1:old": (404, "there is no run 9", ""),
    "/compare?a=1&b=2:new": (404, "run 1 has 2 columns", "say which: 1:old, 1:new"),
    "/compare?a=1:older&b=1:old": (404, "there is no variant 'older' in run 1", "did you mean 'old'?"),
    "/compare?a=1:old&b=1:old": (404, "run 1: old is to be compared with itself", "choose another column"),
    "/history?benchmark=nul": (404, "there is no benchmark 'nul' in this store", "did you mean 'null'?"),
    "/history?benchmark=null&box=x": (404, "there is no box 'x' on which null was measured", "known: exact"),
}


@pytest.mark.parametrize(("path", "said"), REFUSED.items(), ids=[path[:40] for path in REFUSED])
def test_what_there_is_not_is_refused_with_what_to_do(client: FlaskClient, path: str, said: tuple[int, str, str]) -> None:
    page = unescape(get(client, path, said[0]))
    assert said[1] in page
    assert said[2] in page
    assert "/" in links(page)


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch", "options"])
@pytest.mark.parametrize("path", ["/", "/run/1", "/compare", "/history", "/style.css"])
def test_nothing_but_reading_is_answered(client: FlaskClient, method: str, path: str) -> None:
    found = getattr(client, method)(path)
    assert (found.status_code, found.headers["Allow"]) == (405, "GET, HEAD")
    assert "The store is only read here." in found.text


def test_a_store_that_cannot_be_read_is_said_so(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Store) -> None:
        raise StoreError("the store failed", "look at it")

    monkeypatch.setattr(Store, "runs", broken)
    assert "the store failed" in get(client, "/", 503)


def test_what_goes_wrong_in_kdelta_tells_nothing_of_it(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Store) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(Store, "runs", broken)
    page = get(client, "/", 500)
    assert "Something went wrong in kdelta." in page
    assert "secret" not in page
