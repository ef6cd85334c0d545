"""From what was read of a text to runs, which what judges and reports takes like every other."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import PurePosixPath

import msgspec

from kdelta.archive.as_printed import as_printed
from kdelta.archive.comparison import NEW, Comparison, comparisons, resolved, sides
from kdelta.archive.reading import digest
from kdelta.model.benchmark import Benchmark, Better, Metric
from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.kernel import Kernel
from kdelta.model.plan import PUBLISHED, BoxSpec, Plan
from kdelta.model.published import Block, Document, Entry, Listing, Number, Origin, Source
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sample import Sample
from kdelta.model.variant import Variant

NAMES = uuid.UUID("6d1bb1f0-5c3e-5a0f-9d57-2f6c2a3d9b11")
"""The space of names in which a run's uuid is that of what it says."""
STANDARD_ERROR = "the standard error of the mean"
"""Begins what a block says of its errors, where they are that."""
NOT_PRINTED = "no value is printed"
A_PROFILE = "profile"
"""What a profile is of, where the text does not say it."""


@dataclass(frozen=True)
class Made:
    """A run with what stands for its boots: one for each variant on each box. `notes` say what was kept apart."""

    run: RunRecord
    boots: tuple[BootRecord, ...]
    notes: tuple[str, ...] = ()


@dataclass
class _Cell:
    """What is said of one variant on one box."""

    entries: list[Entry] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)


def stem(source: str) -> str:
    """What a variant is called that the text does not name: results/old.txt is `old`."""
    return PurePosixPath(source.replace("\\", "/")).stem or source or "text"


def runs(
    document: Document, *, sha256: str = "", started: str = "", kdelta_version: str = "", unnamed: str | None = None
) -> list[Made]:
    """One for each set of variants that the text compares, in its order; none where nothing was read.

    `sha256` is of the text, `started` when this is done. `unnamed` is what a variant is called that the text does not name: without
    it what the file is called. The uuid is of what is said, not of where it stands.
    """
    name = unnamed or stem(document.source)
    sources = {id(block): source(document, sha256) for block in document.blocks}
    return [_made(one, sources, name, started, kdelta_version) for one in comparisons(document.blocks, name)]


def together(documents: Sequence[tuple[Document, str]], *, started: str = "", kdelta_version: str = "") -> Made:
    """One run of all that these say, each document with its checksum: they are of different variants."""
    sources = {id(block): source(document, key) for document, key in documents for block in document.blocks}
    whole = Comparison([])
    for block in (block for document, _ in documents for block in document.blocks):
        whole.add(block, [entry.variant for entry in block.entries])
    for block in whole.blocks:
        whole.variants += [name for one in block.listings for name in sides(one, NEW) if not resolved(whole.variants, name)]
    return _made(whole, sources, NEW, started, kdelta_version)


def source(document: Document, sha256: str) -> Source:
    """Of which text it is."""
    return Source(
        name=document.source,
        line=document.line,
        subject=document.subject,
        sender=document.sender,
        date=document.date,
        message_id=document.message_id,
        sha256=sha256,
    )


def _made(of: Comparison, sources: Mapping[int, Source], unnamed: str, started: str, kdelta_version: str) -> Made:
    cells, notes = _cells(of, unnamed)
    variants = tuple(Variant(name=name, kernel=name) for name in of.variants)
    boxes = tuple(BoxSpec(name=name, kind=PUBLISHED) for name in dict.fromkeys(box for box, _ in cells))
    every = [entry for cell in cells.values() for entry in cell.entries]
    benchmarks = tuple(_benchmarks(every)) or tuple(_profiled(cells.values()))
    plan = Plan(baseline=of.variants[0], variants=variants, boxes=boxes, benchmarks=benchmarks, seeds=1)
    digests = [digest(block) for block in of.blocks]
    run = RunRecord(
        id=0,
        uuid=str(uuid.uuid5(NAMES, " ".join(digests))),
        started=started,
        plan=plan,
        kernels={name: _kernel(name, of.blocks) for name in of.variants},
        kdelta_version=kdelta_version,
        origins=tuple(_origin(sources[id(block)], one, block) for one, block in zip(digests, of.blocks, strict=True)),
    )
    known = {one.name for one in benchmarks}
    order = [(box.name, name) for box in boxes for name in of.variants if (box.name, name) in cells]
    boots = tuple(_boot(place, *key, cells[key], known) for place, key in enumerate(order))
    return Made(run, boots, tuple(notes))


def _kernel(name: str, blocks: Iterable[Block]) -> Kernel:
    """What a variant is called there is all that is known of it; and what stands above its log, in place of what was typed."""
    headings = (block.facts.get(f"heading of {name}") for block in blocks)
    return Kernel(spec=next(filter(None, headings), name), machine="", release=name, version="")


def _origin(source: Source, said: str, block: Block) -> Origin:
    return Origin(source=source, digest=said, block=msgspec.structs.replace(block, entries=(), listings=()))


# ---- where entries belong ----


