"""Which functions take more of a profile than before: two sets of counts of ticks, tested function by function.

Counts of one profile have the shape (F,), those of R profiles (R, F): one place per function, the same on both sides, 0 where
a function was not met. An exposure is how much work a profile stands for, in any unit: operations, runs, or what
`median_ratio` says. Divided by the total of its ticks instead, a profile in which one function of 30 % doubled shows one in ten
of those that did not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrc, betaincinv, gammaincinv, ndtri, stdtr, stdtrit

from kdelta.stats.mover import Estimate, difference
from kdelta.stats.multiplicity import benjamini_hochberg

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

LEAST = 10
"""Ticks of a function in an old and a new profile together: rarer ones are not tested."""

LEAST_FUNCTIONS = 5
"""With enough ticks, for a median of their ratios."""

PRIOR_DF = 10.0
"""What all functions' common extra variation counts for in the dispersion of one."""

ERRORS = 2.0
"""Of the ratio of exposures, in standard errors: how far off it may be taken to be."""

POISSON = "optimistic: assumes Poisson ticks, and boots differ by more; profile each kernel in 3 boots or more"
EXPOSURES = "the exposures are not all known: nothing can be compared"

# The weights of the extra variation depend on it. Three times would do.
ROUNDS = 10


@dataclass(frozen=True)
class Rates:
    """Per function, all of the shape (F,): `ratio` is the new rate / the old one per exposure, with its interval `low`..`high`.

    NaN where both counts are 0; 0 or infinite where one is. `least`..`most` is the interval of the new rate - the old one: it holds
    0 where the other holds 1. `p`, two-sided, and `adjusted` for all functions tested (Benjamini-Hochberg) are NaN where there
    are too few ticks. `dispersion` is the variance of a count / its mean.
    """

    ratio: Array
    low: Array
    high: Array
    least: Array
    most: Array
    p: Array
    adjusted: Array
    dispersion: Array
    extra_cv: float
    """Coefficient of variation between profiles beyond Poisson, that of all functions; NaN where it was not estimated."""
    doubts: tuple[str, ...]


@dataclass(frozen=True)
class Scale:
    """`ratio` is the new profile's exposure / the old one's, from so many `functions`; NaN where these are too few.

    `error` is the standard error of its logarithm.
    """

    ratio: float
    functions: int
    doubts: tuple[str, ...]
    error: float = np.nan


def median_ratio(old: Counts, new: Counts, least: int = 20) -> Scale:
    """How much more work `new` stands for than `old`: the median ratio over functions with `least` ticks in both.

    Right as long as fewer than half of these functions changed. With several profiles, the exposure of each is its ratio to
    their sum. Source: Anders and Huber, Genome Biology 11 (2010). The error is that of the median of normal values that spread as
    the middle half of these ratios does.
    """
    both = (old >= least) & (new >= least)
    functions = int(np.count_nonzero(both))
    if functions < LEAST_FUNCTIONS:
        doubt = f"{functions} functions have {least} ticks on both sides, and {LEAST_FUNCTIONS} are needed: profile for longer"
        return Scale(np.nan, functions, (f"{doubt}, or count the work that was done",))
    first, middle, third = np.quantile(np.log(new[both] / old[both]), [0.25, 0.5, 0.75])
    error = (third - first) / (2.0 * ndtri(0.75)) * np.sqrt(np.pi / 2.0 / functions)
    return Scale(float(np.exp(middle)), functions, (), float(error))


def binomial(
    old: Counts, new: Counts, exposure_old: float = 1.0, exposure_new: float = 1.0, *, error: float = 0.0, level: float = 0.95
) -> Rates:
    """One profile a side: given their sum, the new ticks are binomial where nothing changed.

    Exact: p is twice the lesser tail, the interval Clopper and Pearson's (Biometrika 26, 1934), and Garwood's of the rates that
    are subtracted (Biometrika 28, 1936). Ticks are taken to be Poisson, and between boots they hardly ever are: where a function
    varies by 5, 10 or 20 % more, 59, 99.5 and 100 % of profiles of 30000 ticks show a change that is none.

    `error` is that of the logarithm of the ratio of the exposures: of those within 2 of it, each function has what speaks least
    for a change. Without it the hottest function, whose own error is the smaller, is shown in up to 3 of 10 profiles.
    """
    total = old + new
    # Exposures that are 0 or not known say nothing: NaN goes through to all that is returned.
    scale = exposure_new / exposure_old if exposure_old > 0.0 and exposure_new > 0.0 else np.nan
    reach = np.exp(ERRORS * error)
    likeliest = np.clip(_divided(new, old), scale / reach, scale * reach)
    share = _divided(likeliest, 1.0 + likeliest)
    tails = np.minimum(bdtr(new, total, share), bdtrc(new - 1, total, share))
    p = np.where(total >= LEAST, np.minimum(2.0 * tails, 1.0), np.nan)
    low, high = (_divided(end, 1.0 - end) / scale for end in _shares(new, total, 1.0 - level))
    low, high = low / reach, high * reach
    sides = _garwood(old, exposure_old, level), _garwood(new, exposure_old * scale, level)
    least, most = _subtracted(sides[0], replace(sides[1], low=sides[1].low / reach, high=sides[1].high * reach), low, high)
    doubts = (POISSON,) if np.isfinite(scale) else (POISSON, EXPOSURES)
    ratio = _divided(new, old) / scale
    return Rates(ratio, low, high, least, most, p, benjamini_hochberg(p), np.ones(len(total)), np.nan, doubts)


