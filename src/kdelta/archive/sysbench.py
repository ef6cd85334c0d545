"""sysbench's reports, of 0.4 to 1.1: oltp, cpu, memory, threads, mutex and fileio.

    sysbench 1.1.0-df89d34 (using bundled LuaJIT 2.1.0-beta3)
    Number of threads: 16
    SQL statistics:
        transactions:                        257521 (143.01 per sec.)
    Throughput:
        events/s (eps):                      143.0086
        time elapsed:                        1800.0319s
    Latency (ms):
             avg:                                   28.97
             95th percentile:                       68.05

A report is of one run. With a `Target transaction rate` the generator sets the throughput: it is no result then. Its MB and MiB
are both 2^20 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kdelta.archive.reader import Reader
from kdelta.archive.runs import Printed, grouped, once, repeated, variants
from kdelta.archive.sysbench_lines import MEBI, Parser, Run
from kdelta.archive.text import Text
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "sysbench"

HEADLINES = ("transactions_per_s", "operations_per_s", "requests_per_s", "reads_per_s", "events_per_s", "latency")
"""The first of these that a run has stands first; of a run at a set rate the latency."""
FIXED = frozenset({"transactions_per_s", "queries_per_s", "requests_per_s", "events_per_s", "elapsed_s"})
"""What follows from the rate, where that is set."""


def read(text: Text) -> Iterator[Block]:
    """One block for all reports of a text."""
    every = [run for run in Parser().runs(text.lines) if run.values or run.latency or run.trouble]
    kept, remarks = once([Printed(run.line, run.words, run.benchmark, _texts(run)) for run in every])
    if every:
        yield _block([every[place] for place in kept], remarks)


def _texts(run: Run) -> tuple[str, ...]:
    return (*(one[0].text for one in run.values.values()), *(one.text for one in run.latency.values()))


def _block(runs: Sequence[Run], doubled: Sequence[Remark]) -> Block:
    names = [run.benchmark for run in runs]
    named = variants([(run.words, name) for run, name in zip(runs, names, strict=True)])
    groups = grouped(runs, named, names)
    entries = tuple(one for (variant, name), of in groups.items() for one in _entries(variant, name, of))
    numbers = [one.line for entry in entries for one in (*entry.samples, *entry.figures.values())]
    return Block(
        format=NAME,
        title=runs[0].words if not any(named) else "",
        first=runs[0].line.number,
        last=max([runs[-1].line.number, *numbers]),
        entries=entries,
        claims=tuple(one for run, variant in zip(runs, named, strict=True) for one in _claims(run, variant)),
        remarks=(*doubled, *_remarks(runs, named)),
        facts={"sysbench": version} if (version := ", ".join(dict.fromkeys(run.version for run in runs if run.version))) else {},
    )


def _entries(variant: str, name: str, runs: Sequence[Run]) -> Iterator[Entry]:
    """The headline first. A report's own number is one result; of several reports each figure of the latency is a metric."""
    good = [run for run in runs if run.values or run.latency]
    found = [*_latencies(variant, name, good), *_scalars(variant, name, good)]
    fixed = any(run.target for run in runs)
    order = ("latency", *HEADLINES) if fixed else HEADLINES
    rank = {metric: place for place, metric in reversed(list(enumerate(order)))}
    yield from sorted(found, key=lambda entry: rank.get(entry.metric, len(order)))
    if not good:
        reason = next(run.trouble for run in runs)
        metric = HEADLINES[0] if runs[0].test == "oltp" or runs[0].script.startswith("oltp") else "events_per_s"
        yield _entry(variant, name, runs, metric, state=CellState.FAILED, reason=reason)


def _entry(
    variant: str,
    name: str,
    runs: Sequence[Run],
    metric: str,
    *,
    unit: str = "",
    printed_unit: str = "",
    better: Better | None = None,
    samples: tuple[Number, ...] = (),
    figures: dict[str, Number] | None = None,
    count: int | None = None,
    state: CellState = CellState.OK,
    reason: str = "",
) -> Entry:
    return Entry(
        variant=variant,
        program="sysbench",
        benchmark=name,
        metric=metric,
        unit=unit,
        printed_unit=printed_unit,
        better=better,
        parameters=runs[0].parameters,
        samples=samples,
        figures=figures or {},
        count=count,
        state=state,
        reason=reason,
    )