def _cells(of: Comparison, unnamed: str) -> tuple[dict[tuple[str, str], _Cell], list[str]]:
    """By box and variant, as they are met; and what was kept apart because it has the names of something else."""
    cells: dict[tuple[str, str], _Cell] = {}
    taken: Counter[tuple[str, str, str, str]] = Counter()
    notes = []
    placed: list[tuple[str, str, Entry]] = []
    for block in of.blocks:
        entries = [_with_error(block, entry) for entry in block.entries]
        before = max((taken[_key(entry, unnamed)] for entry in entries), default=0)
        own: Counter[tuple[str, str, str, str]] = Counter()
        for entry in entries:
            key = _key(entry, unnamed)
            place = before + own[key]
            own[key] += 1
            placed.append((_box(entry.box, place), key[0], entry))
        taken = taken + own
        if entries and max(before, *(n - 1 for n in own.values())) > 0:
            notes.append(f"line {block.first}: the same benchmarks again: kept apart, as on another box")
    printed = as_printed([entry for _, _, entry in placed])
    for (box, name, _), entry in zip(placed, printed, strict=True):
        cells.setdefault((box, name), _Cell()).entries.append(entry)
    _place_listings(of, unnamed, cells)
    return cells, notes


def _key(entry: Entry, unnamed: str) -> tuple[str, str, str, str]:
    return entry.variant or unnamed, entry.box, entry.benchmark, entry.metric


def _box(name: str, place: int) -> str:
    return (name or PUBLISHED) + (f" ({place + 1})" if place else "")


def _with_error(block: Block, entry: Entry) -> Entry:
    """An error that is said to be the standard error of a mean is known as that."""
    if "error" not in entry.figures or not block.facts.get("error", "").startswith(STANDARD_ERROR):
        return entry
    return msgspec.structs.replace(entry, figures={"se" if name == "error" else name: one for name, one in entry.figures.items()})


def _place_listings(of: Comparison, unnamed: str, cells: dict[tuple[str, str], _Cell]) -> None:
    """A profile lies with the variant that it is of, a difference with the new one; on the first box."""
    box = next((box for box, _ in cells), PUBLISHED)
    for block in of.blocks:
        for listing in block.listings:
            names = [resolved(of.variants, name) for name in sides(listing, unnamed)]
            for name in names:
                if name and not block.entries and (box, name) not in cells:
                    cells[box, name] = _Cell()
            own = names[-1] or next(filter(None, names), of.variants[-1])
            named = listing if listing.benchmark else msgspec.structs.replace(listing, benchmark=A_PROFILE)
            cells.setdefault((box, own), _Cell()).listings.append(named)


# ---- what a plan says of them ----


def _benchmarks(entries: Iterable[Entry]) -> Iterator[Benchmark]:
    """As they are first met, each with its metrics as they are first met."""
    for name, found in _by_benchmark(entries).items():
        metrics: dict[str, Metric] = {}
        for entry in sorted(found, key=lambda one: not (one.figures or one.samples)):
            metrics.setdefault(entry.metric, Metric(entry.metric, entry.unit, entry.better or Better.SMALLER))
        order = dict.fromkeys(entry.metric for entry in found)
        first = found[0]
        yield Benchmark(
            name=name,
            program=first.program,
            parameters=first.parameters,
            operation="",
            metrics=tuple(metrics[one] for one in order),
        )


def _profiled(cells: Iterable[_Cell]) -> Iterator[Benchmark]:
    """Of which there are only profiles."""
    units = {listing.benchmark: listing.unit for cell in cells for listing in cell.listings}
    return (Benchmark(name=name, program="", operation="", metrics=(Metric(unit, unit),)) for name, unit in units.items())


# ---- what stands for boots ----


def _boot(position: int, box: str, variant: str, cell: _Cell, known: set[str]) -> BootRecord:
    of = _by_benchmark(cell.entries)
    names = [name for name in dict.fromkeys([*of, *(one.benchmark for one in cell.listings)]) if name in known]
    return BootRecord(
        id=0,
        position=position,
        attempt=1,
        box=box,
        variant=variant,
        seed=1,
        benchmarks=tuple(names),
        boot=Boot(
            outcome=Outcome.DONE,
            cells=tuple(_ending(name, of.get(name, [])) for name in names),
            samples=tuple(sample for each in of.values() for sample in _samples(each)),
        ),
        published=tuple(cell.entries),
        listings=tuple(cell.listings),
    )


def _by_benchmark(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.benchmark, []).append(entry)
    return found


def _ending(name: str, entries: Sequence[Entry]) -> Cell:
    if any(entry.figures or entry.samples for entry in entries):
        return Cell(name, CellState.OK)
    ended = next((entry for entry in entries if entry.state is not CellState.OK), None)
    return Cell(name, ended.state, ended.reason) if ended else Cell(name, CellState.NOT_HERE, NOT_PRINTED)


def _samples(entries: Sequence[Entry]) -> Iterator[Sample]:
    """Single results; behind them those that are not judged, each with a number of its own: reasons are by number."""
    places = count(max((len(entry.samples) for entry in entries), default=0))
    for entry in entries:
        yield from (_sample(entry, one, place) for place, one in enumerate(entry.samples))
    for entry in entries:
        yield from (_sample(entry, one.number, next(places), one.reason) for one in entry.discarded)


def _sample(entry: Entry, number: Number, place: int, discarded: str = "") -> Sample:
    return Sample(
        benchmark=entry.benchmark,
        metric=entry.metric,
        iteration=place,
        warmup=False,
        value=number.value,
        unit=entry.unit,
        discarded=discarded,
    )
