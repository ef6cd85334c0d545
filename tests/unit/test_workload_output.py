"""What a workload prints becomes samples; what cannot be a sample becomes a warning."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.model.benchmark import Benchmark, Better, Metric
from kdelta.model.sample import Sample
from kdelta.workload.output import read

NULL = Benchmark(name="null", program="null", operation="getppid()", operations=1000)
GOOD = '{"iteration": 0, "operations": 1000, "elapsed_ns": 326300, "warmup": false}'
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=8,
)


def line(**other: object) -> str:
    return json.dumps({"iteration": 0, "operations": 1000, "elapsed_ns": 326300, "warmup": False} | other)


def test_a_line_is_a_sample_per_operation() -> None:
    expected = Sample(
        benchmark="null",
        metric="time",
        iteration=0,
        warmup=False,
        value=326.3,
        unit="ns/op",
        operations=1000,
        elapsed_ns=326300,
    )
    assert read(NULL, [GOOD]) == ((expected,), ())


def test_a_sample_carries_the_metric_of_its_benchmark() -> None:
    bandwidth = Metric("bandwidth", "MB/s", Better.LARGER)
    benchmark = Benchmark(name="pipe", program="null", operation="x", operations=1, metric=bandwidth)
    ((sample,), _) = read(benchmark, [GOOD])
    assert (sample.benchmark, sample.metric, sample.unit) == ("pipe", "bandwidth", "MB/s")


def test_the_warm_up_is_kept_and_marked() -> None:
    samples, _ = read(NULL, [line(iteration=-1, warmup=True), line()])
    assert [(sample.iteration, sample.warmup) for sample in samples] == [(-1, True), (0, False)]


def test_samples_come_in_the_order_of_the_lines() -> None:
    samples, _ = read(NULL, [line(iteration=2), line(iteration=0), line(iteration=1)])
    assert [sample.iteration for sample in samples] == [2, 0, 1]


def test_no_lines_are_no_samples_and_no_warnings() -> None:
    assert read(NULL, []) == ((), ())


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param("", id="empty line"),
        pytest.param("Segmentation fault", id="prose"),
        pytest.param(GOOD[:40], id="cut off"),
        pytest.param(GOOD + GOOD, id="two in a line"),
        pytest.param("[0, 1000, 326300, false]", id="array"),
        pytest.param("null", id="null"),
        pytest.param('{"iteration": 0}', id="keys missing"),
        pytest.param(line(extra=1), id="unknown key"),
        pytest.param(line(elapsed_ns="326300"), id="number in quotes"),
        pytest.param(line(elapsed_ns=326300.5), id="fraction"),
        pytest.param(line(elapsed_ns=True), id="truth for a number"),
        pytest.param(line(warmup=0), id="number for a truth"),
        pytest.param(line(elapsed_ns=float("nan")), id="not a number"),
        pytest.param(line(elapsed_ns=0), id="no time"),
        pytest.param(line(elapsed_ns=-5), id="negative time"),
        pytest.param(line(operations=0), id="no operations"),
        pytest.param(line(operations=-1), id="negative operations"),
        pytest.param("\ud800", id="lone surrogate"),
        pytest.param("[" * 100_000, id="deeply nested"),
    ],
)
def test_a_line_that_cannot_be_a_result_is_a_warning_and_no_sample(bad: str) -> None:
    samples, warnings = read(NULL, [bad])
    assert samples == ()
    assert [warning.startswith("null: not a result: ") for warning in warnings] == [True]


def test_a_bad_line_does_not_take_the_good_ones_with_it() -> None:
    samples, warnings = read(NULL, [line(iteration=0), "garbage", line(iteration=1)])
    assert [sample.iteration for sample in samples] == [0, 1]
    assert len(warnings) == 1


def test_a_warning_quotes_the_line() -> None:
    _, (warning,) = read(NULL, ["Killed"])
    assert "'Killed'" in warning


def test_a_warning_does_not_quote_a_whole_flood() -> None:
    _, (warning,) = read(NULL, ["x" * 100_000])
    assert len(warning) < 1000


@given(st.lists(st.text() | JSON.map(json.dumps), max_size=5))
def test_arbitrary_lines_become_warnings(lines: list[str]) -> None:
    samples, warnings = read(NULL, lines)
    assert (len(samples), len(warnings)) == (0, len(lines))


@given(
    iteration=st.integers(-1000, 1000),
    operations=st.integers(1, 1 << 40),
    elapsed_ns=st.integers(1, 1 << 62),
    warmup=st.booleans(),
)
def test_what_was_measured_is_kept_whole(iteration: int, operations: int, elapsed_ns: int, warmup: bool) -> None:
    given_line = line(iteration=iteration, operations=operations, elapsed_ns=elapsed_ns, warmup=warmup)
    ((sample,), warnings) = read(NULL, [given_line])
    assert (sample.iteration, sample.operations, sample.elapsed_ns, sample.warmup) == (iteration, operations, elapsed_ns, warmup)
    assert sample.value == elapsed_ns / operations
    assert warnings == ()


@pytest.mark.parametrize("key", ["iteration", "operations", "elapsed_ns"])
@pytest.mark.parametrize("digits", [25, 400])
def test_a_number_beyond_64_bits_is_a_warning(key: str, digits: int) -> None:
    samples, warnings = read(NULL, [line(**{key: 10**digits})])
    assert (samples, len(warnings)) == ((), 1)
