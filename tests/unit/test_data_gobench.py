"""The Go benchmark format: by its grammar, with the values of the report, and so that benchstat groups what belongs together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.builders import benchmark as some_benchmark
from tests.unit.data_runs import ANY_DOSSIER, RUNS, TEXTS, of, profiled, stored
from tests.unit.golden import check
from tests.unit.posted import posted
from tests.unit.verdicts import BOX

from kdelta.inquiry.dossier import Question, gather
from kdelta.model.benchmark import Benchmark, Better, Metric
from kdelta.model.dossier import Dossier
from kdelta.report.data.gobench import MOST, benchmark, render, value, word

MOST_BYTES = 64 * 1024
"""Of a line: the reader's buffer (bufio.MaxScanTokenSize)."""


@dataclass(frozen=True)
class Result:
    """`settings` are those that hold where the line stands."""

    settings: dict[str, str]
    name: str
    cpus: int
    iterations: int
    values: dict[str, float]


@dataclass
class Bench:
    results: list[Result] = field(default_factory=list)
    better: dict[str, str] = field(default_factory=dict)


def read(text: str) -> Bench:
    """By the grammar, and stricter than benchstat: every line is one of the format, and no unit is twice on one."""
    found, held = Bench(), dict[str, str]()
    assert text.endswith("\n")
    for line in text[:-1].split("\n"):
        assert len(line.encode()) < MOST_BYTES
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", line)
        if line.startswith("Unit "):
            _, unit, direction = line.split()
            assert found.better.setdefault(unit, direction.removeprefix("better=")) in ("higher", "lower")
            assert list(found.better).count(unit) == 1
        elif line.startswith("Benchmark"):
            found.results.append(_result(line, held))
        else:
            setting = re.fullmatch(r"([a-z][^\sA-Z:]*):(?: ([^ ].*))?", line)
            assert setting, line
            held[setting[1]] = setting[2] or ""
    return found


def _result(line: str, held: dict[str, str]) -> Result:
    name, iterations, *pairs = line.split()
    parts = re.fullmatch(r"Benchmark(.+)-([1-9]\d*)", name)
    assert parts, line
    assert parts[1][0].isupper()
    assert pairs
    assert len(pairs) % 2 == 0
    units = pairs[1::2]
    assert len(set(units)) == len(units)
    assert int(iterations) > 0
    values = {unit: float(one) for unit, one in zip(units, pairs[::2], strict=True)}
    return Result({key: one for key, one in held.items() if one}, parts[1], int(parts[2]), int(iterations), values)


def columns(found: Bench, unit: str = "ns/op") -> dict[tuple[str, str, str], list[float]]:
    """Box, variant and benchmark -> values, as benchstat groups them."""
    groups: dict[tuple[str, str, str], list[float]] = {}
    for one in found.results:
        if unit in one.values:
            groups.setdefault((one.settings["box"], one.settings["variant"], one.name), []).append(one.values[unit])
    return groups


def entries(dossier: Dossier) -> Iterator[tuple[tuple[str, str, str], list[float]]]:
    """The same of the report's tables."""
    for table in dossier.tables:
        for row in table.rows:
            yield from (
                ((table.box.name, entry.variant, benchmark(row.benchmark.name)), list(entry.boots))
                for entry in row.entries
                if entry.boots
            )


def test_a_file_reads_as_kept() -> None:
    check("data_gobench", render(RUNS["range"]()))


def test_a_file_of_several_metrics_reads_as_kept() -> None:
    check("data_gobench_kernbench", render(RUNS["kernbench"]()))


@pytest.mark.parametrize("name", [name for name in RUNS if name not in ("kernbench", "cut")])
def test_the_values_are_those_of_the_table(name: str) -> None:
    dossier = RUNS[name]()
    assert columns(read(render(dossier))) == dict(entries(dossier))


@pytest.mark.parametrize("name", ["kernbench", "cut"])
@pytest.mark.parametrize("statistic", ["median", "mean", "min", "max"])
def test_so_they_are_by_another_statistic(name: str, statistic: str) -> None:
    known = RUNS[name]()
    dossier = gather(known.run, known.boots, question=Question(statistic=statistic))
    found = read(render(dossier))
    assert columns(found, "elapsed_s") == dict(entries(dossier))
    assert {one.settings["statistic"] for one in found.results} == {statistic}


def test_the_best_of_a_rate_is_the_largest() -> None:
    rate = msgspec.structs.replace(some_benchmark("rate"), metrics=(Metric("speed", "MB/s", Better.LARGER),))
    made = posted([rate], {"old": [{"rate": {"speed": [5.0, 7.0]}}]}, box=BOX)
    found = read(render(gather(made.run, made.records, question=Question(statistic="min"))))
    assert ([one.values for one in found.results], found.better) == ([{"speed-MB/s": 7.0}], {"speed-MB/s": "higher"})