def _latencies(variant: str, name: str, runs: Sequence[Run]) -> Iterator[Entry]:
    with_any = [run for run in runs if run.latency]
    if len(with_any) == 1:
        (run,) = with_any
        events = run.number("events") or run.number("transactions")
        count = int(events.value) if events is not None else None
        yield _entry(
            variant, name, runs, "latency", unit="s", printed_unit="ms", better=Better.SMALLER, figures=run.latency, count=count
        )
        return
    for figure_name in dict.fromkeys(one for run in with_any for one in run.latency):
        samples = tuple(run.latency[figure_name] for run in with_any if figure_name in run.latency)
        yield _entry(
            variant, name, runs, f"latency_{figure_name}", unit="s", printed_unit="ms", better=Better.SMALLER, samples=samples
        )


def _scalars(variant: str, name: str, runs: Sequence[Run]) -> Iterator[Entry]:
    for metric in dict.fromkeys(metric for run in runs for metric in run.values):
        of = [run.values[metric] for run in runs if metric in run.values]
        _, unit, printed_unit, better = of[0]
        fixed = metric in FIXED and any(run.target for run in runs)
        samples = tuple(one[0] for one in of)
        yield _entry(
            variant, name, runs, metric, unit=unit, printed_unit=printed_unit, better=None if fixed else better, samples=samples
        )
    for label in dict.fromkeys(label for run in runs if len(runs) == 1 for label in run.fairness):
        mean, sd = runs[0].fairness[label]
        unit = "s" if label.startswith("exec") else ""
        yield _entry(
            variant,
            name,
            runs,
            f"thread_{label.replace(' ', '_')}",
            unit=unit,
            printed_unit=unit,
            figures={"mean": mean, "sd": sd},
            count=int(runs[0].threads.value) if runs[0].threads is not None else None,
        )


_QUOTIENTS = (
    ("transactions_per_s", "transactions", "elapsed_s"),
    ("queries_per_s", "queries", "elapsed_s"),
    ("requests_per_s", "requests", "elapsed_s"),
    ("operations_per_s", "operations", "elapsed_s"),
    ("events_per_s", "events", "elapsed_s"),
    ("moved_per_s", "moved", "elapsed_s"),
)


def _claims(run: Run, variant: str) -> Iterator[Claim]:
    """Rates, sums and the mean latency, each from what is printed of it."""
    what = ", ".join(filter(None, (run.benchmark, variant)))
    for metric, dividend, divisor in _QUOTIENTS:
        rate, of = run.number(metric), [run.number(dividend), run.number(divisor)]
        known = tuple(one for one in of if one is not None)
        if rate is not None and len(known) == 2:
            scale = MEBI if metric == "moved_per_s" else 1.0
            yield Claim(kind="quotient", what=f"{what}: {metric}", printed=_unscaled(rate, scale), of=known, factor=1.0 / scale)
    total, parts = run.number("statements"), [run.number(one) for one in ("reads", "writes", "others")]
    summed = [*run.sums, *([(total, tuple(one for one in parts if one is not None))] if total is not None else [])]
    for printed, rows in summed:
        if len(rows) == 3:
            yield Claim(kind="sum", what=f"{what}: of reads, writes and others", printed=printed, of=rows)
    mean, of = run.latency.get("mean"), [run.number("latency_sum"), run.number("events")]
    known = tuple(one for one in of if one is not None)
    if mean is not None and len(known) == 2:
        yield Claim(kind="quotient", what=f"{what}: mean latency, of their sum", printed=mean, of=known, better=Better.SMALLER)
    events, fair = run.number("events"), run.fairness.get("events")
    if events is not None and fair is not None and run.threads is not None:
        yield Claim(kind="quotient", what=f"{what}: events of a thread", printed=fair[0], of=(events, run.threads))


def _unscaled(one: Number, scale: float) -> Number:
    return Number(one.text, one.value / scale, one.step / scale, one.line, one.column)


def _remarks(runs: Sequence[Run], named: Sequence[str]) -> Iterator[Remark]:
    yield from repeated((run.line.number, name) for run, name in zip(runs, named, strict=True))
    for run in runs:
        if run.target:
            said = "the generator sets the throughput, and so the time: neither is a result"
            yield Remark(run.line.number, f"at a target rate of {run.target} transactions a second {said}")
        if run.intervals:
            yield Remark(run.line.number, f"{run.intervals} reports of intervals are not counted: the report at the end holds them")
        if run.trouble:
            yield Remark(run.line.number, f"it says: {run.trouble}")


READER = Reader(
    NAME,
    ("sysbench ",),
    read,
    "a line `sysbench 1.0.20 (...)` or `sysbench 0.4.12: ...`, and below it the report of a test",
)
