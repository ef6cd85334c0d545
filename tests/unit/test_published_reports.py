"""What others published in the other places where runs are shown: the page, a history, the list that is served, data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.unit.builders import Kdelta
from tests.unit.published import TWO, block, entry, listing, stored

from kdelta.inquiry import history
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Remark
from kdelta.publish.forms import FORMS
from kdelta.publish.material import of_run
from kdelta.report import listing as printed
from kdelta.report import published, verdict_text
from kdelta.serve.listing import listing as listed
from kdelta.store.place import open_store
from kdelta.store.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("KDELTA_STORE", str(tmp_path / "store.sqlite"))
    with closing(open_store()) as opened:
        yield opened


SHARE: dict[str, Any] = {"relative": "% of old", "unit": "%", "better": Better.LARGER}
ODD = {
    "a failure": (entry("old", "1.0"), entry("new", state=CellState.FAILED, reason="hung above 64")),
    "nothing printed": (entry("old", "1.0"), entry("new")),
    "one variant": (entry("only", samples=("1.0", "2.0")),),
    "shares": (entry("old", {"mean": "100.0", "cv": "0.7"}, **SHARE), entry("new", {"mean": "4.7", "cv": "1.5"}, **SHARE)),
    "ranges": (entry("old", {"min": "1", "max": "2"}), entry("new", {"min": "3", "max": "4"})),
    "no unit": (entry("old", "1.0", unit=""), entry("new", "1.1", unit="")),
    "two units": (
        entry("old", "1.0"),
        entry("new", "1.1"),
        entry("old", "5", benchmark="b", unit=""),
        entry("new", "6", benchmark="b", unit=""),
    ),
    "0 and less": (entry("old", "0.0"), entry("new", "-1.0")),
    "names of others": (entry("<script>\x1b[2J", "1.0", benchmark="</td>"), entry("a" * 300, "1.0", benchmark="</td>")),
    "two boxes": tuple(entry(v, "1.0", box=box, benchmark=box) for box in ("P4", "G5") for v in "ab"),
}


@pytest.mark.parametrize("entries", ODD.values(), ids=ODD)
def test_all_that_can_be_printed_can_be_shown(store: Store, entries: Any) -> None:
    (run,) = stored(store, block(*entries, remarks=(Remark(2, "\x1b[31m"),)))
    of = of_run(store, run)
    texts = [verdict_text.render(of.text, width) for width in (100, 60)] + [FORMS["mail"].make(of).decode("ascii")]
    assert not [text for text in texts if " nan" in text or "\x1b" in text]
    assert all(form.make(of) for form in FORMS.values())


def test_the_page_says_who_published_it_and_claims_no_rounds(store: Store) -> None:
    (run,) = stored(store, TWO)
    page = FORMS["page"].make(of_run(store, run)).decode()
    assert "published in" in page
    assert "The lab &lt;a@example.org&gt;" in page
    assert "every column once on each box" not in page


def test_the_page_calls_a_box_as_its_publisher_did_and_warns_of_what_is_doubtful(store: Store) -> None:
    entries = (entry(name, "1.0", box="dual-core") for name in ("old", "new"))
    (run,) = stored(store, block(*entries, remarks=(Remark(7, "a line was wrapped"),)))
    page = FORMS["page"].make(of_run(store, run)).decode()
    assert "dual-core box" in page
    assert "1-way" not in page
    warnings = page.partition("What is doubtful")[2].partition("</section>")[0]
    assert "mail.txt:7: a line was wrapped" in warnings


def test_who_ran_what_is_called_sdet_is_said_as_it_is_known(store: Store) -> None:
    more: dict[str, Any] = {
        **SHARE,
        "program": "sdet",
        "benchmark": "sdet-4",
        "parameters": {"scripts": "4"},
        "metric": "throughput",
    }
    (run,) = stored(store, block(entry("old", {"mean": "100.0", "cv": "0.9"}, **more), entry("new", {"mean": "98.7"}, **more)))
    mail = " ".join(FORMS["mail"].make(of_run(store, run)).decode().split())
    assert "What ran was chosen by those who published it" in mail
    assert "What ran here" not in mail


def test_a_history_has_what_was_published(store: Store) -> None:
    stored(store, TWO)
    (series,) = history.read(store, "fork").series
    assert {one.variant.name: one.median for one in series.points} == {"old": 2.10, "new": 1.93}


def test_the_list_that_is_served_counts_no_boots_of_it(store: Store) -> None:
    stored(store, TWO)
    assert [row.amount for row in listed(store.runs(), store.boot_counts()).rows] == ["published"]


def test_every_number_is_told_as_data_with_its_place(store: Store, kdelta: Kdelta) -> None:
    stored(store, TWO)
    told = json.loads(kdelta("compare", "--json").out)
    assert told["boots"][0]["published"][0]["figures"]["mean"] == {
        "text": "2.10",
        "value": 2.1,
        "step": 0.01,
        "line": 1,
        "column": 1,
    }
    assert told["origins"][0]["block"]["facts"] == {"machine": "16-way NUMA-Q"}


def test_what_is_not_stated_is_named_and_nothing_else() -> None:
    assert list(published.unknown([])) == []


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "No total is printed."),
        ({"total": listing(rows=(("total", "10"),)).rows[0]}, "The 1 rows add up to +30, the total is +10."),
    ],
)
def test_totals_of_a_difference_are_told(more: dict[str, Any], said: str) -> None:
    assert said in printed.render(listing("new", "old", **more), 40)
