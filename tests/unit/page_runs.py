"""Runs to make pages of: of any size, drawn from a seed, with all that can go wrong; and their data as a page carries it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from tests.unit.builders import kernel, run_record

from kdelta.inquiry.dossier import Question, gather
from kdelta.model.benchmark import TIME_PER_OPERATION, Benchmark, Better, Metric
from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.dossier import Dossier
from kdelta.model.plan import BoxSpec, Plan, Slot
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sample import Sample
from kdelta.model.variant import Variant
from kdelta.plan.order import slots
from kdelta.report.presentable import presentable

RATE = Metric("throughput", "scripts/h", Better.LARGER)
DISCARDED = "followed by 2 results within 1.00%"
PANIC, BROKEN = "not syncing: out of memory", "exit status 2: no memory"

BROKEN_BOOT = Boot(
    outcome=Outcome.PANIC, reason=PANIC, cells=tuple(Cell(f"Bench-{place}", CellState.FAILED, PANIC) for place in range(2))
)
"""Of two plain benchmarks."""

Records = tuple[RunRecord, list[BootRecord]]


@dataclass(frozen=True)
class Names:
    variants: Sequence[str]
    boxes: Sequence[str]
    benchmarks: Sequence[str]


def plain(variants: int, boxes: int, benchmarks: int) -> Names:
    return Names(
        [f"6.{place}" for place in range(variants)],
        [f"box-{place}" for place in range(boxes)],
        [f"Bench-{place}" for place in range(benchmarks)],
    )


def drawn(names: Names, *, boots: int = 5, results: int = 3, troubled: bool = False, seed: int = 1) -> Records:
    """A run in which every boot has a warm-up and `results` of each benchmark, in the exact lab. The last benchmark is a rate.

    Variants and benchmarks have changes of their own. Where it is `troubled`, a boot panicked, a benchmark of another failed, a
    result was discarded, and a fact of the machine differs.
    """
    plan = Plan(
        baseline=names.variants[0],
        variants=tuple(Variant(name=name, kernel=f"path:{name}") for name in names.variants),
        boxes=tuple(BoxSpec(name=name, cpus=place + 1) for place, name in enumerate(names.boxes)),
        benchmarks=tuple(_benchmark(name, is_rate=name == names.benchmarks[-1]) for name in names.benchmarks),
        seeds=boots,
    )
    kernels = {one.name: kernel(f"6.{place}.0") for place, one in enumerate(plan.variants)}
    records = list(_records(plan, results, np.random.default_rng(seed)))
    return run_record(plan, kernels), _with_troubles(records) if troubled else records


def _benchmark(name: str, *, is_rate: bool) -> Benchmark:
    metrics = (RATE, TIME_PER_OPERATION) if is_rate else (TIME_PER_OPERATION,)
    return Benchmark(name=name, program="sdet" if is_rate else "null", operation="one", metrics=metrics)


def _records(plan: Plan, results: int, random: np.random.Generator) -> Iterator[BootRecord]:
    shape = len(plan.variants), len(plan.benchmarks)
    changes = np.where(random.random(shape) < 0.5, 0.0, random.normal(0.0, 0.08, shape))
    changes[0] = 0.0
    levels = 1000.0 * np.exp(random.normal(0.0, 1.0, len(plan.benchmarks)))
    places = {one.name: place for place, one in enumerate(plan.variants)}
    for slot in slots(plan):
        of_boot = changes[places[slot.variant]] + random.normal(0.0, 0.006, shape[1])
        values = levels * np.exp(of_boot) * np.exp(random.normal(0.0, 0.003, (results + 1, shape[1])))
        yield _record(plan, slot, values)


def _record(plan: Plan, slot: Slot, values: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> BootRecord:
    samples = tuple(
        Sample(
            benchmark=one.name,
            metric=metric.name,
            iteration=row - 1,
            warmup=row == 0,
            value=float(values[row, place]),
            unit=metric.unit,
            operations=1000,
            elapsed_ns=round(1000.0 * values[row, place]) if metric is TIME_PER_OPERATION else None,
        )
        for place, one in enumerate(plan.benchmarks)
        for row in range(len(values))
        for metric in one.metrics
    )
    return BootRecord(
        id=slot.position + 1,
        position=slot.position,
        attempt=1,
        box=slot.box,
        variant=slot.variant,
        seed=slot.seed,
        benchmarks=tuple(one.name for one in slot.benchmarks),
        boot=Boot(
            outcome=Outcome.DONE,
            cells=tuple(Cell(one.name, CellState.OK) for one in plan.benchmarks),
            samples=samples,
            environment={"qemu": "7.2.22", "governor": "performance", "load before": f"0.{slot.position}"},
        ),
    )


def _with_troubles(records: list[BootRecord]) -> list[BootRecord]:
    """In the first three boots of the run, and in the machine of the fourth."""
    first, second, third, fourth, *others = records
    failed = msgspec.structs.replace(first.boot.cells[0], state=CellState.FAILED, reason=BROKEN)
    name = failed.benchmark
    kept = tuple(one for one in second.boot.samples if one.benchmark != name)
    discards = tuple(
        msgspec.structs.replace(one, discarded=DISCARDED) if one.benchmark == name and one.iteration == 0 else one
        for one in third.boot.samples
    )
    return [
        _changed(first, outcome=Outcome.PANIC, reason=PANIC, cells=(failed, *first.boot.cells[1:]), samples=()),
        _changed(second, cells=(failed, *second.boot.cells[1:]), samples=kept, warnings=("clock jumped by 3 s",)),
        _changed(third, samples=discards, warnings=("clock jumped by 12 s",)),
        _changed(fourth, environment={**fourth.boot.environment, "governor": "powersave"}),
        *others,
    ]


def _changed(record: BootRecord, **fields: object) -> BootRecord:
    return msgspec.structs.replace(record, boot=msgspec.structs.replace(record.boot, **fields))


def dossier(records: Records, question: Question | None = None) -> Dossier:
    """As a page shows it."""
    run, boots = presentable(*records)
    return gather(run, boots, (), question or Question())


def small() -> Records:
    """Three columns, two boxes, four benchmarks, and troubles."""
    return drawn(plain(3, 2, 4), troubled=True)


def large() -> Records:
    """What a page must still hold: 12 benchmarks, 8 columns, 6 boxes, 30 boots of each."""
    return drawn(plain(8, 6, 12), boots=30)


# ---- the data, after docs/data.md ----


def document(records: Records) -> bytes:
    """The JSON document of a run as far as a page reads it."""
    run, boots = records
    plan = run.plan
    boxes, variants, benchmarks = (
        {name: place for place, name in enumerate(each)}
        for each in ([one.name for one in plan.boxes], [one.name for one in plan.variants], [one.name for one in plan.benchmarks])
    )
    metrics = {(one.name, each.name): place for one in plan.benchmarks for place, each in enumerate(one.metrics)}
    samples = [(boot, one) for boot, record in enumerate(boots) for one in record.boot.samples]
    cells = [(boot, one) for boot, record in enumerate(boots) for one in record.boot.cells]
    reasons = list(dict.fromkeys(one.discarded for _, one in samples if one.discarded))
    found = {
        "schema": "kdelta-report",
        "version": 1,
        "run": {"id": run.id, "uuid": run.uuid, "started": run.started, "kdelta_version": run.kdelta_version},
        "boxes": plan.boxes,
        "variants": [
            {"name": one.name, "kernel": {"release": run.kernels[one.name].release, "build_id": run.kernels[one.name].build_id}}
            for one in plan.variants
        ],
        "benchmarks": [{"name": one.name, "program": one.program, "metrics": one.metrics} for one in plan.benchmarks],
        "discards": reasons,
        "boots": {
            "position": [one.position for one in boots],
            "attempt": [one.attempt for one in boots],
            "seed": [one.seed for one in boots],
            "box": [boxes[one.box] for one in boots],
            "variant": [variants[one.variant] for one in boots],
            "profiled": [one.profiled for one in boots],
            "outcome": [one.boot.outcome for one in boots],
            "reason": [one.boot.reason for one in boots],
        },
        "cells": {
            "boot": [boot for boot, _ in cells],
            "benchmark": [benchmarks[one.benchmark] for _, one in cells],
            "state": [one.state for _, one in cells],
            "reason": [one.reason for _, one in cells],
        },
        "samples": {
            "boot": [boot for boot, _ in samples],
            "benchmark": [benchmarks[one.benchmark] for _, one in samples],
            "metric": [metrics[one.benchmark, one.metric] for _, one in samples],
            "iteration": [one.iteration for _, one in samples],
            "warmup": [one.warmup for _, one in samples],
            "discarded": [reasons.index(one.discarded) if one.discarded else None for _, one in samples],
            "judged": [one.counts for _, one in samples],
            "value": [one.value for _, one in samples],
            "operations": [one.operations for _, one in samples],
            "elapsed_ns": [one.elapsed_ns for _, one in samples],
        },
    }
    return msgspec.json.encode(found) + b"\n"


CSV_HEAD = (
    "run,box,variant,kernel_release,build_id,benchmark,metric,unit,better,seed,position,attempt,iteration,warmup,discarded,judged,"
    "value,operations,elapsed_ns"
)


def csv_text(records: Records) -> str:
    """A row for each sample of a run whose numbers need no exponent."""
    run, boots = records
    better = {(one.name, each.name): each.better.value for one in run.plan.benchmarks for each in one.metrics}
    lines = [CSV_HEAD]
    for record in boots:
        kernel = run.kernels[record.variant]
        for one in record.boot.samples:
            names = (
                run.uuid,
                record.box,
                record.variant,
                kernel.release,
                kernel.build_id or "",
                one.benchmark,
                one.metric,
                one.unit,
            )
            where = (better[one.benchmark, one.metric], record.seed, record.position, record.attempt, one.iteration)
            states = (str(one.warmup).lower(), one.discarded, str(one.counts).lower())
            elapsed = "" if one.elapsed_ns is None else one.elapsed_ns
            fields = (*names, *where, *states, repr(one.value).removesuffix(".0"), one.operations, elapsed)
            lines.append(",".join(_field(str(field)) for field in fields))
    return "\n".join(lines) + "\n"


def _field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",\r\n]|\A[ \t]|[ \t]\Z', text) else text


# ---- names that do harm where they are not taken for text ----

HARM = "globalThis.harmed=true"
HOSTILE = (
    f"<script>{HARM}</script>",
    f"</script><script>{HARM}</script>",
    f"</title></style><img src=x onerror={HARM}>",
    f"\"onmouseover='{HARM}' autofocus onfocus={HARM} x='",
    f"'><svg onload={HARM}>",
    f"<!-- --!> <![CDATA[ ]]> <!--<script>{HARM}",
    "\u202egnp.exe\u2066 \u05d0\u05d1",
    "nul\x00 escape\x1b[31m",
    "../../../etc/passwd",
    f"javascript:{HARM}",
    '=1+1,"quoted"\n and a line',
    "{{ 7 * 7 }}{% endraw %}${7*7}",
    "&lt;b&gt; &amp;",
    "__proto__",
    "x" * 10_000,
)


def hostile() -> Records:
    """Columns, boxes and benchmarks with such names, and such texts in every other field."""
    variants, boxes, benchmarks = HOSTILE[:8], HOSTILE[8:11], (*HOSTILE[11:], *HOSTILE[:8])
    run, boots = drawn(Names(variants, boxes, benchmarks), boots=3, results=1, troubled=True)
    texts = itertools.cycle(HOSTILE)
    kernels = {
        name: msgspec.structs.replace(one, release=next(texts), version=next(texts), build_id=next(texts))
        for name, one in run.kernels.items()
    }
    plan = msgspec.structs.replace(
        run.plan,
        variants=tuple(
            msgspec.structs.replace(one, cmdline=(next(texts),), sysctl={next(texts): next(texts)}, setup=next(texts))
            for one in run.plan.variants
        ),
        benchmarks=tuple(_hostile_units(one) for one in run.plan.benchmarks),
    )
    run = msgspec.structs.replace(run, plan=plan, kernels=kernels, kdelta_version=HOSTILE[1])
    return run, [_hostile_boot(one, next(texts), next(texts)) for one in boots]


def _hostile_units(benchmark: Benchmark) -> Benchmark:
    metrics = tuple(msgspec.structs.replace(one, name=f"{HOSTILE[0]}{one.name}", unit=HOSTILE[1]) for one in benchmark.metrics)
    return msgspec.structs.replace(benchmark, metrics=metrics)


def _hostile_boot(record: BootRecord, text: str, other: str) -> BootRecord:
    boot = record.boot
    return _changed(
        record,
        reason=text if boot.outcome is not Outcome.DONE else "",
        cells=tuple(msgspec.structs.replace(one, reason=text if one.reason else "") for one in boot.cells),
        samples=tuple(
            msgspec.structs.replace(
                one, metric=f"{HOSTILE[0]}{one.metric}", unit=HOSTILE[1], discarded=other if one.discarded else ""
            )
            for one in boot.samples
        ),
        warnings=(text, other),
        environment={**boot.environment, text: other},
    )
