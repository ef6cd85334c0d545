"""The t-test that may be looked at after every round: by values, as a Bayes factor, by properties, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from kdelta.stats.eprocess import G_PAIRED, G_POOLED, Array, confidence_sequence, critical_t, e_value, log_e_value

ALPHA = 0.05
TS = st.floats(-1e6, 1e6)
ROUNDS = st.integers(2, 500)
GS = st.sampled_from([1.0, 2.5, 5.0, 25.0])

# ---- values ----


@pytest.mark.parametrize(
    ("t", "n", "expected"), [(0.0, 3, 0.25), (4.303, 3, 4.1411), (10.0, 3, 10.8682), (5.0, 5, 16.1982), (4.0, 10, 19.5118)]
)
def test_the_evidence_of_paired_rounds(t: float, n: int, expected: float) -> None:
    assert float(e_value(t, n, n - 1, G_PAIRED)) == pytest.approx(expected, abs=6e-5)


@pytest.mark.parametrize(
    ("t", "n", "df", "g", "size"),
    [
        pytest.param(3.0, 6, 5, G_PAIRED, 6.0, id="paired: effects in deviations of one difference"),
        pytest.param(2.5, 4, 9, G_POOLED, 4.0, id="4 kernels in blocks: in sqrt(2) deviations of one boot"),
    ],
)
def test_it_is_the_bayes_factor_of_an_effect_drawn_from_a_normal_distribution(
    t: float, n: int, df: int, g: float, size: float
) -> None:
    """`size`: what the square of the effect, in the deviations of its prior, is multiplied with in the noncentrality of t."""

    def density(effect: float) -> float:
        return float(stats.nct.pdf(t, df, effect * math.sqrt(size)) * stats.norm.pdf(effect, scale=math.sqrt(g)))

    evidence, _ = integrate.quad(density, -6.0 * math.sqrt(g), 6.0 * math.sqrt(g), points=[t / math.sqrt(size)], limit=200)
    assert float(e_value(t, n, df, g)) == pytest.approx(evidence / stats.t.pdf(t, df), rel=1e-5)


def test_the_evidence_of_a_pooled_contrast_is_that_of_an_effect_in_deviations_of_a_boot_with_twice_the_variance() -> None:
    """t = effect / (sd sqrt(2/n)): an effect/sd drawn from N(0, 5) gives it the variance 2.5 n beside its own."""
    n, df, noise = 6, 15, np.random.default_rng(8)
    effect = noise.normal(0.0, math.sqrt(5.0), 200000)
    t = (effect / math.sqrt(2.0 / n) + noise.normal(size=effect.size)) / np.sqrt(noise.chisquare(df, effect.size) / df)
    assert float((1.0 / e_value(t, n, df, G_POOLED)).mean()) == pytest.approx(1.0, abs=0.05)


@given(TS, ROUNDS, GS)
def test_the_logarithm_is_that_of_the_value(t: float, n: int, g: float) -> None:
    log = float(log_e_value(t, n, n - 1, g))
    assert float(e_value(t, n, n - 1, g)) == pytest.approx(math.exp(min(log, 709.0)), rel=1e-9) or log > 709.0


@given(TS, st.floats(1.0, 10.0), ROUNDS, GS)
def test_it_grows_with_the_size_of_t_and_does_not_mind_its_sign(t: float, factor: float, n: int, g: float) -> None:
    assert log_e_value(factor * t, n, n - 1, g) >= log_e_value(t, n, n - 1, g) - 1e-9
    assert log_e_value(-t, n, n - 1, g) == log_e_value(t, n, n - 1, g)


@pytest.mark.parametrize("t", [1e150, 1e300, math.inf, -math.inf])
@pytest.mark.parametrize("n", [3, 2000])
def test_no_t_is_too_large(t: float, n: int) -> None:
    """The evidence of `n` rounds is bounded: (1 + n g)^(df / 2)."""
    assert float(log_e_value(t, n, n - 1, 5.0)) == pytest.approx(0.5 * (n - 1) * math.log1p(5.0 * n))
    assert math.isfinite(float(e_value(t, n, n - 1, 5.0)))


def test_without_degrees_of_freedom_there_is_no_evidence_and_of_no_t_it_is_unknown() -> None:
    assert e_value([7.0, math.nan], [1, 5], [0, 4], 5.0) == pytest.approx([1.0, math.nan], nan_ok=True)


def test_arguments_broadcast() -> None:
    assert e_value(np.zeros((2, 1)), np.arange(2, 5), np.arange(1, 4), 5.0).shape == (2, 3)


# ---- the confidence sequence ----


@pytest.mark.parametrize(("n", "ratio"), [(4, 2.16), (6, 1.85), (10, 1.78), (15, 1.76), (40, 1.76)])
def test_it_is_wider_than_an_interval_of_a_fixed_number_by_so_much(n: int, ratio: float) -> None:
    fixed = float(stats.t.ppf(1.0 - ALPHA / 2.0, n - 1))
    assert float(critical_t(n, n - 1, G_PAIRED, ALPHA)) / fixed == pytest.approx(ratio, abs=0.012)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_of_three_rounds_it_excludes_nothing(n: int) -> None:
    low, high = confidence_sequence(1.0, 0.01, n, n - 1, G_PAIRED, ALPHA)
    assert (float(low), float(high)) == (-math.inf, math.inf)


@given(ROUNDS, GS, st.sampled_from([0.2, 0.05, 0.001]))
def test_at_the_critical_t_the_evidence_is_just_enough(n: int, g: float, alpha: float) -> None:
    t = float(critical_t(n, n - 1, g, alpha))
    reached = float(log_e_value(t, n, n - 1, g))
    assert reached == pytest.approx(-math.log(alpha), abs=1e-6) if math.isfinite(t) else reached <= -math.log(alpha)


@given(st.floats(-50.0, 50.0), st.floats(0.01, 10.0), ROUNDS, GS)
def test_no_effect_lies_outside_if_and_only_if_the_evidence_against_it_is_enough(d: float, se: float, n: int, g: float) -> None:
    low, high = confidence_sequence(d, se, n, n - 1, g, ALPHA)
    excess = float(log_e_value(d / se, n, n - 1, g)) + math.log(ALPHA)
    assert abs(excess) < 1e-9 or bool((low > 0.0) | (high < 0.0)) == (excess > 0.0)


def test_it_takes_arrays_with_and_without_bounds() -> None:
    low, high = confidence_sequence([1.0, 1.0], [0.0, 0.0], [3, 10], [2, 9], G_PAIRED, ALPHA)
    assert (low.tolist(), high.tolist()) == ([-math.inf, 1.0], [math.inf, 1.0])


# ---- simulation ----


def t_of_rounds(differences: Array) -> Array:
    """t after 2, 3, ... rounds, of (runs, rounds)."""
    n = np.arange(1, differences.shape[1] + 1)
    mean = differences.cumsum(1) / n
    variance = ((differences**2).cumsum(1) - n * mean**2)[:, 1:] / (n[1:] - 1)
    found: Array = mean[:, 1:] / np.sqrt(variance / n[1:])
    return found


@pytest.mark.parametrize(("g", "seen"), [(1.0, 0.030), (5.0, 0.028), (25.0, 0.026)])
def test_where_nothing_changed_it_rarely_says_so_however_often_one_looks(g: float, seen: float) -> None:
    runs, n = 3000, np.arange(2, 301)
    t = t_of_rounds(np.random.default_rng(1976).normal(size=(runs, 300)))
    share = float((e_value(t, n, n - 1, g) >= 1.0 / ALPHA).any(1).mean())
    assert share <= ALPHA
    assert share == pytest.approx(seen, abs=4.0 * math.sqrt(seen / runs))


def test_of_four_kernels_in_blocks_it_rarely_says_so_either() -> None:
    runs, rounds, kernels = 2000, 100, 4
    values = np.random.default_rng(4).normal(size=(runs, rounds, kernels)) + np.linspace(0.0, 9.0, rounds)[:, None]
    centred = values - values.mean(2, keepdims=True)
    n = np.arange(1, rounds + 1)[:, None]
    means = centred.cumsum(1) / n
    squares = ((centred**2).cumsum(1) - n * means**2).sum(2)[:, 1:]
    df = (n[1:, 0] - 1) * (kernels - 1)
    t = (means[:, 1:, 1] - means[:, 1:, 0]) / np.sqrt(2.0 * squares / df / n[1:, 0])
    share = float((e_value(t, n[1:, 0], df, G_POOLED) >= 1.0 / ALPHA).any(1).mean())
    assert 0.008 < share <= ALPHA


@pytest.mark.parametrize(
    ("effect", "share", "rounds"), [(0.0, 0.018, 9.9), (1.0, 0.177, 9.5), (2.0, 0.725, 7.7), (3.0, 0.983, 5.8), (4.0, 1.0, 4.9)]
)
def test_within_ten_rounds_it_sees_effects_in_deviations_of_a_boot(effect: float, share: float, rounds: float) -> None:
    runs, n = 4000, np.arange(2, 11)
    t = t_of_rounds(np.random.default_rng(6).normal(effect, math.sqrt(2.0), (runs, 10)))
    seen = e_value(t, n, n - 1, G_PAIRED) >= 1.0 / ALPHA
    stopped = np.where(seen.any(1), seen.argmax(1) + 2, 10)
    assert float(seen.any(1).mean()) == pytest.approx(share, abs=4.0 * math.sqrt(share * (1.0 - share) / runs) + 0.004)
    assert float(stopped.mean()) == pytest.approx(rounds, abs=0.2)


def test_stopped_by_what_it_says_its_mean_is_at_most_one() -> None:
    runs, n = 20000, np.arange(2, 31)
    evidence = e_value(t_of_rounds(np.random.default_rng(9).normal(size=(runs, 30))), n, n - 1, G_PAIRED)
    stop = (evidence >= 5.0) | (n == 30)
    stopped = evidence[np.arange(runs), stop.argmax(1)]
    assert float(stopped.mean()) <= 1.0 + 4.0 * float(stopped.std()) / math.sqrt(runs)