def quasi_poisson(old: Counts, new: Counts, exposures: Sequence[float] | Array, *, level: float = 0.95) -> Rates:
    """Two or more profiles a side, of shapes (R_old, F) and (R_new, F); `exposures` of those of `old`, then of `new`.

    The variance of a count is its dispersion times its mean (Wedderburn, Biometrika 61, 1974). A function's own dispersion, of few
    profiles, is averaged with what the extra variation common to all functions predicts for it, at the weight of 10 degrees
    of freedom, or of those that the other functions have (Smyth, Statistical Applications in Genetics and Molecular Biology 3,
    2004); and it is never below 1. t test of the log ratio; where one side has no ticks, of the root of the deviance.

    Unchanged functions that vary by 10 % are shown in 3 to 4 % at p <= .05; of those with 25 % more and 200 ticks, 63 % are found
    in 3 profiles a side, 86 % in 5. A single function with nearly all ticks is shown in 9 %.
    """
    exposure = np.asarray(exposures, dtype=np.float64)
    exposure = np.where(exposure > 0.0, exposure, np.nan)
    sides = _side(old, exposure[: len(old)]), _side(new, exposure[len(old) :])
    fit = _moderated(*sides)
    reach = np.asarray(stdtrit(fit.df, (1.0 + level) / 2.0), dtype=np.float64)
    t, low, high = _compared(*sides, fit.dispersion, reach)
    p = np.where(_tested(*sides), 2.0 * stdtr(fit.df, -t), np.nan)
    ratio = _divided(sides[1].rate, sides[0].rate)
    rates = [_rate(side, fit.dispersion, reach) for side in sides]
    least, most = _subtracted(rates[0], rates[1], low, high)
    return Rates(ratio, low, high, least, most, p, benjamini_hochberg(p), fit.dispersion, fit.extra_cv, tuple(_doubts(*sides, fit)))


@dataclass(frozen=True)
class _Side:
    """`ticks`, `rate` per exposure and Pearson's sum of `squares` have the shape (F,)."""

    profiles: int
    exposure: np.float64
    ticks: Counts
    rate: Array
    squares: Array


@dataclass(frozen=True)
class _Dispersion:
    """Per function, with its degrees of freedom; `functions` is how many `extra_cv` was estimated from, `prior_df` its weight."""

    dispersion: Array
    df: Array
    extra_cv: float
    functions: int
    prior_df: float


def _side(counts: Counts, exposure: Array) -> _Side:
    ticks, work = counts.sum(axis=0), np.sum(exposure)
    rate = _divided(ticks, work)
    expected = exposure[:, np.newaxis] * rate
    squares = _divided((counts - expected) ** 2, expected).sum(axis=0)
    return _Side(len(counts), work, ticks, rate, np.where(ticks > 0, squares, 0.0))


def _tested(old: _Side, new: _Side) -> NDArray[np.bool_]:
    tested: NDArray[np.bool_] = 2 * (old.ticks + new.ticks) >= LEAST * (old.profiles + new.profiles)
    return tested


def _moderated(old: _Side, new: _Side) -> _Dispersion:
    profiles, both = old.profiles + new.profiles, (old.ticks > 0) & (new.ticks > 0) & _tested(old, new)
    functions = int(np.count_nonzero(both))
    if min(old.profiles, new.profiles) < 2:
        unknown = np.full(len(both), np.nan)
        return _Dispersion(unknown, unknown, np.nan, functions, 0.0)
    mean, squares = (old.ticks + new.ticks) / profiles, old.squares + new.squares
    extra = _extra_variance(squares[both] / (profiles - 2), mean[both])
    # What a function predicts for itself is no second opinion.
    prior_df = min(PRIOR_DF, (profiles - 2.0) * max(functions - 1, 0))
    # A side without ticks has nothing to vary.
    df = prior_df + (old.profiles - 1) * (old.ticks > 0) + (new.profiles - 1) * (new.ticks > 0)
    dispersion = np.maximum(_divided(prior_df * (1.0 + extra * mean) + squares, df), 1.0)
    return _Dispersion(dispersion, df, float(np.sqrt(extra)) if functions else np.nan, functions, prior_df)


