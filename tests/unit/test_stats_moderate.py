"""Variances that others help to estimate: by examples, by properties, and by what tests with them see."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from kdelta.stats.moderate import FEW, Prior, Variance, moderated, pooled_variance, prior

SOME = st.lists(st.tuples(st.floats(1e-6, 1e6), st.integers(1, 30).map(float)), min_size=2, max_size=20)
PRIORS = st.builds(Prior, st.floats(1e-6, 1e6), st.floats(0.1, 100.0), st.floats(1.0, 1000.0))


def drawn(count: int, prior_df: float, df: float, variance: float = 1.0, seed: int = 2004) -> list[float]:
    """Estimates with `df` degrees of freedom of true variances that scatter about `variance`."""
    noise = np.random.default_rng(seed)
    true = variance * (prior_df / noise.chisquare(prior_df, count) if math.isfinite(prior_df) else np.ones(count))
    estimates: list[float] = (true * noise.chisquare(df, count) / df).tolist()
    return estimates


# ---- pooling ----


def test_variances_are_pooled_by_their_degrees_of_freedom() -> None:
    assert pooled_variance([1.0, 4.0], [2.0, 1.0]) == Variance(2.0, 3.0)


@pytest.mark.parametrize(
    ("variances", "dfs"),
    [([], []), ([3.0], [0.0]), ([math.nan], [2.0]), ([math.inf, 1.0], [2.0, 0.0])],
    ids=["none", "no degrees of freedom", "unknown", "infinite"],
)
def test_nothing_pooled_is_nothing_known(variances: list[float], dfs: list[float]) -> None:
    found = pooled_variance(variances, dfs)
    assert (math.isnan(found.value), found.df) == (True, 0.0)


@given(SOME)
def test_a_pooled_variance_lies_among_those_it_is_made_of(some: list[tuple[float, float]]) -> None:
    variances, dfs = zip(*some, strict=True)
    found = pooled_variance(variances, dfs)
    assert min(variances) * (1.0 - 1e-9) <= found.value <= max(variances) * (1.0 + 1e-9)
    assert found.df == sum(dfs)


def false_alarms(kernels: int, runs: int = 8000, noisy: float = 1.0) -> tuple[float, float]:
    """Of three boots each, at .05: of kernel 1 and of the last one against kernel 0; the last has `noisy` times the deviation."""
    values = np.random.default_rng(9).normal(size=(runs, kernels, 3))
    values[:, -1] *= noisy
    shared = [pooled_variance(each.tolist(), [2.0] * kernels) for each in values.var(2, ddof=1)]
    error = np.sqrt([2.0 * one.value / 3.0 for one in shared])
    means, critical = values.mean(2), special.stdtrit(shared[0].df, 0.975)
    first, last = (float((np.abs(means[:, place] - means[:, 0]) > critical * error).mean()) for place in (1, -1))
    return first, last


@pytest.mark.parametrize("kernels", [2, 5])
def test_pooled_over_kernels_the_error_is_what_it_should_be(kernels: int) -> None:
    assert false_alarms(kernels)[0] == pytest.approx(0.05, abs=0.01)


def test_one_noisy_kernel_spoils_its_own_comparison_and_hides_what_the_quiet_ones_show() -> None:
    quiet, noisy = false_alarms(5, noisy=3.0)
    assert quiet == pytest.approx(0.012, abs=0.006)
    assert noisy == pytest.approx(0.169, abs=0.02)


# ---- the prior ----


@pytest.mark.parametrize(("prior_df", "df"), [(4.0, 4.0), (10.0, 2.0), (10.0, 20.0), (30.0, 9.0)])
def test_a_long_history_shows_how_true_variances_scatter(prior_df: float, df: float) -> None:
    found = prior(drawn(20000, prior_df, df, variance=2.5), [df] * 20000)
    assert found.df == pytest.approx(prior_df, rel=0.15)
    assert found.variance == pytest.approx(2.5, rel=0.03)
    assert found.doubts == ()


def test_the_moments_of_the_logarithms_are_matched() -> None:
    """Their mean and variance are those of the distribution that was found: log(s^2) of scaled F."""
    variances, dfs = [0.2, 1.0, 9.0, 0.5, 3.0, 20.0, 0.1], [4.0] * 7
    found, logs = prior(variances, dfs), np.log(variances)
    half = found.df / 2.0
    assert float(logs.var(ddof=1)) == pytest.approx(float(special.polygamma(1, 2.0) + special.polygamma(1, half)))
    centre = math.log(found.variance) + math.log(half) - special.digamma(half) + special.digamma(2.0) - math.log(2.0)
    assert float(logs.mean()) == pytest.approx(float(centre))


@pytest.mark.parametrize("excess", [1e-9, 1e-6, 1e-3, 1.0, 40.0])
def test_any_scatter_has_its_degrees_of_freedom(excess: float) -> None:
    """Two variances whose logarithms vary by just that more than chance."""
    df = 4.0
    away = math.sqrt((excess + float(special.polygamma(1, df / 2.0))) / 2.0)
    found = prior([math.exp(-away), math.exp(away)], [df, df])
    assert float(special.polygamma(1, found.df / 2.0)) == pytest.approx(excess, rel=1e-6)


def test_variances_that_differ_by_chance_alone_are_taken_for_one() -> None:
    found = prior([1.0, 1.1, 0.9, 1.0, 1.2], [4.0] * 5)
    assert found.df == math.inf
    assert found.variance == pytest.approx(1.04)


@pytest.mark.parametrize(
    ("variances", "said"),
    [
        ([], "0 earlier variances: too little to know what is usual"),
        ([2.0], "1 earlier variance: too little to know what is usual"),
        ([0.0, 0.0, 0.0], "3 earlier variances: too little to know what is usual"),
        ([1.0, 2.0, 3.0], "3 earlier variances: 5 or more say how far they lie apart"),
    ],
)
def test_a_thin_history_is_said(variances: list[float], said: str) -> None:
    assert prior(variances, [4.0] * len(variances)).doubts == (said,)


@pytest.mark.parametrize("variances", [[], [2.0], [0.0, 0.0, 0.0]])
def test_a_history_that_says_nothing_changes_nothing(variances: list[float]) -> None:
    assert moderated(3.0, 4.0, prior(variances, [4.0] * len(variances))) == Variance(3.0, 4.0)


def test_one_variance_of_zero_does_not_undo_the_others() -> None:
    found = prior([1.0, 1.5, 0.7, 1.2, 0.0], [4.0] * FEW)
    assert 0.0 < found.df < math.inf
    assert 0.0 < found.variance < 2.0


@given(SOME, st.sampled_from([1e-6, 100.0]))
def test_the_prior_scales_with_the_square_of_the_unit(some: list[tuple[float, float]], unit: float) -> None:
    variances, dfs = zip(*some, strict=True)
    here, there = prior(variances, dfs), prior([unit * value for value in variances], dfs)
    if here.df < 1e4:
        assert there.df == pytest.approx(here.df, rel=1e-3)
        assert there.variance == pytest.approx(unit * here.variance, rel=1e-3)


# ---- moderation ----


def test_a_variance_is_drawn_towards_the_prior_by_degrees_of_freedom() -> None:
    assert moderated(4.0, 2.0, Prior(1.0, 4.0, 100.0)) == Variance(2.0, 6.0)


def test_a_prior_counts_for_no_more_than_its_history() -> None:
    assert moderated(4.0, 2.0, Prior(1.0, math.inf, 4.0)) == Variance(2.0, 6.0)


def test_without_degrees_of_freedom_of_its_own_the_prior_is_taken() -> None:
    assert moderated(math.nan, 0.0, Prior(1.5, 6.0, 100.0)) == Variance(1.5, 6.0)


@given(st.floats(0.0, 1e6), st.integers(1, 30).map(float), PRIORS)
def test_a_moderated_variance_lies_between_its_own_and_the_prior(variance: float, df: float, known: Prior) -> None:
    found = moderated(variance, df, known)
    assert min(variance, known.variance) * (1 - 1e-9) <= found.value <= max(variance, known.variance) * (1 + 1e-9)
    assert df < found.df <= df + known.history_df


def seen(effect: float, prior_df: float, runs: int = 6000) -> float:
    """How often a t-test at .05 of two kernels of three boots each, with a known prior, sees `effect`."""
    noise = np.random.default_rng(10)
    sd = np.sqrt(prior_df / noise.chisquare(prior_df, (runs, 1, 1)))
    values = sd * noise.normal(size=(runs, 2, 3))
    own = values.var(2, ddof=1).mean(1)
    found = [moderated(float(one), 4.0, Prior(1.0, prior_df, 1e9)) for one in own]
    t = (values[:, 1].mean(1) - values[:, 0].mean(1) + effect) / np.sqrt([2.0 * one.value / 3.0 for one in found])
    return float((2.0 * special.stdtr(4.0 + prior_df, -np.abs(t)) < 0.05).mean())


@pytest.mark.parametrize(
    ("prior_df", "effect", "expected"),
    [
        (4, 0, 0.05),
        (10, 0, 0.05),
        (30, 0, 0.05),
        (4, 2, 0.53),
        (10, 2, 0.61),
        (30, 2, 0.66),
        (4, 3, 0.81),
        (10, 3, 0.91),
        (30, 3, 0.95),
    ],
)
def test_the_history_lets_three_boots_see_more_and_err_no_more_often(prior_df: int, effect: float, expected: float) -> None:
    assert seen(effect, prior_df) == pytest.approx(expected, abs=4.0 * math.sqrt(expected * (1.0 - expected) / 6000) + 0.005)


def errs(history: int, prior_df: float, runs: int = 1500) -> tuple[float, float]:
    """How often the same test errs with a prior from `history` variances of 4 degrees of freedom: as it is, and without the limit
    on what the prior counts for."""
    noise = np.random.default_rng(11)
    alarms = [0, 0]
    for _ in range(runs):
        true = prior_df / noise.chisquare(prior_df, history + 1)
        known = prior((true[:-1] * noise.chisquare(4, history) / 4.0).tolist(), [4.0] * history)
        values = math.sqrt(float(true[-1])) * noise.normal(size=(2, 3))
        own, difference = float(values.var(1, ddof=1).mean()), abs(float(values[1].mean() - values[0].mean()))
        free = Prior(known.variance, min(known.df, 1e6), math.inf)
        for place, one in enumerate((moderated(own, 4.0, known), moderated(own, 4.0, free))):
            alarms[place] += bool(2.0 * special.stdtr(one.df, -difference / math.sqrt(2.0 * one.value / 3.0)) < 0.05)
    return alarms[0] / runs, alarms[1] / runs


@pytest.mark.parametrize(("history", "limited", "free"), [(2, 0.06, 0.10), (5, 0.06, 0.075)])
def test_a_prior_from_few_earlier_variances_errs_little_more_often_than_it_should(
    history: int, limited: float, free: float
) -> None:
    found = errs(history, 4.0)
    assert found[0] == pytest.approx(limited, abs=0.02)
    assert found[1] == pytest.approx(free, abs=0.025)
