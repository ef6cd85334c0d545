"""Runs for the tests of data: measured ones of each kind, and any at all with the names that nobody should give."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import strategies as st
from tests.unit import verdicts as made
from tests.unit.big import big_run
from tests.unit.builders import BROKEN, LOST, fill, plan, run_record
from tests.unit.posted import Posted, kernbench_of_2004, lock_page, posted, smpnice

from kdelta.inquiry.dossier import gather, read
from kdelta.inquiry.where import where
from kdelta.judge.findings import findings
from kdelta.judge.gate import gate
from kdelta.model.account import Account
from kdelta.model.benchmark import Benchmark, Better, Metric
from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.dossier import Dossier
from kdelta.model.plan import EXACT, LOCAL, BoxSpec, Plan
from kdelta.model.record import BootRecord
from kdelta.model.sample import Sample
from kdelta.model.table import Table
from kdelta.model.variant import Variant
from kdelta.profile.explained import Where
from kdelta.store.place import open_store
from kdelta.workload.catalogue import by_name


def stored(folder: Path) -> tuple[Dossier, tuple[Where, ...]]:
    """A run of the exact lab with profiles, in which a boot of the new kernel failed and another was lost."""
    place = folder / "store.sqlite"
    fill(place, plan(names=("null", "ctx-2"), seeds=5), {("new", 2): BROKEN, ("old", 4): LOST})
    with closing(open_store(str(place))) as store:
        (run,) = store.runs()
        dossier = read(store, run)
        return dossier, where(store, dossier, 2)


def of(found: Posted) -> Dossier:
    return gather(found.run, found.records)


@cache
def cut() -> Dossier:
    """Visits with a fixed number of results, the first of which are those of a machine that is still warming up."""
    kernbench = by_name()["kernbench-2x"]
    values = {one.name: [90.0, 80.0, 50.1, 50.2, 50.0, 50.1, 50.2, 50.0, 50.1, 50.2] for one in kernbench.metrics}
    return of(posted([kernbench], {name: [{kernbench.name: values}] * 3 for name in ("old", "new")}, box=made.BOX, rounds=3))


@cache
def profiled() -> Dossier:
    """With a visit that was for a profile, whose result is kept and not judged."""
    found = lock_page()
    samples = [msgspec.structs.replace(one, discarded="taken beside a profile") for one in found.records[0].boot.samples]
    boot = msgspec.structs.replace(found.records[0].boot, samples=tuple(samples), warnings=("a tick was lost",))
    return gather(found.run, found.records, [msgspec.structs.replace(found.records[0], position=9, profiled=True, boot=boot)])


RUNS: dict[str, Callable[[], Dossier]] = {
    "smpnice": cache(lambda: of(smpnice())),
    "kernbench": cache(lambda: of(kernbench_of_2004())),
    "range": cache(lambda: of(lock_page(rounds=2))),
    "cut": cut,
    "profiled": profiled,
    "several boxes": cache(lambda: gather(*big_run(benchmarks=3, variants=3, boxes=2, boots=5))),
}

# ---- any at all ----

JUDGEMENTS = [made.with_a_failure(), made.undecided(), made.judgement()]

TEXTS = st.text(st.characters(codec=None), max_size=12) | st.sampled_from(
    [
        "-rc2",
        "=1+1",
        'say "hi", they',
        "two\nlines\r",
        " blank ",
        "\ud800",
        "a%20b",
        "a b",
        "Null",
        "null",
        "nul\0",
        "../x",
        "\u202egnp",
    ]
)
NAMES = TEXTS.filter(bool)
STATES = st.sampled_from([CellState.OK, CellState.OK, CellState.FAILED])
NUMBERS = st.floats(-1e300, 1e300) | st.sampled_from([0.0, -0.0, 5e-324, 1e-7, 1e21, 123.0])
COUNTS = st.integers(-(2**63), 2**63 - 1)
METRICS = st.lists(st.builds(Metric, TEXTS, TEXTS, st.sampled_from(Better)), min_size=1, max_size=2, unique_by=lambda one: one.name)


def _unique(kind: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(kind, min_size=1, max_size=most, unique_by=lambda one: one.name).map(tuple)


BENCHMARKS = st.builds(Benchmark, name=NAMES, program=TEXTS, operation=TEXTS, metrics=METRICS.map(tuple))
BOXES = st.builds(BoxSpec, name=NAMES, kind=st.sampled_from([EXACT, LOCAL]), cpus=st.integers(1, 512))
VARIANTS = st.builds(Variant, name=NAMES, kernel=TEXTS, cmdline=st.lists(TEXTS, max_size=1).map(tuple))


def _samples(of: Plan) -> st.SearchStrategy[Sample]:
    """Mostly of the plan's metrics."""
    known = [(benchmark.name, metric.name, metric.unit) for benchmark in of.benchmarks for metric in benchmark.metrics]
    return st.builds(
        lambda key, **rest: Sample(benchmark=key[0], metric=key[1], unit=key[2], **rest),
        st.sampled_from(known) | st.sampled_from(known) | st.tuples(NAMES, TEXTS, TEXTS),
        iteration=st.integers(-5, 5),
        warmup=st.sampled_from([False, False, True]),
        value=NUMBERS,
        operations=COUNTS,
        elapsed_ns=st.none() | COUNTS,
        discarded=st.sampled_from(["", "", "far off", "a\ud800"]),
    )


def _records(of: Plan) -> st.SearchStrategy[BootRecord]:
    names = [one.name for one in of.benchmarks]
    return st.builds(
        BootRecord,
        id=st.just(1),
        position=st.integers(0, 99),
        attempt=st.integers(1, 3),
        box=st.sampled_from([one.name for one in of.boxes]),
        variant=st.sampled_from([one.name for one in of.variants]),
        seed=COUNTS,
        benchmarks=st.just(tuple(names)),
        boot=st.builds(
            Boot,
            outcome=st.sampled_from(Outcome),
            reason=TEXTS,
            cells=st.tuples(*(st.builds(Cell, st.just(name), STATES, TEXTS) for name in names)),
            samples=st.lists(_samples(of), max_size=6).map(tuple),
            warnings=st.lists(TEXTS, max_size=1).map(tuple),
            environment=st.dictionaries(NAMES.filter(lambda name: name.isascii()), TEXTS, max_size=2),
        ),
    )


@st.composite
def any_dossier(draw: st.DrawFn) -> Dossier:
    """With verdicts that are not those of its samples: no form of data asks."""
    variants, boxes = draw(_unique(VARIANTS, 3)), draw(_unique(BOXES, 2))
    of = Plan(baseline=variants[0].name, variants=variants, boxes=boxes, benchmarks=draw(_unique(BENCHMARKS, 2)))
    boots = tuple(draw(st.lists(_records(of), max_size=3)))
    judgement = draw(st.sampled_from(JUDGEMENTS))
    statistic = draw(st.sampled_from(["median", "min", "max"]))
    return Dossier(
        run=run_record(of),
        boots=boots,
        cuts=tuple(
            draw(st.dictionaries(st.sampled_from([one.name for one in of.benchmarks]), st.integers(1, 2), max_size=1))
            for _ in boots
        ),
        account=Account(taken=0, judged=0, reasons={}),
        judgement=judgement,
        gate=gate(judgement),
        findings=findings(judgement, None) if judgement.verdicts else (),
        tables=tuple(Table(box=box, statistic=statistic, variants=(), boots=0, rows=()) for box in boxes),
        sheets=(),
        hidden=((),) * len(boxes),
    )


ANY_DOSSIER = any_dossier()