def _extra_variance(dispersion: Array, mean: Array) -> float:
    """The squared coefficient of variation c in dispersion = 1 + c mean, by moments, each function weighed by what it knows of c.

    Without the weights the one function with most ticks would decide for all.
    """
    extra = 0.0
    for _ in range(ROUNDS if len(mean) else 0):
        weight = mean / (1.0 + extra * mean) ** 2
        extra = max(0.0, float((weight * (dispersion - 1.0)).sum() / (weight * mean).sum()))
    return extra


def _compared(old: _Side, new: _Side, dispersion: Array, reach: Array) -> Array:
    """|t| of the log ratio, and the interval of the ratio that ends where it is `reach`: shape (3, F)."""
    cases = [(old.ticks > 0) & (new.ticks > 0), old.ticks > 0, new.ticks > 0]
    # Each form is worked out for all functions and taken where it holds.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        log, error = np.log(new.rate / old.rate), np.sqrt(dispersion * (1.0 / old.ticks + 1.0 / new.ticks))
        wald = np.stack([np.abs(log) / error, np.exp(log - reach * error), np.exp(log + reach * error)])
        t, most = _one_sided(old, new, dispersion, reach)
        gone = np.stack([t, 0.0 * t, most])
        t, most = _one_sided(new, old, dispersion, reach)
        come = np.stack([t, 1.0 / most, np.inf * t])
    return np.select(cases, [wald, gone, come], np.nan)


def _one_sided(some: _Side, none: _Side, dispersion: Array, reach: Array) -> tuple[Array, Array]:
    """Where `none` has no ticks: the root of the deviance, and the greatest ratio none / some for which it is `reach`."""
    t = np.sqrt(2.0 * some.ticks * np.log1p(none.exposure / some.exposure) / dispersion)
    return t, some.exposure / none.exposure * np.expm1(reach**2 * dispersion / (2.0 * some.ticks))


def _shares(part: Counts, total: Counts, alpha: float) -> tuple[Array, Array]:
    """The interval of Clopper and Pearson for the share of `part`; NaN where `total` is 0."""
    # The lowest end of none is 0, the highest of all is 1: there the function itself has no value.
    low = np.where(part > 0, betaincinv(np.maximum(part, 1), total - part + 1, alpha / 2.0), 0.0)
    high = np.where(part < total, betaincinv(part + 1, np.maximum(total - part, 1), 1.0 - alpha / 2.0), 1.0)
    return np.where(total > 0, low, np.nan), np.where(total > 0, high, np.nan)


def _garwood(counts: Counts, exposure: float, level: float) -> Estimate:
    """Rates of Poisson counts."""
    alpha = 1.0 - level
    low = np.where(counts > 0, gammaincinv(np.maximum(counts, 1), alpha / 2.0), 0.0)
    ends = (counts, low, gammaincinv(counts + 1, 1.0 - alpha / 2.0))
    return Estimate(*(_divided(end, exposure) for end in ends))


def _rate(side: _Side, dispersion: Array, reach: Array) -> Estimate:
    """With the interval of its logarithm, or where there are no ticks the greatest rate of which the deviance's root is `reach`."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        error = np.exp(reach * np.sqrt(dispersion / side.ticks))
        none = reach**2 * dispersion / (2.0 * side.exposure)
        return Estimate(
            side.rate, np.where(side.ticks > 0, side.rate / error, 0.0), np.where(side.ticks > 0, side.rate * error, none)
        )


def _subtracted(old: Estimate, new: Estimate, low: Array, high: Array) -> tuple[Array, Array]:
    """The interval of the difference of two rates, on that side of 0 on which that of their ratio, `low`..`high`, lies of 1.

    By themselves the two disagree by a few percent of their width.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        least, most = difference(old, new)
    least = np.where(low > 1.0, np.maximum(least, 0.0), np.minimum(least, 0.0))
    most = np.where(high < 1.0, np.minimum(most, 0.0), np.maximum(most, 0.0))
    return np.where(np.isnan(low), np.nan, least), np.where(np.isnan(low), np.nan, most)


def _divided(part: ArrayLike, whole: ArrayLike) -> Array:
    """0 / 0 is NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.divide(part, whole), dtype=np.float64)


def _doubts(old: _Side, new: _Side, fit: _Dispersion) -> Iterator[str]:
    if min(old.profiles, new.profiles) < 2:
        yield f"{old.profiles} old and {new.profiles} new profiles: 2 of each are needed, and 3 or more say much more"
    elif fit.prior_df < PRIOR_DF:
        yield f"{fit.functions} functions have enough ticks to say how much profiles vary: only great changes can be shown"
    if not np.isfinite(old.exposure + new.exposure):
        yield EXPOSURES
