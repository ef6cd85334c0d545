"""Published texts for tests: entries, blocks, documents, and stores that hold what they say."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from kdelta.archive.as_runs import Made, runs
from kdelta.model.published import Block, Document, Entry, Function, Listing, Number, Remark, Source
from kdelta.model.record import RunRecord
from kdelta.store.published import Text
from kdelta.store.store import Store

WRITTEN = b"From somebody\n\nsome figures \xff\n"
"""In place of the text that they were read from."""


def number(text: str, line: int = 1) -> Number:
    """With the last digit that is printed."""
    decimals = len(text.partition(".")[2])
    return Number(text, float(text), 10.0**-decimals, line, 1)


def entry(variant: str, figures: str | dict[str, str] = "", **more: Any) -> Entry:
    """`figures` is the mean, or all of them by name; `samples` may be texts."""
    named = {"mean": figures} if isinstance(figures, str) and figures else figures or {}
    assert isinstance(named, dict)
    samples = tuple(number(one) for one in more.pop("samples", ()))
    fields = {"benchmark": "fork", "metric": "time", "unit": "s", **more}
    return Entry(variant=variant, figures={name: number(text) for name, text in named.items()}, samples=samples, **fields)


def block(*entries: Entry, first: int = 1, **more: Any) -> Block:
    return Block(format="table", first=first, last=first + len(entries), entries=entries, **more)


def document(*blocks: Block, **more: Any) -> Document:
    about = {"source": "mail.txt", "subject": "numbers", "sender": "The lab <a@example.org>", "date": "Mon, 3 May 2004", **more}
    return Document(blocks=blocks, **about)


def made(*blocks: Block, **more: Any) -> list[Made]:
    key = hashlib.sha256(WRITTEN).hexdigest()
    return runs(document(*blocks, **more), sha256=key, started="2026-01-02T03:04:05+00:00", kdelta_version="0.1.0")


def stored(store: Store, *blocks: Block, **more: Any) -> list[RunRecord]:
    """The runs that `store` holds now."""
    found = made(*blocks, **more)
    return [store.add_published(one.run, one.boots, [Text(source_of(one), WRITTEN)]) for one in found]


def source_of(one: Made) -> Source:
    return one.run.origins[0].source


def listing(new: str = "", old: str = "", rows: Sequence[tuple[str, str]] = (("schedule", "30"),), **more: Any) -> Listing:
    functions = tuple(Function(name, number(count)) for name, count in rows)
    return msgspec.structs.replace(Listing(benchmark="fork", old=old, new=new, difference=bool(old), rows=functions), **more)


TWO = block(
    entry("old", {"mean": "2.10", "sd": "0.02"}, count=5, samples=()),
    entry("new", samples=("1.90", "1.95", "1.93")),
    entry("new", {"mean": "77"}, metric="percent_cpu", unit="%"),
    remarks=(Remark(3, "a line was wrapped"),),
    facts={"machine": "16-way NUMA-Q"},
)
"""Of two variants; beside figures single results, and a remark."""
