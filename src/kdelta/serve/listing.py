"""The runs of a store as a list: which of them, which page of it, and the names that lead on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kdelta.model.plan import Plan, is_published
from kdelta.model.record import RunRecord
from kdelta.report.presentable import presentable
from kdelta.report.settings import settings

PAGE = 100


@dataclass(frozen=True)
class Named:
    """A text for a person, and the words that lead to what it names."""

    text: str
    words: str
    more: str = ""


@dataclass(frozen=True)
class Row:
    """One run. `columns` lead to a comparison, `benchmarks` to a history; those that were looked for stand in `found`."""

    number: int
    started: str
    amount: str
    boxes: str
    columns: tuple[Named, ...]
    benchmarks: tuple[Named, ...]
    found: tuple[Named, ...]


@dataclass(frozen=True)
class Listing:
    """A page of those `count` runs that were looked for; pages are counted from 1. A page that there is not has no rows."""

    rows: tuple[Row, ...]
    count: int
    page: int
    pages: int


def listing(runs: Iterable[RunRecord], ended: Mapping[int, int], kernel: str = "", benchmark: str = "", page: int = 1) -> Listing:
    """Newest first. `ended` are the boots of each run that came to an end.

    `kernel` is looked for in what a column's kernel is called: its name, release, version, build id and what was asked for;
    `benchmark` in the names of benchmarks. Both without regard to case, and both must be in a run.
    """
    found = [run for run in runs if _has(kernel, _kernels(run)) and _has(benchmark, (one.name for one in run.plan.benchmarks))]
    found.sort(key=lambda run: -run.id)
    shown = found[(page - 1) * PAGE : page * PAGE]
    rows = tuple(_row(run, ended.get(run.id, 0), benchmark) for run in shown)
    return Listing(rows, len(found), page, max(1, -(-len(found) // PAGE)))


def benchmarks(runs: Iterable[RunRecord]) -> tuple[Named, ...]:
    """Those of all runs, by name, each once."""
    found: dict[str, Named] = {}
    for run in runs:
        if not {one.name for one in run.plan.benchmarks} <= found.keys():
            found.update((one.words, one) for one in _benchmarks(run, presentable(run, ())[0]))
    return tuple(found[words] for words in sorted(found))


def _has(wanted: str, texts: Iterable[str]) -> bool:
    return not wanted or any(wanted.casefold() in text.casefold() for text in texts)


def _kernels(run: RunRecord) -> Iterable[str]:
    for variant in run.plan.variants:
        kernel = run.kernels[variant.name]
        yield from (variant.name, variant.kernel, kernel.release, kernel.version, kernel.build_id or "")


def _row(run: RunRecord, ended: int, wanted: str) -> Row:
    fit, _ = presentable(run, ())
    each = _benchmarks(run, fit)
    return Row(
        number=run.id,
        started=run.started[:16].replace("T", " "),
        amount=_amount(run.plan, ended),
        boxes=", ".join(box.name for box in fit.plan.boxes),
        columns=tuple(
            Named(one.name, f"{run.id}:{raw.name}", " ".join([fit.kernels[one.name].release, *settings(one)]))
            for raw, one in zip(run.plan.variants, fit.plan.variants, strict=True)
        ),
        benchmarks=each,
        found=tuple(one for one in each if wanted and _has(wanted, [one.words])),
    )


def _benchmarks(run: RunRecord, fit: RunRecord) -> tuple[Named, ...]:
    pairs: Sequence[tuple[str, str]] = [(a.name, b.name) for a, b in zip(run.plan.benchmarks, fit.plan.benchmarks, strict=True)]
    return tuple(Named(text, words) for words, text in pairs)


def _amount(plan: Plan, ended: int) -> str:
    if is_published(plan):
        return "published"
    planned = plan.seeds * len(plan.variants) * len(plan.boxes)
    return f"{ended} of at most {planned}" if plan.sequential else f"{ended} of {planned}"
