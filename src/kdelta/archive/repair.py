"""kernbench's averages, put right: the script adds up the runs of all loads so far, and prints their mean as that of the last load.

It empties only its sum of elapsed times before each load. So from the second load of a log on, in the order single, half, optimal,
custom, maximal, the other rows are of all runs until then, with the spread between the loads in their deviations:

    Average Half load -j 8 Run       User Time 583.488 (0.54099)     5 runs
    Average Optimal load -j 64 Run   User Time 809.699 (238.449)     those and 5 more, whose mean is 1035.91 (1.22)

`repair` looks at each log of a document: was it pooled, over how many runs, and what are the figures of each load alone.
`corrected` gives the entries with these figures in place of the printed ones, for comparing two kernels anew.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from kdelta.archive import pooling
from kdelta.archive.kernbench_lines import LOADS, SINGLE
from kdelta.archive.kernbench_log import NAME
from kdelta.archive.pooling import Moments, Own
from kdelta.model.published import Block, Document, Entry, Number
from kdelta.model.repaired import Mended, Repaired, Session

NEVER_POOLED = "elapsed_s"
USER, SYSTEM, CPU = "user_s", "system_s", "percent_cpu"
_HIDDEN = (0.05, 3.0)
"""A first load whose user time spreads by more than this share, and so many times more than its elapsed time, has others in it."""
_LEAST_SPREAD, _MORE_SPREAD = 0.005, 5.0
"""A recovered spread is plausible up to so many times that of what was not pooled, which is taken to be at least the first."""
_FEW_ROWS = 1.0 / 3.0
"""Of rows that do not fit while all others do: a slip in them, no other number of runs."""
_CPU_FITS, _CPU_OFF = 0.01, 0.02
"""Shares by which CPU differs from (user + system) / elapsed, of figures that are of the same runs, and that are not."""

_LARGEST, _FINEST = 1e100, 1e-12

Rows = Mapping[str, Mapping[str, Entry]]
"""Load -> metric -> its entry, loads in the order in which the script runs them."""


@dataclass(frozen=True)
class _Trial:
    """What the rows of the later loads come to, if each load had so many runs."""

    runs: tuple[int, ...]
    own: dict[tuple[str, str], Own]

    @property
    def bad(self) -> list[tuple[str, str]]:
        return [key for key, one in self.own.items() if not one.possible]

    @property
    def spread(self) -> float:
        """Half of the rows spread by less, as a share of their mean."""
        found = [one.relative for one in self.own.values() if one.relative is not None]
        return statistics.median(found) if found else 0.0


def repair(document: Document) -> tuple[Session, ...]:
    """A session for each log of kernbench in the document, in its order."""
    return tuple(session for block in document.blocks for session in sessions(block))


def sessions(block: Block) -> Iterator[Session]:
    """Of one block; none where it is not of kernbench's logs."""
    if block.format != NAME:
        return
    logs: dict[tuple[str, str], list[Entry]] = {}
    for entry in block.entries:
        logs.setdefault((entry.variant, entry.box), []).append(entry)
    for (variant, box), entries in logs.items():
        yield _session(variant, box, entries)


def corrected(block: Block) -> Block:
    """The block with recovered figures in place of pooled ones, and the number of runs that they are of.

    A deviation that may be 0, as its inputs were rounded, is the largest that it can be: then no verdict rests on the rounding.
    What may be pooled and could not be repaired has no figures, and says so. Claims are left: they are of what is printed.
    """
    found = {id(row.entry): row for session in sessions(block) for row in session.rows}
    return msgspec.structs.replace(block, entries=tuple(_corrected(one, found.get(id(one))) for one in block.entries))


def _corrected(entry: Entry, row: Repaired | None) -> Entry:
    if row is None:
        return entry
    sd, reason = row.sd, row.reason
    if row.mean is not None and row.most is not None and not row.least:
        sd = _number(row.most, row.most / 500.0, row.mean)
        reason = "its deviation is the largest that the rounded figures leave"
    figures = {name: one for name, one in (("mean", row.mean), ("sd", sd)) if one is not None}
    return msgspec.structs.replace(entry, figures=figures, count=row.own if figures else None, reason=reason)


