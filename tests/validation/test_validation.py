"""What the statistics promise, at a reduced size; and that the batched simulation decides as the product does."""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec
import numpy as np
import pytest
from tests.unit.builders import boot, plan, record
from tests.validation import rules
from tests.validation.__main__ import GROUPS, holds, printed
from tests.validation.noise import normal
from tests.validation.simulate import EQUIVALENT, LESS, MORE, UNDECIDED, Array, outcome, share, terms
from tests.validation.stopping import settled

from kdelta.judge.rule import Standing, standing
from kdelta.model.plan import Plan, Rule
from kdelta.model.record import BootRecord
from kdelta.model.verdict import Answer
from kdelta.run.rule import step

SCALE = 0.05
SCALES = {"table": 0.1}
"""Of groups of which two in a hundred runs say too little."""


@pytest.mark.parametrize("group", GROUPS)
def test_what_was_measured_lies_within_its_bounds(group: str) -> None:
    rows = list(GROUPS[group](SCALES.get(group, SCALE)))
    outside = [row for row in rows if not holds(row)]
    assert rows
    assert not outside, "\n".join(["out of bounds:", *printed(outside)])


def test_rows_say_when_they_do_not_hold() -> None:
    good, bad = (share("a share", np.arange(100) < hits, 0.0, 0.5, 1.0) for hits in (10, 60))
    assert [line.split()[0] for line in printed([good, bad])] == ["ok", "FAIL"]


def test_bounds_of_fewer_runs_are_wider_by_four_standard_errors() -> None:
    _, _, low, high, _ = share("a share", np.zeros(400), 0.05, 0.5, 0.1)
    assert [low, high] == pytest.approx([0.05 - 4.0 * math.sqrt(0.05 * 0.95 / 400), 0.6])


# ---- the batched simulation against the product, decision by decision ----

CAP = 7
VARIANTS = ("base", "one", "two", "three")
NAMES = ("null", "mmap", "select")
PICKED = {0.002: (0, 1), 0.003: (18, 19, 20, 24, 29), 0.005: (26, 34, 40, 54), 0.01: (8, 11, 31)}
"""By the noise of boots: among these tables are those in which at some look only p, or only the interval, says it."""
CODES = {Answer.SLOWER: MORE, Answer.FASTER: LESS, Answer.EQUIVALENT: EQUIVALENT, Answer.UNDECIDED: UNDECIDED}


def sequential_plan() -> Plan:
    return msgspec.structs.replace(plan(VARIANTS, NAMES, seeds=CAP), sequential=True)


def tables(sd: float) -> Array:
    """Logarithms, (tables, benchmarks, rounds, variants), with effects of all kinds and rounds that differ."""
    rng = np.random.default_rng(2006)
    shape = (300, len(NAMES), CAP, len(VARIANTS))
    effects = rng.choice([0.0, 0.005, 0.01, -0.02, 0.03], (300, len(NAMES), 1, len(VARIANTS)))
    effects[..., 0] = 0.0
    found: Array = math.log(1000.0) + effects + sd * normal(rng, shape) + 0.02 * normal(rng, (*shape[:3], 1))
    return found[list(PICKED[sd])]


def measured(of: Plan, values: Array) -> Iterator[tuple[list[BootRecord], Standing]]:
    """The run of `of` in which `values` come, (benchmarks, rounds, variants): after each round its records, and how it stands."""
    records = list[BootRecord]()
    wanted = {(of.boxes[0].name, variant, name) for variant in VARIANTS for name in NAMES}
    for number in range(CAP):
        for column, variant in enumerate(VARIANTS):
            results = {
                name: (math.exp(values[cell, number, column]),)
                for cell, name in enumerate(NAMES)
                if (of.boxes[0].name, variant, name) in wanted
            }
            if results:
                records.append(record(boot(results), variant, seed=number + 1, position=len(records)))
        now = standing(of, records)
        wanted = set(now.wanted)
        yield records, now
        if not wanted:
            return


