"""What is served of one run, as `kdelta report` writes it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from urllib.parse import urlencode

from kdelta.inquiry import pair
from kdelta.publish import forms
from kdelta.publish.material import of_pair, of_run
from kdelta.store.store import Store

BESIDE = {"Runs": "/", "Compare": "/compare", "History": "/history"}
"""What every page leads to."""
MOST_PAGES = 8
"""Kept: each is some megabytes."""

FORMS = {
    f"{name}{form.suffixes[0]}": form for name, form in (("mail", forms.FORMS["mail"]), *(("data", one) for one in forms.DATA))
}
"""Name of an address below that of a run -> what is there."""


def run_page(store: Store, number: int) -> bytes:
    """The page of a run. Raises MisuseError where there is none with that number."""
    run = store.run(number)
    own = f"{run.id}:{run.plan.baseline}"
    return forms.page(of_run(store, run), {**BESIDE, "Compare a column with another run's": f"/compare?{urlencode({'a': own})}"})


def pair_page(store: Store, first: str, second: str) -> bytes:
    """The page of two columns, each RUN:COLUMN. Raises MisuseError where there is no such column."""
    made = pair.joined(pair.column(store, first), pair.column(store, second))
    other = f"/compare?{urlencode({'a': second, 'b': first})}"
    return forms.page(of_pair(store, made), {**BESIDE, "The other way round": other})


class Pages:
    """Pages of runs. One that was made is made again when there is more of its run."""

    def __init__(self, store: Store, make: Callable[[Store, int], bytes] = run_page, most: int = MOST_PAGES) -> None:
        self._store, self._make, self._most = store, make, most
        self._lock = threading.Lock()
        self._made: OrderedDict[int, tuple[tuple[int, ...], bytes]] = OrderedDict()

    def page(self, number: int) -> bytes:
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