def _session(variant: str, box: str, entries: Sequence[Entry]) -> Session:
    rows: dict[str, dict[str, Entry]] = {}
    for load in LOADS:
        of_load = {one.metric: one for one in entries if one.parameters.get("load") == load and _is_sound(one)}
        if of_load:
            rows[load] = of_load
    found = _judged(rows)
    lines = [one.line for entry in entries for one in entry.figures.values()]
    return msgspec.structs.replace(found, variant=variant, box=box, line=min(lines, default=0))


def _is_sound(entry: Entry) -> bool:
    """Whether it has a mean, and no figure whose square no float can hold."""
    return "mean" in entry.figures and all(abs(one.value) < _LARGEST for one in entry.figures.values())


def _judged(rows: Rows) -> Session:
    loads = tuple(rows)
    plain = Session(variant="", box="", line=0, loads=loads, verdict=Mended.ALONE)
    if hidden := _hidden(rows):
        return _with(plain, Mended.IMPOSSIBLE, hidden, _unrepaired(rows, loads, hidden))
    if len(loads) < 2:
        return plain
    if not any("sd" in entry.figures for _, _, entry in _later(rows)):
        return _without_spread(plain, rows)
    return _with_spread(plain, rows)


def _with_spread(plain: Session, rows: Rows) -> Session:
    """Numbers of runs are tried, the likeliest first, until all rows fit."""
    shortest = _shortest(rows)
    tried = list[_Trial]()
    for group in pooling.counts(_stated(rows)):
        trials = [_trial(rows, runs, shortest=shortest) for runs in group]
        tried += trials
        best = _best([one for one in trials if not one.bad and _plausible(one, rows)])
        if best is not None:
            printed_fits, own_fits = _cpu_misses(rows, None), _cpu_misses(rows, best)
            if printed_fits < _CPU_FITS and own_fits > _CPU_OFF:
                return _tried(plain, Mended.AS_PRINTED, "CPU follows from the times as they are printed", tried)
            return _repaired(plain, rows, best, tried, Mended.REPAIRED)
    return _unfit(plain, rows, tried, shortest=shortest)


def _unfit(plain: Session, rows: Rows, tried: list[_Trial], *, shortest: bool) -> Session:
    """No number of runs fits all rows: most were not pooled, or a few are wrong, or nobody knows."""
    first = tried[0]
    small = [
        key
        for key, (pooled, before, earlier, own) in _pairs(rows, first.runs, shortest=shortest)
        if pooling.too_small(pooled, before, earlier, own)
    ]
    if len(small) > len(first.own) / 2:
        return _tried(plain, Mended.AS_PRINTED, "the deviations are smaller than pooled loads would have them", tried)
    possible = [one for one in tried if len(one.bad) <= len(one.own) * _FEW_ROWS and _plausible(one, rows)]
    best = min(possible, key=lambda one: len(one.bad), default=None)
    if best is not None and best.bad:
        return _repaired(plain, rows, best, tried, Mended.PARTLY)
    if any(not one.bad for one in tried):
        why = "the deviations fit pooled loads no better than loads that spread by themselves"
        found = _tried(plain, Mended.UNKNOWN, why, tried)
    else:
        names = ", ".join(f"{load} {metric}" for load, metric in min((one.bad for one in tried), key=len))
        why = f"no number of runs that was tried leaves a variance that is not negative: {names}"
        found = _tried(plain, Mended.IMPOSSIBLE, why, tried)
    return msgspec.structs.replace(found, rows=_unrepaired(rows, plain.loads[1:], why))