@pytest.mark.parametrize("sd", PICKED)
def test_a_simulated_run_decides_as_the_product_does(sd: float) -> None:
    of, values = sequential_plan(), tables(sd)
    simulated = outcome(values, terms(math.log1p(of.margin), cap=CAP))
    for place, table in enumerate(values):
        records, last = list(measured(of, table))[-1]
        assert simulated.boots[place].sum() == sum(len(one.boot.cells) for one in records)
        for number, verdict in enumerate(last.judgement.verdicts):
            at = (place, *divmod(number, len(VARIANTS) - 1))
            assert (verdict.new.benchmark.name, verdict.new.variant) == (NAMES[at[1]], VARIANTS[at[2] + 1])
            assert (CODES[verdict.answer], verdict.rounds) == (simulated.answer[at], simulated.rounds[at])
            assert verdict.ratio is not None
            ends = [simulated.estimate[at] + side * simulated.half[at] for side in (0.0, -1.0, 1.0)]
            assert np.log([verdict.ratio.value, verdict.ratio.low, verdict.ratio.high]) == pytest.approx(ends, abs=1e-9)


def test_the_runs_that_are_compared_have_all_answers() -> None:
    answers = {int(each) for sd in PICKED for each in outcome(tables(sd), terms(0.01, cap=CAP)).answer.flat}
    assert answers == set(CODES.values())


# ---- other rules ----


def test_the_settled_results_are_those_that_a_visit_keeps() -> None:
    rule, rng = Rule(), np.random.default_rng(15)
    results = np.exp(0.01 * normal(rng, (300, rule.most)))
    kept, ran = settled(results, rule)
    assert {3, rule.most} <= set(ran.tolist())
    for series, last, count in zip(results.tolist(), kept.tolist(), ran.tolist(), strict=True):
        steps = [step(rule, series[:so_far], 0.0, math.inf) for so_far in range(1, count + 1)]
        assert [one.again for one in steps] == [True] * (count - 1) + [False]
        assert [one for place, one in enumerate(series[:count]) if place not in steps[-1].discards] == last


def of_two(base: list[float], new: list[float]) -> Array:
    """One run: (1, boots, columns, 1)."""
    return np.array([base, new]).T[None, :, :, None]


# (base, new, the gap rule says, without a distance): LKP's medians of an even number are the upper ones.
LKP = [
    pytest.param([100.0, 101.0, 102.0], [105.0, 106.0, 107.0], 1, 1, id="far apart"),
    pytest.param([100.0, 101.0, 104.0], [105.0, 106.0, 107.0], 0, 1, id="a gap of less than half"),
    pytest.param([100.0, 101.0, 104.0], [103.0, 106.0, 107.0], 0, 1, id="ranges meet"),
    pytest.param([105.0, 106.0, 107.0], [100.0, 101.0, 102.0], -1, -1, id="faster"),
    pytest.param([100.0, 100.1, 100.2], [100.7, 100.8, 100.9], 0, 0, id="less than 1 %"),
    pytest.param([100.0, 101.0], [110.0, 111.0], 0, 0, id="two boots"),
]


@pytest.mark.parametrize(("base", "new", "by_gap", "by_medians"), LKP)
def test_lkps_rules_say_what_its_source_says(base: list[float], new: list[float], by_gap: int, by_medians: int) -> None:
    results = of_two(base, new)
    assert (rules.lkp(results, rules.gap)[0], rules.lkp(results, rules.outside)[0]) == (by_gap, by_medians)


@pytest.mark.parametrize(("away", "star"), [(3.9, 0), (4.0, 1), (-4.0, -1)])
def test_mmtests_gives_a_star_beyond_the_deviations_of_both_sides(away: float, star: int) -> None:
    base = [99.0, 100.0, 101.0]
    assert rules.mmtests(of_two(base, [each + away for each in base]))[0] == star
