"""Tables of 60 contrasts, 12 of which changed: 20 cells of 4 columns, in 4 of which all three differ from the base.

Effects are in standard deviations of one boot. The share of wrong ones is that among what is called changed, 0 where nothing is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from tests.validation.noise import normal
from tests.validation.simulate import CAP, UNDECIDED, Array, Flags, Outcome, Row, looked, mean, outcome, share, size, terms

from kdelta.stats.blocks import fit
from kdelta.stats.eprocess import G_POOLED, e_value
from kdelta.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, e_bh, holm
from kdelta.stats.sequential import two_sided

CELLS, CHANGED, COLUMNS = 20, 4, 4
FIXED = 5
LEAST_TABLES = 40
MARGIN_IN_SD = 2.0


def rows(scale: float) -> Iterator[Row]:
    yield from fixed_rows(scale)
    yield from sequential_rows(scale)
    yield from leaving_rows(scale)


def tables(rng: np.random.Generator, count: int, effect: float, rounds: int) -> Array:
    values = normal(rng, (count, CELLS, rounds, COLUMNS))
    values[:, :CHANGED, :, 1:] += effect
    return values


@dataclass(frozen=True)
class Errors:
    """Of each table."""

    wrong: Array
    """Share of the wrong ones."""
    found: Array
    """Share of the changed ones that are called so."""

    @property
    def any(self) -> Flags:
        return self.wrong > 0.0


def errors(called: Flags, changed: int = CHANGED) -> Errors:
    """Of what is `called` changed, (tables, cells, columns - 1), where the first `changed` cells are."""
    wrong = called[:, changed:].sum((1, 2)) / np.maximum(called.sum((1, 2)), 1)
    return Errors(wrong, called[:, :changed].mean((1, 2)) if changed else np.zeros(len(called)))


# (effect, how p is adjusted, whose noise) -> any wrong one, share of wrong ones, share found; None where nobody said.
SEEN: dict[tuple[float, str, str], tuple[float | None, float | None, float | None]] = {
    (3.0, "nothing", "own"): (0.898, 0.165, 0.937),
    (3.0, "Holm", "own"): (0.042, 0.025, 0.123),
    (3.0, "Benjamini-Hochberg", "own"): (0.224, 0.040, 0.427),
    (3.0, "Holm", "pooled"): (0.038, 0.005, 0.648),
    (3.0, "Benjamini-Hochberg", "pooled"): (0.352, 0.041, 0.928),
    (2.0, "Benjamini-Hochberg", "pooled"): (0.192, 0.038, 0.432),
    (4.0, "Benjamini-Hochberg", "own"): (None, 0.039, 0.816),
    (4.0, "Benjamini-Hochberg", "pooled"): (None, 0.040, 0.997),
    (3.0, "Benjamini-Yekutieli", "pooled"): (0.075, 0.009, 0.720),
}
REACH = {"any wrong one": 0.05, "share of wrong ones": 0.012, "found": 0.03}
ADJUST: dict[str, Callable[[Array], Array]] = {
    "nothing": lambda p: p,
    "Holm": holm,
    "Benjamini-Hochberg": benjamini_hochberg,
    "Benjamini-Yekutieli": benjamini_yekutieli,
}


def fixed_rows(scale: float) -> Iterator[Row]:
    """Five rounds that were fixed before: with the noise pooled whatever happens, of each contrast alone, and as it is chosen."""
    rng = np.random.default_rng(49)
    for effect in (2.0, 3.0, 4.0):
        p = p_fixed(tables(rng, size(1500, scale, LEAST_TABLES), effect, FIXED))
        for (of, method, noise), seen in SEEN.items():
            if of == effect:
                name = f"60 contrasts, 5 rounds, {effect:g} sd, {method}, {noise} noise"
                yield from _seen(name, errors(_called(p[noise], ADJUST[method])), seen, scale)
        chosen = errors(_called(p["chosen"], benjamini_hochberg))
        name = f"60 contrasts, 5 rounds, {effect:g} sd, Benjamini-Hochberg, noise pooled or own"
        yield mean(f"{name}: share of wrong ones", chosen.wrong, 0.0, 0.05, scale)
        if effect == 3.0:
            strict = errors(_called(p["chosen"], holm))
            yield share("60 contrasts, 5 rounds, 3 sd, Holm, noise pooled or own: any wrong one", strict.any, 0.0, 0.06, scale)


def p_fixed(values: Array) -> dict[str, Array]:
    """After the last round, (tables, cells, columns - 1), by whose noise."""
    flat = values.reshape(-1, *values.shape[2:])
    fits, chosen = fit(flat), looked(flat)
    pooled = two_sided(fits.effect, np.sqrt(fits.variance[..., None] * fits.factor), fits.df[..., None])
    own = two_sided(fits.paired, np.sqrt(2.0 * fits.own / fits.pairs), fits.pairs - 1.0)
    found = {"pooled": pooled, "own": own, "chosen": two_sided(chosen.estimate, chosen.se, chosen.df)}
    return {name: p[:, -1, 1:].reshape(*values.shape[:2], -1) for name, p in found.items()}


def _called(p: Array, adjust: Callable[[Array], Array]) -> Flags:
    return np.stack([adjust(each.ravel()).reshape(each.shape) for each in p]) <= 0.05


def _seen(name: str, found: Errors, seen: tuple[float | None, float | None, float | None], scale: float) -> Iterator[Row]:
    for (said, reach), values, was in zip(REACH.items(), (found.any, found.wrong, found.found), seen, strict=True):
        if was is not None:
            yield mean(f"{name}: {said}", values, max(0.0, was - reach), min(1.0, was + reach), scale, f"was {was:g}")


def sequential_rows(scale: float) -> Iterator[Row]:
    """Columns leave when they are changed; nothing is equivalent, so that the others run to the cap."""
    rng = np.random.default_rng(50)
    for effect, power, rounds in ((0.0, None, 10.0), (2.0, None, 9.6), (3.0, 0.99, 9.1), (4.0, 0.999, 8.8)):
        # Where nothing changed, one wrong contrast makes the whole table wrong: its share varies most.
        values = tables(rng, size(600 if effect else 4000, scale, LEAST_TABLES), effect, CAP)
        found, name = outcome(values, terms()), f"60 contrasts, looking after every round, {effect:g} sd"
        yield from _promises(name, found, CHANGED if effect else 0, effect, scale)
        if power is not None:
            yield mean(f"{name}: found", errors(found.changed).found, power, 1.0, scale)
        yield mean(f"{name}: rounds", found.rounds.mean((1, 2)), rounds - 0.7, 10.0, scale, f"was {rounds:g}")
        if effect:
            yield from _e_rows(values, effect, scale)
        else:
            yield share(f"{name}, each by itself: any wrong one", _alone(values).any((1, 2)), 0.7, 0.95, scale, "why none is")


def _alone(values: Array) -> Flags:
    """What is called changed at any look, whatever else is asked for."""
    found = looked(values.reshape(-1, *values.shape[2:]))
    p = two_sided(found.estimate, found.se, found.df)[:, 2:, 1:].min(1)
    return np.asarray(p <= terms().looks.level(0.05)).reshape(*values.shape[:2], -1)


def _promises(name: str, found: Outcome, changed: int, effect: float, scale: float) -> Iterator[Row]:
    true = np.zeros(found.answer.shape)
    true[:, :changed] = effect
    wrong = errors(found.changed, changed)
    covered = found.covers(true)
    if not changed:
        yield share(f"{name}: any wrong one", wrong.any, 0.0, 0.055, scale)
    yield mean(f"{name}: share of wrong ones", wrong.wrong, 0.0, 0.05, scale)
    yield mean(f"{name}: intervals that hold what is true", covered.mean((1, 2)), 0.94, 1.0, scale)
    missed: Array = (found.changed & ~covered).sum((1, 2)) / np.maximum(found.changed.sum((1, 2)), 1)
    yield mean(f"{name}: intervals of changes that miss it", missed, 0.0, 0.05, scale)


def _e_rows(values: Array, effect: float, scale: float) -> Iterator[Row]:
    """All rounds of all columns, with the noise pooled, and e-values of their best moment in the end."""
    fits = fit(values.reshape(-1, *values.shape[2:]))
    with np.errstate(invalid="ignore"):
        t = fits.effect[..., 1:] / np.sqrt(fits.variance[..., None] * fits.factor[..., 1:])
    e = e_value(t, np.arange(1, CAP + 1)[:, None], fits.df[..., None], G_POOLED)[:, 2:].max(1).reshape(*values.shape[:2], -1)
    called = np.stack([e_bh(each.ravel(), 0.05).reshape(each.shape) for each in e])
    judged, name = errors(called), f"60 contrasts, e-values at every look, {effect:g} sd"
    yield mean(f"{name}: share of wrong ones", judged.wrong, 0.0, 0.05, scale)
    yield mean(f"{name}: found", judged.found, {2.0: 0.35, 3.0: 0.9, 4.0: 0.98}[effect], 1.0, scale)


def leaving_rows(scale: float) -> Iterator[Row]:
    """Columns leave as changed or as equivalent: boots vary by half the margin."""
    rng = np.random.default_rng(51)
    for effect in (0.0, 3.0, 4.0):
        found = outcome(tables(rng, size(600, scale, LEAST_TABLES), effect, CAP), terms(MARGIN_IN_SD))
        name = f"60 contrasts, equivalent ones leave, {effect:g} sd"
        yield from _promises(name, found, CHANGED if effect else 0, effect, scale)
        same = found.answer[:, CHANGED if effect else 0 :]
        yield mean(f"{name}: unchanged ones left undecided", (same == UNDECIDED).mean((1, 2)), 0.0, 0.35, scale)
        yield mean(f"{name}: rounds", found.rounds.mean((1, 2)), 3.0, 9.5, scale)
