"""What is served of one run, as `kdelta report` writes it."""

from __future__ import annotations

import csv
import io
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from markupsafe import escape

from kdelta.inquiry import dossier
from kdelta.model.dossier import Dossier
from kdelta.model.record import RunRecord
from kdelta.report import verdict_json, verdict_text
from kdelta.report.presentable import TEXT_NAME, presentable
from kdelta.store.store import Store

MOST_PAGES = 8
"""Kept: each is some megabytes."""


@dataclass(frozen=True)
class Form:
    """Data of a run, other than its page."""

    mimetype: str
    render: Callable[[Store, RunRecord], str]


def run_page(store: Store, number: int) -> str:
    """The page of a run. Raises MisuseError where there is none with that number."""
    run = store.run(number)
    text = verdict_text.render(_fit(store, run))
    return f"<!doctype html>\n<html lang=en><meta charset=utf-8><title>kdelta: run {run.id}</title>\n<pre>{escape(text)}</pre>\n"


def _fit(store: Store, run: RunRecord) -> Dossier:
    boots = store.boots(run.id)
    fit, shown = presentable(run, boots, most=TEXT_NAME)
    return dossier.gather(fit, shown)


def _mail(store: Store, run: RunRecord) -> str:
    return verdict_text.render(_fit(store, run))


def _json(store: Store, run: RunRecord) -> str:
    found = dossier.read(store, run)
    return msgspec.json.encode(verdict_json.as_json(found.judgement, found.gate), order="deterministic").decode()


def _csv(store: Store, run: RunRecord) -> str:
    to = io.StringIO()
    rows = csv.writer(to, lineterminator="\n")
    rows.writerow(["box", "variant", "seed", "benchmark", "metric", "iteration", "value", "unit", "discarded"])
    for boot in store.boots(run.id):
        for one in boot.boot.samples:
            place = (boot.box, boot.variant, boot.seed)
            rows.writerow([*place, one.benchmark, one.metric, one.iteration, repr(one.value), one.unit, one.discarded])
    return to.getvalue()


FORMS = {
    "mail.txt": Form("text/plain", _mail),
    "data.json": Form("application/json", _json),
    "data.csv": Form("text/csv", _csv),
}


class Pages:
    """Pages of runs. One that was made is made again when there is more of its run."""

    def __init__(self, store: Store, make: Callable[[Store, int], str] = run_page, most: int = MOST_PAGES) -> None:
        self._store, self._make, self._most = store, make, most
        self._lock = threading.Lock()
        self._made: OrderedDict[int, tuple[tuple[int, ...], str]] = OrderedDict()

    def page(self, number: int) -> str:
        """Raises MisuseError where there is no run with that number."""
        run = self._store.run(number).id
        extent = self._store.extent(run)  # Before the page is made: what is added meanwhile makes it old.
        with self._lock:
            known = self._made.get(run)
        page = known[1] if known and known[0] == extent else self._make(self._store, run)
        with self._lock:
            self._made[run] = (extent, page)
            self._made.move_to_end(run)
            while len(self._made) > self._most:
                self._made.popitem(last=False)
        return page
