"""Runs by the thousand: the product's own fits, levels and adjustments on drawn noise, and the rows that are made of them.

A row is (name, measured, low, high, note): what was measured has to lie in low..high. A scale of 1.0 is the full size; below it
there are fewer runs, and the bounds are wider by four standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kdelta.judge.verdicts import Terms
from kdelta.stats.blocks import Fits, fit
from kdelta.stats.contrast import Estimates, estimates
from kdelta.stats.multiplicity import benjamini_hochberg, fcr_level
from kdelta.stats.sequential import Looks, half_width, two_sided
from kdelta.stats.tost import tost

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Whole = NDArray[np.int64]
Row = tuple[str, float, float, float, str]

ALPHA = 0.05
CAP = 10
LEAST_RUNS = 200
CHUNK = 4000
"""Runs that are fitted at once: more of them fit into no cache."""


# ---- rows ----


def size(full: int, scale: float, least: int = LEAST_RUNS) -> int:
    """How many runs."""
    return max(min(full, least), round(full * scale))


def share(name: str, hits: ArrayLike, low: float, high: float, scale: float, note: str = "") -> Row:
    """Of runs of which each is a hit or none."""
    found = np.asarray(hits, dtype=np.float64)
    count = found.size
    if scale < 1.0:
        low = max(0.0, low - 4.0 * math.sqrt(low * (1.0 - low) / count))
        high = min(1.0, high + 4.0 * math.sqrt(high * (1.0 - high) / count))
    return name, float(found.mean()), low, high, _note(count, note)


def mean(name: str, values: ArrayLike, low: float, high: float, scale: float, note: str = "") -> Row:
    """Of anything else."""
    found = np.asarray(values, dtype=np.float64)
    error = 4.0 * float(found.std()) / math.sqrt(found.size) if scale < 1.0 else 0.0
    return name, float(found.mean()), low - error, high + error, _note(found.size, note)


def near(name: str, hits: ArrayLike, seen: float, scale: float, note: str = "", *, room: float = 0.001) -> Row:
    """A share that was `seen` in a simulation of the same size: four standard errors of the difference, and `room` besides."""
    found = np.asarray(hits, dtype=np.float64)
    count = found.size
    errors = [math.sqrt(max(seen * (1.0 - seen), 1.0 / many) / many) for many in (count, count / min(scale, 1.0))]
    reach = 4.0 * math.hypot(*errors) + room
    return name, float(found.mean()), max(0.0, seen - reach), min(1.0, seen + reach), _note(count, note or f"was {seen:g}")


def _note(count: int, note: str) -> str:
    return f"{count} runs; {note}" if note else f"{count} runs"


# ---- sequential runs ----

UNDECIDED, MORE, LESS, EQUIVALENT = 0, 1, -1, 2


def terms(margin: float = 0.0, *, cap: int = CAP, alpha: float = ALPHA) -> Terms:
    """Of a sequential run. With a `margin` of 0 nothing is equivalent."""
    return Terms(alpha, margin, Looks(3, cap), benjamini_hochberg)


@dataclass(frozen=True)
class Outcome:
    """Of runs of tables: (runs, cells, columns - 1), each column against the base at its own last look."""

    answer: Whole
    """UNDECIDED, MORE, LESS or EQUIVALENT."""
    rounds: Whole
    estimate: Array
    half: Array
    """Of the interval that is reported."""
    boots: Whole
    """Values that were taken: (runs, cells)."""

    @property
    def changed(self) -> Flags:
        found: Flags = np.abs(self.answer) == 1
        return found

    def covers(self, true: Array | float) -> Flags:
        found: Flags = np.abs(self.estimate - true) <= self.half
        return found


def outcome(values: Array, terms: Terms, floor: float = 0.0) -> Outcome:
    """What comes of `values`, (runs, cells, rounds, columns), logarithms, base first, which are taken round by round.

    After each round from the first look on all contrasts of a run are judged together. Columns that are decided leave their cell,
    and the base leaves with the last of them.
    """
    parts = [_Run(values[at : at + CHUNK], terms, floor).outcome() for at in range(0, len(values), CHUNK)]
    return Outcome(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Outcome)))


class _Run:
    """Some runs in progress, all at the same round."""

    def __init__(self, values: Array, terms: Terms, floor: float) -> None:
        self.values, self.terms, self.floor = values, terms, floor
        self.taken = np.full_like(values, np.nan)
        shape = (*values.shape[:2], values.shape[3] - 1)
        self.answer, self.rounds = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        self.estimate, self.se, self.df, self.half = (np.full(shape, np.nan) for _ in range(4))
        self.least, self.least_equivalent = np.ones(shape), np.ones(shape)

    def outcome(self) -> Outcome:
        for done in range(1, self.terms.looks.last + 1):
            going = np.flatnonzero((self.answer == UNDECIDED).any((1, 2)))
            self._take(going, done)
            if done >= self.terms.looks.first and going.size:
                self._look(going, done)
        return Outcome(self.answer, self.rounds, self.estimate, self.half, np.isfinite(self.taken).sum((2, 3)))

    def _take(self, going: Whole, done: int) -> None:
        live = self.answer[going] == UNDECIDED
        wanted = np.concatenate([live.any(-1, keepdims=True), live], axis=-1)
        self.taken[going, :, done - 1, :] = np.where(wanted, self.values[going, :, done - 1, :], np.nan)

    def _look(self, going: Whole, done: int) -> None:
        found = estimates(_last(fit(self.taken[going][:, :, :done])), self.floor)
        estimate, se, df = (each[:, :, 0, 1:] for each in (found.estimate, found.se, found.df))
        live = self.answer[going] == UNDECIDED
        p = two_sided(estimate, se, df)
        p_equivalent = tost(estimate, se, df, self.terms.margin) if self.terms.margin else np.ones_like(p)
        for name, new in (("estimate", estimate), ("se", se), ("df", df), ("rounds", np.full_like(live, done, dtype=np.int64))):
            known = getattr(self, name)
            known[going] = np.where(live, new, known[going])
        for name, new in (("least", p), ("least_equivalent", np.minimum(2.0 * p_equivalent, 1.0))):
            known = getattr(self, name)
            known[going] = np.where(live, np.minimum(known[going], new), known[going])
        self.answer[going], self.half[going] = self._answers(going)

    def _answers(self, going: Whole) -> tuple[Whole, Array]:
        """As `kdelta.judge.verdicts` has it: p of the family and an interval, both have to say it."""
        looks, alpha, margin = self.terms.looks, self.terms.alpha, self.terms.margin
        p = _adjusted(looks.p(self.least[going]), self.terms)
        p_equivalent = _adjusted(looks.p(self.least_equivalent[going]) / 2.0, self.terms)
        estimate, se, df = self.estimate[going], self.se[going], self.df[going]
        plain, narrow = (_half(se, df, looks.level(level)) for level in (alpha, 2.0 * alpha))
        selected = self._selected(p, se, df, plain)
        away = np.abs(estimate)
        equivalent = (p_equivalent <= alpha) & (away + narrow < margin)
        real = (p <= alpha) & (away > selected)
        answer = np.where(equivalent, EQUIVALENT, np.where(real, np.sign(estimate), UNDECIDED)).astype(np.int64)
        return answer, np.where(np.abs(answer) == 1, selected, plain)

    def _selected(self, p: Array, se: Array, df: Array, plain: Array) -> Array:
        """Half widths of rows that were selected out of many; those of runs that selected none are of no use."""
        tests = p[0].size
        count = (p <= self.terms.alpha).sum((1, 2))
        found = plain.copy()
        for selected in np.unique(count[count > 0]) if tests > 1 else ():
            level = self.terms.looks.level(1.0 - fcr_level(self.terms.alpha, int(selected), tests))
            found[count == selected] = _half(se[count == selected], df[count == selected], level)
        return found


def _last(fits: Fits) -> Fits:
    """Of the last round only: what the others say was used before."""
    return Fits(*(getattr(fits, field.name)[:, :, -1:] for field in fields(Fits)))


def _half(se: Array, df: Array, level: float) -> Array:
    """`half_width`, once for each of the few degrees of freedom that there are."""
    known, place = np.unique(df, return_inverse=True)
    return np.asarray(half_width(np.ones(known.shape), known, level)[place].reshape(df.shape) * se)


def _adjusted(p: Array, terms: Terms) -> Array:
    """Each run's family by itself; as it is where nothing in it reaches the level, for no adjustment makes p less."""
    if p[0].size == 1:
        return p
    found = p.copy()
    for place in np.flatnonzero((p <= terms.alpha).any((1, 2))):
        found[place] = terms.adjust(p[place].ravel()).reshape(p.shape[1:])
    return found


# ---- looks at values that are all there ----


def looked(values: Array, floor: float = 0.0) -> Estimates:
    """The estimates of a cell's `values`, (runs, rounds, columns), after each round."""
    parts = [estimates(fit(values[at : at + CHUNK]), floor) for at in range(0, len(values), CHUNK)]
    return Estimates(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Estimates)))


def first_hit(hits: Flags, cap: int) -> tuple[Flags, Whole]:
    """Of hits at looks, (runs, rounds): whether there is one up to round `cap`, and in which round the run ends."""
    among = hits[:, :cap]
    found: Flags = np.asarray(among.any(axis=1))
    return found, np.where(found, among.argmax(axis=1) + 1, cap)


def chunks(full: int, most: int = CHUNK) -> Iterator[int]:
    """Sizes that make `full` together."""
    for at in range(0, full, most):
        yield min(most, full - at)
