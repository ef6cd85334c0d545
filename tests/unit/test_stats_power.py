"""What a number of rounds or boots can show: against R, the exact noncentral t, tables and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from kdelta.stats.power import (
    Array,
    detectable,
    equivalence_needed,
    equivalence_power,
    needed,
    power,
    sequential_needed,
)

EFFECTS = st.floats(0.001, 20.0)
COUNTS = st.integers(2, 200)
PAIRED = st.booleans()


def df_of(n: int, paired: bool) -> int:
    return n - 1 if paired else 2 * n - 2


# ---- power ----


def test_it_is_what_r_prints_in_the_example_of_its_manual() -> None:
    assert float(power(1.0, 1.0, 20, paired=False)) == pytest.approx(0.8689530, abs=1e-6)


@given(EFFECTS, COUNTS, PAIRED, st.sampled_from([0.1, 0.05, 0.012, 0.001]))
def test_it_is_that_of_the_noncentral_t_wherever_the_library_knows_it(effect: float, n: int, paired: bool, level: float) -> None:
    df, distance = df_of(n, paired), effect / math.sqrt(2.0 / n)
    critical = special.stdtrit(df, 1.0 - level / 2.0)
    above, below = 1.0 - special.nctdtr(df, distance, critical), special.nctdtr(df, distance, -critical)
    if math.isfinite(above + below):
        assert float(power(effect, 1.0, n, paired=paired, level=level)) == pytest.approx(above + below, abs=1e-8)


@pytest.mark.parametrize("effect", [8.0, 12.5, 21.0, 40.0])
def test_it_is_known_where_the_noncentral_t_of_the_library_may_be_nan(effect: float) -> None:
    """With one degree of freedom the estimated deviation is |z|, of a standard normal z."""
    critical = 12.706204736
    exact, _ = integrate.quad(
        lambda z: 2.0 * stats.norm.pdf(z) * special.ndtr(effect - critical * z), 0.0, 9.0, points=[effect / critical]
    )
    assert float(power(effect, 1.0, 2, paired=True)) == pytest.approx(exact, abs=1e-8)


def test_a_large_distance_is_not_taken_for_certainty() -> None:
    """21 standard errors away, with one degree of freedom, a tenth of all cases is not seen."""
    assert float(power(21.0, 1.0, 2, paired=True)) == pytest.approx(0.90, abs=0.005)


@pytest.mark.parametrize("n", [3, 10, 1000])
def test_far_away_everything_is_seen(n: int) -> None:
    assert power(np.array([50.0, 1e3, 1e300]), 1.0, n, paired=True) == pytest.approx(1.0)


@given(COUNTS, PAIRED)
def test_no_effect_is_seen_as_often_as_the_level_says(n: int, paired: bool) -> None:
    assert float(power(0.0, 1.0, n, paired=paired, level=0.012)) == pytest.approx(0.012, abs=1e-9)


@given(EFFECTS, COUNTS, PAIRED)
def test_it_grows_with_the_effect_and_the_number(effect: float, n: int, paired: bool) -> None:
    here = float(power(effect, 1.0, n, paired=paired))
    assert float(power(1.1 * effect, 1.0, n, paired=paired)) >= here - 1e-12
    assert float(power(effect, 1.0, n + 1, paired=paired)) >= here - 1e-12


@given(EFFECTS, st.floats(1e-4, 1e4), COUNTS)
def test_neither_unit_nor_direction_matters(effect: float, unit: float, n: int) -> None:
    assert float(power(-effect * unit, unit, n, paired=True)) == pytest.approx(float(power(effect, 1.0, n, paired=True)))


def test_it_takes_tables_of_effects_and_deviations() -> None:
    effects, sds = np.array([[1.0], [2.0]]), np.array([0.5, 1.0, 2.0])
    found = power(effects, sds, 5, paired=False)
    assert found.shape == (2, 3)
    assert found[1, 2] == power(2.0, 2.0, 5, paired=False)


@pytest.mark.parametrize("paired", [True, False])
def test_it_is_unknown_without_degrees_of_freedom(paired: bool) -> None:
    assert np.isnan(power(np.array([1.0, 2.0]), 1.0, 1, paired=paired)).all()


def test_without_noise_any_effect_is_seen_and_none_is_unknown() -> None:
    assert power(np.array([0.1, 0.0]), 0.0, 3, paired=True) == pytest.approx([1.0, math.nan], nan_ok=True)


def test_a_known_deviation_is_an_infinite_number_of_degrees_of_freedom() -> None:
    distance = 2.0 / math.sqrt(2.0 / 3.0)
    assert float(power(2.0, 1.0, 3, paired=True, df=math.inf)) == pytest.approx(
        special.ndtr(distance - 1.959964) + special.ndtr(-distance - 1.959964), abs=1e-6
    )


# In deviations of a boot: boots of each of two kernels, or rounds; what was simulated has an error of a hundredth.
FIXED = [
    pytest.param(False, 3, {1: 0.159, 2: 0.463, 4: 0.948, 5: 0.993}, id="3 boots"),
    pytest.param(False, 4, {4: 0.996}, id="4 boots"),
    pytest.param(False, 5, {1: 0.286, 2: 0.791, 5: 1.0}, id="5 boots"),
    pytest.param(False, 10, {1: 0.562, 2: 0.988, 4: 1.0, 5: 1.0}, id="10 boots"),
    pytest.param(True, 3, {1: 0.116, 2: 0.293, 3: 0.511, 4: 0.707, 6: 0.930}, id="3 rounds"),
    pytest.param(True, 5, {1: 0.231, 2: 0.661, 3: 0.939, 4: 0.995, 6: 1.0}, id="5 rounds"),
    pytest.param(True, 10, {1: 0.514, 2: 0.977, 3: 1.0, 4: 1.0, 6: 1.0}, id="10 rounds"),
]


@pytest.mark.parametrize(("paired", "n", "expected"), FIXED)
def test_a_number_fixed_beforehand_sees_effects_of_some_deviations(paired: bool, n: int, expected: dict[int, float]) -> None:
    found = power(np.array([*expected], dtype=np.float64), 1.0, n, paired=paired)
    assert found == pytest.approx([*expected.values()], abs=0.01 if paired else 6e-4)


POOLED = [
    pytest.param(2, (0.16, 0.46, 0.78, 0.95), id="2 kernels"),
    pytest.param(3, (0.18, 0.54, 0.86, 0.98), id="3 kernels"),
    pytest.param(5, (0.20, 0.60, 0.91, 0.99), id="5 kernels"),
    pytest.param(8, (0.21, 0.63, 0.93, 1.00), id="8 kernels"),
]


@pytest.mark.parametrize(("kernels", "expected"), POOLED)
def test_three_boots_see_more_when_more_kernels_share_their_noise(kernels: int, expected: tuple[float, ...]) -> None:
    found = power(np.array([1.0, 2.0, 3.0, 4.0]), 1.0, 3, paired=False, df=2 * kernels)
    assert found == pytest.approx(expected, abs=0.006)


# ---- how many ----

# In percent: sd of a boot -> for effects of 0.5, 1, 2 and 5 the rounds for a power of .8 and .9, then the boots of each kernel.
NEEDED = {
    0.2: [(5, 6, 4, 5), (3, 4, 3, 3), (3, 3, 2, 2), (2, 2, 2, 2)],
    0.5: [(18, 24, 17, 23), (7, 8, 6, 7), (4, 4, 3, 3), (3, 3, 2, 2)],
    1.0: [(65, 87, 64, 86), (18, 24, 17, 23), (7, 8, 6, 7), (3, 4, 3, 3)],
    2.0: [(254, 339, 253, 338), (65, 87, 64, 86), (18, 24, 17, 23), (5, 6, 4, 5)],
}


@pytest.mark.parametrize("sd", NEEDED)
@pytest.mark.parametrize(("place", "effect"), [*enumerate((0.5, 1.0, 2.0, 5.0))])
def test_rounds_and_boots_for_eighty_and_ninety_percent(sd: float, place: int, effect: float) -> None:
    found = tuple(needed(effect, sd, paired=paired, power=target) for paired in (True, False) for target in (0.8, 0.9))
    assert found == NEEDED[sd][place]


def test_two_rounds_see_25_deviations_of_their_difference_in_19_of_20_cases() -> None:
    assert float(power(5.0, 0.2, 2, paired=True)) == pytest.approx(0.9502, abs=1e-4)


def test_the_number_for_ninety_percent_is_what_r_rounds_up_to() -> None:
    assert needed(1.0, 1.0, paired=False, power=0.9) == 23


@settings(max_examples=25)
@given(st.floats(0.1, 10.0), PAIRED, st.sampled_from([0.5, 0.8, 0.9]))
def test_the_number_is_the_least_that_is_enough(effect: float, paired: bool, target: float) -> None:
    n = needed(effect, 1.0, paired=paired, power=target)
    assert n is not None
    assert float(power(effect, 1.0, n, paired=paired)) >= target
    assert n == 2 or float(power(effect, 1.0, n - 1, paired=paired)) < target


@pytest.mark.parametrize(("effect", "sd"), [(0.0, 1.0), (0.01, 1.0), (math.nan, 1.0), (1.0, math.nan), (0.0, 0.0)])
def test_what_no_sensible_number_shows_has_none(effect: float, sd: float) -> None:
    assert needed(effect, sd, paired=True) is None


def test_the_most_is_a_number_that_may_be_needed() -> None:
    assert (needed(1.0, 1.0, paired=True, most=18), needed(1.0, 1.0, paired=True, most=17)) == (18, None)


# ---- what can be seen ----


@settings(max_examples=25)
@given(st.integers(2, 100), PAIRED, st.floats(1e-4, 1e2))
def test_the_detectable_effect_is_seen_with_just_that_power(n: int, paired: bool, sd: float) -> None:
    effect = detectable(sd, n, paired=paired)
    assert effect is not None
    assert float(power(effect, sd, n, paired=paired)) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(("n", "df"), [(1, 5.0), (3, 10.0), (3, 300.0)])
def test_degrees_of_freedom_may_come_from_other_kernels(n: int, df: float) -> None:
    effect = detectable(1.0, n, paired=False, df=df)
    assert effect is not None
    seen = 1.0 - special.nctdtr(df, effect / math.sqrt(2.0 / n), special.stdtrit(df, 0.975))
    assert seen == pytest.approx(0.8, abs=1e-5)


def test_more_degrees_of_freedom_make_smaller_effects_detectable() -> None:
    assert [detectable(1.0, 3, paired=False, df=df) for df in (None, 10, math.inf)] == pytest.approx([3.07, 2.54, 2.29], abs=0.005)


@pytest.mark.parametrize("df", [None, 0.0])
def test_one_round_alone_shows_nothing(df: float | None) -> None:
    assert detectable(1.0, 1, paired=True, df=df) is None


def test_nothing_is_seen_with_certainty_nor_less_often_than_the_level() -> None:
    assert detectable(1.0, 3, paired=True, power=1.0 + 1e-9) == math.inf
    assert detectable(1.0, 3, paired=True, power=0.04) == pytest.approx(0.0, abs=1e-6)


# ---- equivalence ----


@pytest.mark.parametrize(
    ("margin", "sd", "boots"),
    [(1, 0.2, 2), (1, 0.5, 6), (1, 1.0, 18), (1, 2.0, 70), (2, 0.2, 2), (2, 0.5, 3), (2, 1.0, 6), (2, 2.0, 18)],
)
def test_boots_to_show_that_nothing_changed_by_a_margin(margin: float, sd: float, boots: int) -> None:
    assert equivalence_needed(margin, sd, paired=False) == pytest.approx(boots, abs=1)


def test_the_power_to_show_equivalence_is_that_of_simulated_tests() -> None:
    noise, boots, runs = np.random.default_rng(5), 6, 40000
    values = noise.normal(0.0, 0.5, (runs, 2, boots))
    means, variance = values.mean(2), values.var(2, ddof=1).mean(1)
    half = special.stdtrit(10, 0.95) * np.sqrt(2.0 * variance / boots)
    share = float((np.abs(means[:, 1] - means[:, 0]) + half < 1.0).mean())
    assert float(equivalence_power(1.0, 0.5, boots, paired=False)) == pytest.approx(share, abs=0.008)


@given(st.floats(0.1, 5.0), st.integers(2, 100), PAIRED)
def test_a_wider_margin_and_more_boots_show_equivalence_more_often(margin: float, n: int, paired: bool) -> None:
    here = float(equivalence_power(margin, 1.0, n, paired=paired))
    assert 0.0 <= here <= 1.0
    assert float(equivalence_power(1.1 * margin, 1.0, n, paired=paired)) >= here - 1e-12
    assert float(equivalence_power(margin, 1.0, n + 1, paired=paired)) >= here - 1e-3


def test_a_margin_of_nothing_is_never_shown() -> None:
    assert equivalence_needed(0.0, 1.0, paired=False) is None


# ---- the sequential rule ----

# Overall level .05, first look after three rounds: cap -> nominal two-sided level of each look.
NOMINAL = {5: 0.0227, 6: 0.0187, 10: 0.0120, 12: 0.0105, 20: 0.0077}


def looks(effect: float, cap: int, runs: int = 6000) -> tuple[float, float]:
    """How often rounds of paired boots, looked at after each from the third on, show `effect`; and their mean number."""
    differences = np.random.default_rng(11).normal(effect, math.sqrt(2.0), (runs, cap))
    n = np.arange(1, cap + 1)
    mean = differences.cumsum(1) / n
    variance: Array = ((differences**2).cumsum(1) - n * mean**2)[:, 2:] / (n[2:] - 1)
    p = 2.0 * special.stdtr(n[2:] - 1, -np.abs(mean[:, 2:]) / np.sqrt(variance / n[2:]))
    seen = p <= NOMINAL[cap]
    stopped = np.where(seen.any(1), seen.argmax(1) + 3, cap)
    return float(seen.any(1).mean()), float(stopped.mean())


@pytest.mark.parametrize(("fixed", "cap"), [(3, 5), (4, 6), (7, 10), (8, 12), (14, 20)])
def test_the_cap_sees_what_the_fixed_number_sees_and_rarely_comes_to_it(fixed: int, cap: int) -> None:
    effect = detectable(1.0, fixed, paired=True)
    assert effect is not None
    assert sequential_needed(effect * 1.0001, 1.0) == cap
    share, rounds = looks(effect, cap)
    assert share >= 0.8 - 4.0 * math.sqrt(0.16 / 6000)
    assert rounds < fixed + 0.6


@pytest.mark.parametrize(("effect", "simulated"), [(1.0, 26), (1.5, 13), (2.0, 9)])
def test_the_cap_is_that_of_simulations_or_one_more(effect: float, simulated: int) -> None:
    assert sequential_needed(effect, 1.0) in (simulated, simulated + 1)


def test_a_cap_is_never_less_than_the_first_look_nor_more_than_the_most() -> None:
    assert sequential_needed(1000.0, 1.0) == 3
    assert sequential_needed(1.0, 1.0, most=25) is None
    assert sequential_needed(0.0, 1.0) is None
