"""What a workload prints becomes samples; what cannot be a sample becomes a warning."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.model.benchmark import Benchmark, Better, Command, Metric
from kdelta.model.guest import ProgramRun
from kdelta.model.sample import Sample
from kdelta.workload import output

NULL = Benchmark(name="null", program="null", operation="getppid()", operations=1000)
GOOD = '{"iteration": 0, "operations": 1000, "elapsed_ns": 326300, "warmup": false}'
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=8,
)


def read(benchmark: Benchmark, lines: Sequence[str]) -> tuple[tuple[Sample, ...], tuple[str, ...]]:
    (reading,) = output.read(benchmark, [ProgramRun(lines=tuple(lines), ended=True, status=0)])
    return reading.samples, reading.warnings


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


def test_throughput_is_what_is_done_in_an_hour() -> None:
    scripts = Metric("throughput", "scripts/h", Better.LARGER)
    benchmark = Benchmark(name="sdet-4", program="sdet", operation="x", metrics=(scripts,))
    ((sample,), _) = read(benchmark, [line(operations=8, elapsed_ns=2 * 10**9)])
    assert (sample.metric, sample.value, sample.unit) == ("throughput", 14400.0, "scripts/h")


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


BUILD = Benchmark(
    name="kernbench-half", program="kernbench", operation="x", metrics=(Metric("elapsed_s", "s"), Metric("sleeps", "sleeps"))
)


def test_a_line_of_several_metrics_is_a_sample_of_each() -> None:
    printed = '{"iteration": 2, "warmup": false, "metrics": {"elapsed_s": 44.09, "sleeps": 833655}}'
    samples, warnings = read(BUILD, [printed])
    assert [(one.metric, one.iteration, one.value, one.unit) for one in samples] == [
        ("elapsed_s", 2, 44.09, "s"),
        ("sleeps", 2, 833655.0, "sleeps"),
    ]
    assert warnings == ()
    assert {one.elapsed_ns for one in samples} == {None}


@pytest.mark.parametrize(
    "metrics", ['{"elapsed_s": 44.09}', '{"elapsed_s": 1, "sleeps": 2, "naps": 3}', '{"elapsed_s": "x", "sleeps": 1}']
)
def test_a_line_with_other_metrics_than_the_benchmarks_is_none(metrics: str) -> None:
    samples, warnings = read(BUILD, [f'{{"iteration": 0, "warmup": false, "metrics": {metrics}}}'])
    assert (samples, len(warnings)) == ((), 1)


def runs(*texts: str, status: int = 0) -> list[ProgramRun]:
    return [ProgramRun(lines=tuple(text.splitlines()), ended=True, status=status) for text in texts]


def test_iterations_are_numbered_through_all_runs_of_a_program() -> None:
    once = "\n".join([line(iteration=-1, warmup=True), line(iteration=0)])
    numbers = [[sample.iteration for sample in reading.samples] for reading in output.read(NULL, runs(once, once, once))]
    assert numbers == [[-1, 0], [-2, 1], [-3, 2]]


OWN = Benchmark(
    name="mine",
    program="perf",
    operation="x",
    metrics=(Metric("metric", "us"),),
    command=Command(words=("perf",), regex=r"([\d.]+) usecs/op"),
)


def test_of_a_users_command_the_first_run_is_the_warm_up() -> None:
    found = [one for reading in output.read(OWN, runs("9.5 usecs/op", "4.5 usecs/op", "4.6 usecs/op")) for one in reading.samples]
    assert [(one.iteration, one.warmup, one.value, one.unit) for one in found] == [
        (-1, True, 9.5, "us"),
        (0, False, 4.5, "us"),
        (1, False, 4.6, "us"),
    ]


def test_a_command_that_failed_has_no_metric_whatever_it_printed() -> None:
    assert output.read(OWN, runs("4.5 usecs/op", status=1)) == [output.Reading(())]


def test_a_command_without_its_metric_is_a_warning_that_shows_its_end() -> None:
    (reading,) = output.read(OWN, runs("cannot open /dev/x"))
    assert reading.samples == ()
    assert "its metric is missing" in reading.warnings[0]
    assert "cannot open /dev/x" in reading.warnings[0]
