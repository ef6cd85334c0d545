"""How many boots other rules need to see 2 %, and how often they see it where there is nothing: one simulation for all of them.

Boots vary by 1 % and results inside a boot by .5 %; a boot has ten results, or goes on until three agree. The peers, whose rules
are in `rules`, measure one side and then the other. On a machine that drifts that is what they compare, so there is a second table
with a drift, up or down, of a third of a boot's standard deviation from boot to boot.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from tests.validation.noise import normal
from tests.validation.rules import Signs, gap, hyperfine, least, lkp, mmtests, outside, signs, tested
from tests.validation.simulate import MORE, Array, Flags, Row, first_hit, looked, outcome, share, size, terms
from tests.validation.stopping import settled

from kdelta.model.plan import Rule
from kdelta.stats.contrast import unpaired
from kdelta.stats.sequential import Looks, two_sided

BOOT_SD, RESULT_SD = 0.01, 0.005
TRUE = math.log1p(0.02)
MARGIN = math.log1p(0.01)
RESULTS = 10
MOST = 16
"""Boots of each column, and the largest cap."""
COLUMNS = 4
DRIFT = BOOT_SD / 3.0
WANTED = 0.8
HOLDS = 0.055
FIRST = 3

# ---- one simulation ----


@dataclass(frozen=True)
class Machine:
    """What boots would give, whenever they are measured: logarithms, (runs, MOST, COLUMNS, results).

    Column 1 has the effect. `slope` is the drift from boot to boot.
    """

    logs: Array
    slope: Array

    def side_by_side(self, boots: int) -> Array:
        """Base first, then column 1: results of (runs, boots, 2, results)."""
        place = np.arange(2 * boots).reshape(2, boots).T
        return self._at(boots, 2, np.broadcast_to(place, (len(self.logs), boots, 2)))

    def shuffled(self, boots: int) -> Array:
        """Both columns' boots in one random order."""
        order = np.random.default_rng(boots).permuted(np.broadcast_to(np.arange(2 * boots), (len(self.logs), 2 * boots)), axis=1)
        return self._at(boots, 2, order.reshape(-1, boots, 2))

    def rounds(self, boots: int, columns: int) -> Array:
        """All columns in each round, in random order."""
        order = np.broadcast_to(np.arange(boots * columns).reshape(boots, columns), (len(self.logs), boots, columns))
        return self._at(boots, columns, np.random.default_rng(boots).permuted(order, axis=2))

    def _at(self, boots: int, columns: int, place: NDArray[np.int64]) -> Array:
        return self.logs[:, :boots, :columns] + (self.slope[:, None, None] * place)[..., None]


def machine(rng: np.random.Generator, runs: int, true: float, drift: float) -> Machine:
    logs = BOOT_SD * normal(rng, (runs, MOST, COLUMNS, 1)) + RESULT_SD * normal(rng, (runs, MOST, COLUMNS, Rule().most))
    logs[:, :, 1] += true
    return Machine(logs, drift * rng.choice([-1.0, 1.0], runs))


def ten(logs: Array) -> Array:
    return logs[..., :RESULTS]


def of_boots(logs: Array) -> Array:
    """The value that a boot has here."""
    return np.asarray(np.median(ten(logs), axis=-1))


def minima(logs: Array) -> Array:
    kept, _ = settled(np.exp(logs).reshape(-1, logs.shape[-1]), Rule())
    found: Array = kept.min(1).reshape(logs.shape[:-1])
    return found


# ---- what each rule says after so many boots of each column ----

Said = Callable[[Machine, int], tuple[Signs, Array]]
"""The signs, and the boots of base and column 1 together that each run took."""


def _fixed(sign: Callable[[Machine, int], Signs]) -> Said:
    def said(of: Machine, boots: int) -> tuple[Signs, Array]:
        return sign(of, boots), np.full(len(of.logs), 2.0 * boots)

    return said


def _sequential(of: Machine, cap: int) -> tuple[Signs, Array]:
    if cap < FIRST:
        return np.zeros(len(of.logs), dtype=np.int64), np.full(len(of.logs), 2.0 * cap)
    found = outcome(of_boots(of.rounds(cap, 2))[:, None], terms(MARGIN, cap=cap))
    return np.where(found.changed, found.answer, 0)[:, 0, 0], np.asarray(found.boots[:, 0], dtype=np.float64)


def _sequential_pooled(of: Machine, cap: int) -> tuple[Signs, Array]:
    """Column 1 alone is asked for; the others are there for their noise."""
    found = looked(of_boots(of.rounds(cap, COLUMNS)))
    p = two_sided(found.estimate, found.se, found.df)[..., 1]
    p[:, : FIRST - 1] = 1.0
    hit, rounds = first_hit(p <= Looks(FIRST, max(FIRST, cap)).level(0.05), cap)
    away = found.estimate[np.arange(len(rounds)), rounds - 1, 1]
    return signs(away, hit), np.asarray(2 * rounds, dtype=np.float64)