def test_the_baseline_comes_first_whatever_ran_first() -> None:
    known = RUNS["several boxes"]()
    backwards = gather(known.run, known.boots[::-1])
    assert next(iter(columns(read(render(backwards)))))[:2] == ("box-0", "v6.1")


def test_what_failed_has_no_line_and_what_was_cut_no_part(tmp_path: Any) -> None:
    found = read(render(stored(tmp_path)[0]))
    assert {key[1:]: len(values) for key, values in columns(found).items()} == {
        (variant, name): 4 for variant in ("old", "new") for name in ("Null", "Ctx-2")
    }
    assert {one.iterations for one in read(render(RUNS["cut"]())).results} == {8}


def test_counted_instructions_are_told_apart_from_time(tmp_path: Any) -> None:
    exact, local = read(render(stored(tmp_path)[0])), read(render(profiled()))
    assert [{one.settings.get("counted") for one in found.results} for found in (exact, local)] == [
        {"instructions, 1 ns is one"},
        {None},
    ]


def test_what_varies_with_the_column_alone_is_its_name(tmp_path: Any) -> None:
    """Else -col variant would make a table of each."""
    found = read(render(stored(tmp_path)[0]))
    varying = {key for one in found.results for key, held in one.settings.items() if found.results[0].settings.get(key) != held}
    assert varying == {"variant"}
    assert found.results[0].settings["variant-2"] == "new new build-id=" + "ab" * 20


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("proc-fork", "Proc-fork"),
        ("ctx-2", "Ctx-2"),
        ("größe", "Größe"),
        ("Null", "Named/Null"),
        ("2x", "Named/2x"),
        ("état", "Named/état"),
        ("a/b c", "A%2Fb%20c"),
        ("50%", "Named/50%"),
        ("a%20b", "A%2520b"),
        ("two\nlines\u2028", "Two%0Alines%E2%80%A8"),
        ("x\ud800", "X%ED%A0%80"),
        ("turned\u202e", "Turned%E2%80%AE"),
    ],
)
def test_a_name_begins_with_a_capital_and_has_no_blank(name: str, written: str) -> None:
    assert benchmark(name) == written


@given(st.lists(TEXTS, max_size=6, unique=True))
def test_no_two_names_become_one(names: list[str]) -> None:
    for spelled in (benchmark, word, value):
        assert len({spelled(name) for name in names}) == len(names)


@given(TEXTS)
def test_a_text_can_be_had_back(text: str) -> None:
    assert [unquote(spelled(text), errors="surrogatepass") for spelled in (word, value)] == [text, text]


@pytest.mark.parametrize(("text", "written"), [(" a b ", "%20a b%20"), ("a\tb\r", "a%09b%0D"), ("a / b", "a / b"), (" ", "%20")])
def test_a_setting_is_one_line_that_keeps_its_blanks(text: str, written: str) -> None:
    assert value(text) == written


def test_what_is_too_long_is_cut_and_stays_apart() -> None:
    found = [word("x" * 10_000 + end) for end in "ab"]
    assert ([len(one) for one in found], found[0] == found[1], found[0][:380] == found[1][:380]) == ([MOST, MOST], False, True)


def with_metrics(*metrics: tuple[str, str, Better]) -> Dossier:
    """A benchmark for each."""
    made: list[Benchmark] = [
        msgspec.structs.replace(some_benchmark(f"b{place}"), metrics=(Metric(*one),)) for place, one in enumerate(metrics)
    ]
    visits = {one.name: {one.metric.name: [1.5, 2.5, 3.5]} for one in made}
    return of(posted(made, {"old": [visits], "new": [visits]}, box=BOX))


@pytest.mark.parametrize(
    ("metrics", "units"),
    [
        ([("time", "ns/op")], ["ns/op"]),
        ([("elapsed_s", "s"), ("user_s", "s")], ["elapsed_s", "user_s"]),
        ([("percent_cpu", "%"), ("sleeps", "sleeps")], ["percent_cpu-%", "sleeps"]),
        ([("throughput", "scripts/h"), ("time", "s")], ["throughput-scripts/h", "time-s"]),
        ([("", "")], ["value"]),
        ([("a", "b-c"), ("a-b", "c")], ["a-b-c", "a-b-c%2"]),
    ],
)
def test_a_unit_tells_its_metric(metrics: list[tuple[str, str]], units: list[str]) -> None:
    found = read(render(with_metrics(*((*one, Better.SMALLER) for one in metrics))))
    assert [unit for one in found.results[: len(metrics)] for unit in one.values] == units


def test_a_unit_has_one_direction() -> None:
    found = read(render(with_metrics(("value", "s", Better.SMALLER), ("value", "s", Better.LARGER))))
    assert found.better == {"value-s": "lower", "value-s%2": "higher"}


@given(ANY_DOSSIER)
@settings(max_examples=25, deadline=None)
def test_whatever_it_is_called_the_file_can_be_read(dossier: Dossier) -> None:
    text = render(dossier)
    assert text.encode().decode() == text
    read(text)