def _without_spread(plain: Session, rows: Rows) -> Session:
    """Without deviations only CPU tells: it is that of the times, if all are of the same runs. Loads have as many runs each."""
    trial = _trial(rows, tuple(one or pooling.USUAL[0] for one in _stated(rows)), shortest=_shortest(rows))
    printed, own = _cpu_misses(rows, None), _cpu_misses(rows, trial)
    if printed < _CPU_FITS:
        return _with(plain, Mended.AS_PRINTED, "CPU follows from the times as they are printed", ())
    if own < _CPU_FITS:
        return _repaired(plain, rows, trial, [trial], Mended.REPAIRED)
    why = "no deviations are printed, and CPU does not tell whether the loads are pooled"
    return _with(plain, Mended.UNKNOWN, why, _unrepaired(rows, plain.loads[1:], why))


def _hidden(rows: Rows) -> str:
    """Why the first load of the text is not the first of its log; empty where it may be."""
    load, first = next(iter(rows.items()), ("", {}))
    user, elapsed = (_relative(first[metric]) if metric in first else None for metric in (USER, NEVER_POOLED))
    if load in ("", SINGLE) or user is None or elapsed is None or user <= _HIDDEN[0] or user <= _HIDDEN[1] * elapsed:
        return ""
    return (
        f"user time spreads by {100.0 * user:.0f} % and elapsed time by {100.0 * elapsed:.1f} %: "
        f"an earlier load is in the {load} load's averages, and its own are not in the text"
    )


def _trial(rows: Rows, runs: tuple[int, ...], *, shortest: bool) -> _Trial:
    return _Trial(runs, {key: pooling.taken_apart(*pair) for key, pair in _pairs(rows, runs, shortest=shortest)})


def _pairs(
    rows: Rows, runs: Sequence[int], *, shortest: bool
) -> Iterator[tuple[tuple[str, str], tuple[Moments, Moments, int, int]]]:
    """Each row of a later load with that of the load before it, and the runs of both."""
    loads = list(rows)
    for load, metric, entry in _later(rows):
        place = loads.index(load)
        before = rows[loads[place - 1]].get(metric)
        if before is not None:
            both = (_moments(entry, shortest=shortest), _moments(before, shortest=shortest))
            yield (load, metric), (*both, sum(runs[:place]), runs[place])


def _later(rows: Rows) -> Iterator[tuple[str, str, Entry]]:
    """Rows that are pooled, if any are."""
    for load in list(rows)[1:]:
        yield from ((load, metric, entry) for metric, entry in rows[load].items() if metric != NEVER_POOLED)


def _moments(entry: Entry, *, shortest: bool) -> Moments:
    mean, sd = entry.figures["mean"], entry.figures.get("sd")
    return Moments(pooling.figure(mean, shortest=shortest), pooling.figure(sd, shortest=shortest) if sd is not None else None)


def _stated(rows: Rows) -> list[int | None]:
    """Of the runs of each load, where that is said. The script runs all loads equally often: of one is of all."""
    found = [next((one.count for one in of_load.values() if one.count), None) for of_load in rows.values()]
    known = {one for one in found if one is not None}
    return [*known] * len(found) if len(known) == 1 else found


def _shortest(rows: Rows) -> bool:
    """Whether the numbers are as awk prints them: deviations have six digits, but those that end in 0."""
    found = [one.figures["sd"] for of_load in rows.values() for one in of_load.values() if "sd" in one.figures]
    return not found or sum(pooling.significant(one.text) >= 5 for one in found) > len(found) / 2


def _relative(entry: Entry) -> float | None:
    mean, sd = entry.figures["mean"].value, entry.figures.get("sd")
    return None if sd is None or not mean else sd.value / abs(mean)


def _plausible(trial: _Trial, rows: Rows) -> bool:
    """Loads spread alike: no recovered one much more than the first load's rows, or elapsed time, which were never pooled."""
    first = next(iter(rows.values()))
    never = [of_load[NEVER_POOLED] for of_load in rows.values() if NEVER_POOLED in of_load]
    spreads = [_relative(one) or 0.0 for one in never]
    rest = [_relative(one) or 0.0 for metric, one in first.items() if metric != NEVER_POOLED]
    usual = max([_LEAST_SPREAD, *spreads, statistics.median(rest) if rest else 0.0])
    return trial.spread <= _MORE_SPREAD * usual