RULES: dict[str, Said] = {
    "sequential, 2 columns in rounds": _sequential,
    "sequential, noise of 4 columns": _sequential_pooled,
    "fixed n, 2 columns in rounds": _fixed(lambda of, n: tested(looked(of_boots(of.rounds(n, 2))))),
    "fixed n, noise of 4 columns": _fixed(lambda of, n: tested(looked(of_boots(of.rounds(n, COLUMNS))))),
    "fixed n, Welch, boots in random order": _fixed(lambda of, n: tested(unpaired(of_boots(of.shuffled(n))))),
    "fixed n, Welch, base first": _fixed(lambda of, n: tested(unpaired(of_boots(of.side_by_side(n))))),
    "settled, then least ones": _fixed(lambda of, n: least(minima(of.side_by_side(n)))),
    "MMTests, 1.96 sd": _fixed(lambda of, n: mmtests(np.exp(ten(of.side_by_side(n))))),
    "LKP, gap rule": _fixed(lambda of, n: lkp(np.exp(ten(of.side_by_side(n))), gap)),
    "LKP, medians outside": _fixed(lambda of, n: lkp(np.exp(ten(of.side_by_side(n))), outside)),
    "hyperfine, Welch on results": _fixed(lambda of, n: hyperfine(np.exp(ten(of.side_by_side(n))))),
}
OURS = ("sequential, 2 columns in rounds", "sequential, noise of 4 columns")


@dataclass(frozen=True)
class Need:
    """The fewest boots of each column (or the least cap) that see 2 % with WANTED; those that see most where none do."""

    boots: int
    used: float
    """Of both columns, on average, where it is 2 % slower."""
    used_for_nothing: float
    power: float
    wrong: Flags
    """Of each run in which nothing changed: whether it is called changed."""

    @property
    def false(self) -> float:
        return float(self.wrong.mean())

    @property
    def reaches(self) -> bool:
        return self.power >= WANTED

    @property
    def holds(self) -> bool:
        return self.false <= HOLDS


def need(said: Said, null: Machine, slower: Machine) -> Need:
    best = (0.0, 1)
    for boots in range(1, MOST + 1):
        power = float((said(slower, boots)[0] == MORE).mean())
        best = max(best, (power, boots))
        if power >= WANTED:
            break
    power, boots = best
    (_, used), (wrong, idle) = said(slower, boots), said(null, boots)
    return Need(boots, float(used.mean()), float(idle.mean()), power, wrong != 0)


@cache
def needs(scale: float, drift: float) -> Mapping[str, Need]:
    rng = np.random.default_rng(48)
    null, slower = (machine(rng, size(10000, scale), true, drift) for true in (0.0, TRUE))
    return {name: need(said, null, slower) for name, said in RULES.items()}


# ---- as rows and as a table ----

WORLDS = {"a quiet machine": 0.0, "a machine that drifts": DRIFT}
QUIET, DRIFTING = WORLDS


def rows(scale: float) -> Iterator[Row]:
    for world, drift in WORLDS.items():
        found = needs(scale, drift)
        for name in OURS:
            one = found[name]
            yield share(f"{name}, {world}: false positives", one.wrong, 0.0, 0.055, scale)
            yield f"{name}, {world}: least cap for .80", float(one.boots), 7.0, 11.0, f"power {one.power:.3f}"
        yield from _fewest(found, world, scale)


def _fewest(found: Mapping[str, Need], world: str, scale: float) -> Iterator[Row]:
    """Boots of the sequential rule over those of others which hold 5 %: below 1 it takes fewer."""
    room = 0.0 if scale >= 1.0 else 0.2
    honest = {name: one for name, one in found.items() if name not in OURS and one.reaches and one.holds}
    for ours, rest in ((OURS[0], "fixed n, 2 columns in rounds"), (OURS[1], "fixed n, noise of 4 columns")):
        if rest in honest:
            ratio = found[ours].used / honest[rest].used
            yield f"{world}: boots of {ours}, over {rest}", ratio, 0.5, 1.0 + room, "both in rounds"
    others = {name: one.used for name, one in honest.items() if "4 columns" not in name}
    name = min(others, key=lambda one: others[one])
    # Where nothing drifts, rounds spend a degree of freedom for each, and boots in any order need no rounds.
    high = 1.1 if world == QUIET else 1.0
    yield f"{world}: boots of {OURS[0]}, over the fewest that hold 5 %", found[OURS[0]].used / others[name], 0.5, high + room, name


def table(scale: float) -> Sequence[str]:
    """Lines to print."""
    lines = list[str]()
    for world, drift in WORLDS.items():
        lines += [f"To see 2 % with a power of .80 on {world}, boots of 1 %, results of .5 %:", HEAD]
        lines += [_line(name, one) for name, one in needs(scale, drift).items()]
        lines.append("")
    return lines


HEAD = f"{'':40}{'boots of each':>15}{'in all':>9}{'power':>9}{'in all, no change':>19}{'false positives':>17}"


def _line(name: str, one: Need) -> str:
    boots = f"{'at most ' if name in OURS else ''}{one.boots}"
    numbers = f"{boots:>15}{one.used:>9.1f}{one.power:>9.3f}{one.used_for_nothing:>19.1f}{one.false:>17.3f}"
    said = ("" if one.holds else "  does not hold 5 %") + ("" if one.reaches else f"  never reaches .80 with up to {MOST}")
    return f"{name:40}{numbers}{said}"
