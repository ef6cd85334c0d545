"""The tables of five mails on LKML, read as published texts, stored, and shown again: to the character."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.unit.golden import GOLDENS
from tests.unit.published import block, entry, number, stored

from kdelta.archive.kernbench_table import READER
from kdelta.archive.sources import one_text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Entry, Function, Listing
from kdelta.publish.material import of_run
from kdelta.report import listing
from kdelta.report.mail import render
from kdelta.store.place import open_store


def golden(name: str) -> list[str]:
    return (GOLDENS / f"{name}.txt").read_text().removesuffix("\n").split("\n\n")


# ---- read by hand, as readers of these shapes do ----


def kernbench(texts: Sequence[str]) -> list[Block]:
    return list(READER.read(one_text("mail", "\n\n".join(texts).encode())))


def sdet(text: str, first: int = 1) -> Block:
    title, _, *rows = text.split("\n")
    scripts = title.split()[1]
    lines = [row.replace("%", "").split() for row in rows]
    return block(*(_throughput(scripts, *line) for line in lines), first=first)


def _throughput(scripts: str, kernel: str, mean: str, deviation: str) -> Entry:
    return entry(
        kernel,
        {"mean": mean, "cv": deviation},
        program="sdet",
        benchmark=f"sdet-{scripts}",
        parameters={"scripts": scripts},
        metric="throughput",
        unit="%",
        better=Better.LARGER,
        relative="% of the first",
    )


def minima(text: str, first: int = 1) -> Block:
    title, _, head, _, *rows = text.split("\n")
    box = title.partition(" box:")[0]
    kernels = head.split()[1:]
    entries = []
    for row in rows:
        name, _, cells = row.partition(":")
        found = re.findall(r"([\d.]+)(?: \( *(-?\d+)%\))?", cells)
        for kernel, (value, change) in zip(kernels, found, strict=True):
            figures = {"min": value, **({"change": change} if change else {})}
            entries.append(entry(kernel, figures, box=box, benchmark=name.strip(), unit="", better=Better.SMALLER))
    return block(*entries, first=first)


def ranges(text: str, box: str, first: int) -> Block:
    head, *rows = text.split("\n")
    entries = []
    for kernel, *cells in map(str.split, rows):
        for name, cell in zip(head.split(), cells, strict=True):
            least, _, most = cell.partition("-")
            entries.append(entry(kernel, {"min": least, "max": most}, box=box, benchmark=name, unit="", better=Better.SMALLER))
    return block(*entries, first=first)


LABELS = {
    "Elapsed Time": "elapsed_s",
    "User Time": "user_s",
    "System Time": "system_s",
    "Percent CPU": "percent_cpu",
    "Context Switches": "context_switches",
    "Sleeps": "sleeps",
}


def log(texts: Sequence[str]) -> Block:
    entries, facts = [], {}
    for title, _, kernel, _, *rows in (text.split("\n") for text in texts):
        variant = kernel.removeprefix("Kernel: ")
        facts[f"heading of {variant}"] = title.removeprefix("Kernbench log for ")
        for row in rows:
            label, mean, sd = re.fullmatch(r"(\D+) ([\d.]+) \(([\d.]+)\)", row).groups()  # type: ignore[union-attr]
            more = {"program": "kernbench", "benchmark": "kernbench-optimal", "parameters": {"load": "optimal", "jobs": "32"}}
            entries.append(entry(variant, {"mean": mean, "sd": sd}, metric=LABELS[label], **more))
    return block(*entries, facts=facts)


def difference(text: str, benchmark: str) -> Listing:
    rows = [Function(name, number(count), number(percent.rstrip("%"))) for count, percent, name in map(str.split, _rows(text))]
    total = next(one for one in rows if one.name == "total")
    rest = tuple(one for one in rows if one is not total)
    return Listing(benchmark=benchmark, new="2.6.8-rc2-mm2", difference=True, rows=rest, total=total, cut="..." in text.split("\n"))


def _rows(text: str) -> Iterator[str]:
    return (line for line in text.split("\n") if line[:1] == " ")


# ---- shown again ----


@cache
def mails(name: str) -> str:
    """Of all runs that a seed's tables are."""
    blocks, shapes = SEEDS[name]
    with TemporaryDirectory() as folder, closing(open_store(str(Path(folder, "store.sqlite")))) as store:
        runs = stored(store, *blocks())
        return "\n".join(render(of_run(store, run).mail, (), shapes) for run in runs)


SEEDS: dict[str, tuple[Callable[[], Sequence[Block]], tuple[str, ...]]] = {
    "seed_000": (
        lambda: [
            *kernbench(golden("seed_000")[:3]),
            *(sdet(text, 100 + place) for place, text in enumerate(golden("seed_000")[3:11])),
        ],
        (),
    ),
    "seed_001": (lambda: [minima(text, 20 * place) for place, text in enumerate(golden("seed_001"), 1)], ()),
    "seed_002": (lambda: [*kernbench(golden("seed_002")[:3]), sdet(golden("seed_002")[3], 90)], ()),
    "seed_003": (lambda: [log(golden("seed_003"))], ("log",)),
    "seed_004": (
        lambda: [
            ranges(text, box, 9 + place)
            for place, (box, text) in enumerate(zip(("P4 Xeon", "G5"), golden("seed_004"), strict=True))
        ],
        ("range",),
    ),
}


def tables() -> Iterator[object]:
    for name, count in {"seed_000": 11, "seed_001": 3, "seed_002": 4, "seed_003": 2, "seed_004": 2}.items():
        for place in range(count):
            yield pytest.param(name, place, id=f"{name}, {place + 1}")


@pytest.mark.parametrize(("name", "place"), list(tables()))
def test_a_published_table_is_shown_as_it_was_printed(name: str, place: int) -> None:
    assert f"\n{golden(name)[place]}\n" in mails(name)


@pytest.mark.parametrize(("name", "place"), [("seed_000", 11), ("seed_000", 12), ("seed_002", 4)])
def test_a_published_difference_of_profiles_is_shown_as_it_was_printed(name: str, place: int) -> None:
    text = golden(name)[place]
    assert f"\n{text}\n" in listing.render(difference(text, "sdet-8"), 99)


def test_what_follows_from_a_difference_is_told_and_what_is_cut_is_said() -> None:
    said = listing.render(difference(golden("seed_002")[4], "sdet-8"), 3)
    rows = [line.split()[-1] for line in said.split("\n")[1:6]]
    assert rows == ["schedule", "total", "...", ".text.lock.transaction", ".text.lock.sched"]
    assert "(51 more rows are printed there)" in said
    assert "about 11,300,000 ticks before and 11,300,000 after" in said.replace("\n  ", " ")


def test_a_mail_about_others_claims_no_measurement() -> None:
    for name in SEEDS:
        said = " ".join(mails(name).split())
        assert "Nothing of it was measured by kdelta" in said
        assert not re.search(r"Test method|Measured with|was measured once|boots? of the|a real machine|\bvisits?\b", said)