def _best(trials: Sequence[_Trial]) -> _Trial | None:
    """The first, unless another halves the spread: with too many runs some of the gap between loads is left in a variance."""
    least = min(trials, key=lambda one: one.spread, default=None)
    return trials[0] if least is not None and trials[0].spread <= 2.0 * least.spread else least


def _cpu_misses(rows: Rows, trial: _Trial | None) -> float:
    """How far CPU is at most from the times of later loads, as a share: as printed, or as recovered. 0 where a row is missing."""
    misses = [0.0]
    for load in list(rows)[1:]:
        values = {metric: entry.figures["mean"].value for metric, entry in rows[load].items()}
        if trial is not None:
            values |= {metric: one.mean for (of, metric), one in trial.own.items() if of == load}
        if {USER, SYSTEM, CPU, NEVER_POOLED} <= values.keys() and values[NEVER_POOLED] and values[CPU]:
            again = 100.0 * (values[USER] + values[SYSTEM]) / values[NEVER_POOLED]
            misses.append(abs(again / values[CPU] - 1.0))
    return max(misses)


def _repaired(plain: Session, rows: Rows, best: _Trial, tried: Sequence[_Trial], verdict: Mended) -> Session:
    """With what `best` gives; a row that has none before it, or no variance, stays unrepaired."""
    found = tuple(_row(rows, load, metric, entry, best) for load, metric, entry in _later(rows))
    lost = [f"{one.entry.benchmark} {one.entry.metric}: {one.reason}" for one in found if one.mean is None]
    verdict = Mended.PARTLY if lost else verdict
    return msgspec.structs.replace(_tried(plain, verdict, "; ".join(lost), tried), runs=best.runs, rows=found)


def _row(rows: Rows, load: str, metric: str, entry: Entry, best: _Trial) -> Repaired:
    loads = list(rows)
    place = loads.index(load)
    earlier = _names(rows, loads[:place])
    own = best.own.get((load, metric))
    if own is None:
        return Repaired(entry=entry, earlier=earlier, reason=f"the {loads[place - 1]} load has no such row")
    if not own.possible:
        return Repaired(entry=entry, earlier=earlier, reason=f"with {best.runs[place]} runs its variance would be negative")
    printed = entry.figures["mean"]
    return Repaired(
        entry=entry,
        earlier=earlier,
        mean=_number(own.mean, own.error, printed),
        sd=None if own.sd is None else _number(own.sd, own.sd / 500.0, entry.figures["sd"]),
        error=own.error,
        least=own.least,
        most=own.most,
        own=best.runs[place],
        pooled=sum(best.runs[: place + 1]),
    )


def _number(value: float, error: float, printed: Number) -> Number:
    """Written to the last digit that the error leaves something of, at the place of the printed one."""
    decimals = max(0, math.floor(-math.log10(max(error / 2.0, _FINEST)))) if error > 0.0 else 6
    text = f"{value:.{decimals}f}"
    return Number(text.rstrip("0").rstrip(".") if "." in text else text, value, 2.0 * error, printed.line, printed.column)


def _unrepaired(rows: Rows, loads: Iterable[str], why: str) -> tuple[Repaired, ...]:
    every = list(rows)
    return tuple(
        Repaired(entry=entry, earlier=_names(rows, every[: every.index(load)]), reason=why)
        for load in loads
        for metric, entry in rows[load].items()
        if metric != NEVER_POOLED
    )


def _names(rows: Rows, loads: Iterable[str]) -> tuple[str, ...]:
    return tuple(next(iter(rows[load].values())).benchmark for load in loads)


def _tried(plain: Session, verdict: Mended, why: str, tried: Iterable[_Trial]) -> Session:
    return msgspec.structs.replace(plain, verdict=verdict, reason=why, tried=tuple(one.runs for one in tried))


def _with(plain: Session, verdict: Mended, why: str, rows: tuple[Repaired, ...]) -> Session:
    return msgspec.structs.replace(plain, verdict=verdict, reason=why, rows=rows)
