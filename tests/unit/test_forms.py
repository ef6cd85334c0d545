"""The forms of means and ranges, compared with what was posted, and read back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.golden import check
from tests.unit.posted import (
    FIXED,
    NUMAQ,
    Posted,
    Results,
    around,
    build,
    kernbench_of_2004,
    lock_page,
    posted,
    sdet_of_2004,
    sorted_buddy,
)

from kdelta.judge.sheet import sheets
from kdelta.model.benchmark import Benchmark
from kdelta.model.plan import LOCAL, BoxSpec, Rule
from kdelta.model.sheet import Sheet
from kdelta.model.variant import Variant
from kdelta.report import kernbench, kernbench_log, loads, ranges, sdet
from kdelta.workload.catalogue import by_name


def flat(text: str) -> str:
    """Without its line breaks."""
    return " ".join(text.split())


def sheet(of: Posted) -> Sheet:
    [found] = sheets(of.plan, of.records)
    return found


def table(of: Posted) -> str:
    return kernbench.render(sheet(of))


def log(of: Posted) -> str:
    return kernbench_log.render(sheet(of), of.run.kernels)


def throughputs(of: Posted) -> str:
    return sdet.render(sheet(of))


def extent(of: Posted) -> str:
    return ranges.render(sheet(of), of.plan.variants)


# ---- as they were posted ----


def test_kernbench_is_the_table_of_the_mail() -> None:
    check("kernbench", table(kernbench_of_2004()))


def test_sdet_is_the_table_of_the_mail() -> None:
    check("sdet", throughputs(sdet_of_2004()))


def test_the_log_is_that_of_the_mail() -> None:
    check("kernbench_log", log(sorted_buddy()))


def test_ranges_are_those_of_the_mail() -> None:
    check("range", extent(lock_page()))


def test_ranges_over_visits_say_so() -> None:
    check("range_visits", extent(lock_page(rounds=2)))


# ---- what the numbers are made of ----

ONE = by_name()["kernbench-optimal"]
BUILD = {ONE.name: build(100.0, 10.0, 200.0, 210.0)}
RENDERERS = (table, log, throughputs, extent)
EACH_FORM = pytest.mark.parametrize("render", RENDERERS, ids=["kernbench", "log", "sdet", "range"])
SDET = by_name()["sdet-8"]


def two_visits(render: Callable[[Posted], str], rule: Rule = FIXED) -> tuple[str, str]:
    """The report of one visit, and of two."""
    one = SDET if render is throughputs else ONE
    results: Results = {"throughput": around(100.0, 1.0)} if one is SDET else BUILD[ONE.name]
    visits: Sequence[Mapping[str, Results]] = [{one.name: results}] * 2
    once = posted([one], {"a": visits[:1]}, box=NUMAQ, rule=rule)
    return render(once), render(posted([one], {"a": visits}, box=NUMAQ, rounds=2, rule=rule))


@EACH_FORM
def test_spread_within_a_visit_is_never_presented_as_that_of_visits(render: Callable[[Posted], str]) -> None:
    once, twice = two_visits(render)
    assert " within one visit: says nothing about the next." in flat(once)
    assert " over 2 visits, each taken as the mean of its results." in flat(twice)


@EACH_FORM
def test_results_that_were_kept_because_they_agree_are_told_so(render: Callable[[Posted], str]) -> None:
    once, _ = two_visits(render, Rule())
    assert " within one visit, of results that were kept because they agree: says nothing about the next." in flat(once)


def test_boots_of_the_exact_lab_are_called_boots() -> None:
    lab = BoxSpec(name="exact")
    found = posted([by_name()["null"]], {"a": [{"null": {"time": (320.0, 330.0)}}]}, box=lab)
    assert extent(found).startswith("Ranges within one boot: says nothing about the next.\n")


def test_a_line_with_fewer_visits_than_others_is_told() -> None:
    found = posted([ONE], {"a": [BUILD] * 3, "b": [BUILD]}, box=NUMAQ, rounds=3)
    assert " Means over 1 to 3 visits, " in table(found)


# ---- cells that are not whole ----

FAILED: Sequence[Mapping[str, Results]] = [{}]
TARGET = by_name()["null"]


def with_a_hole(one: Benchmark, results: Results) -> Posted:
    """`a` is whole, `b` failed, `c` was not measured."""
    return posted([one], {"a": [{one.name: results}], "b": FAILED, "c": []}, box=NUMAQ)


HOLES = {
    "kernbench": (table(with_a_hole(ONE, BUILD[ONE.name])), 4),
    "sdet": (throughputs(with_a_hole(SDET, {"throughput": around(100.0, 1.0)})), 2),
    "range": (extent(with_a_hole(TARGET, {"time": (1.0, 2.0)})), 1),
}


@pytest.mark.parametrize(("text", "columns"), HOLES.values(), ids=HOLES)
def test_failed_says_failed_and_missing_is_a_dash(text: str, columns: int) -> None:
    lines = {line.split()[0]: line.split()[1:] for line in text.splitlines() if re.match(r" *[bc]  ", line)}
    assert lines == {"b": ["failed"] * columns, "c": ["-"] * columns}


@pytest.mark.parametrize(("text", "columns"), HOLES.values(), ids=HOLES)
def test_why_a_cell_failed_stands_below(text: str, columns: int) -> None:
    assert re.search(r"^  \S+, b: round 1 failed: exit status 2: no memory$", text, re.MULTILINE)
    assert re.search(r"^  \S+, c: 1 of 1 visit is not measured yet$", text, re.MULTILINE)


def test_a_block_of_the_log_without_results_has_none_of_its_lines() -> None:
    text = log(with_a_hole(ONE, BUILD[ONE.name]))
    assert "Kernel: b\nAverage Optimal load -j 64 Run (std deviation):\nfailed\n" in text
    assert "Kernel: c\nAverage Optimal load -j 64 Run (std deviation):\n-\n" in text


def test_a_baseline_that_failed_leaves_no_percentages() -> None:
    found = posted([SDET], {"a": FAILED, "b": [{SDET.name: {"throughput": around(100.0, 1.0)}}]}, box=NUMAQ)
    assert [line.split() for line in throughputs(found).splitlines()[-3:-1]] == [["a", "failed", "failed"], ["b", "-", "1.0%"]]


def test_one_result_has_no_standard_deviation() -> None:
    found = posted([SDET], {"a": [{SDET.name: {"throughput": (100.0,)}}]}, box=NUMAQ)
    assert throughputs(found).splitlines()[-1].split() == ["a", "100.0%", "-"]


# ---- loads ----


def of_load(load: str, **parameters: str) -> Benchmark:
    return msgspec.structs.replace(ONE, name=f"kernbench:{load}", parameters={"load": load, **parameters})


@pytest.mark.parametrize(
    ("load", "words", "title"),
    [
        ("single", "make -j 1 vmlinux, single task", "Single threaded"),
        ("half", "make -j N vmlinux, where N = num_cpus / 2", "Half load -j 4"),
        ("optimal", "make -j N vmlinux, where N = 4 x num_cpus", "Optimal load -j 32"),
        ("2x", "make -j N vmlinux, where N = 2 x num_cpus", "Custom load -j 16"),
        ("16x", "make -j N vmlinux, where N = 16 x num_cpus", "Custom load -j 128"),
        ("maximal", "make -j vmlinux, maximal tasks", "Maximal load -j"),
        ("12", "make -j 12 vmlinux", "Custom load -j 12"),
    ],
)
def test_a_load_is_called_as_each_form_calls_it(load: str, words: str, title: str) -> None:
    assert (loads.words(of_load(load)), loads.title(of_load(load), 8)) == (words, title)


def test_half_a_load_of_one_cpu_is_one_job() -> None:
    assert loads.title(of_load("half"), 1) == "Half load -j 1"


def test_a_load_of_an_unknown_number_of_cpus_has_no_number() -> None:
    assert loads.title(of_load("optimal"), None) == "Optimal load"


def test_the_target_is_that_which_was_built() -> None:
    assert loads.words(of_load("maximal", target="bzImage")) == "make -j bzImage, maximal tasks"


def test_two_benchmarks_of_one_load_are_told_by_their_names() -> None:
    other = msgspec.structs.replace(ONE, name="other")
    found = posted([ONE, other], {"a": [{**BUILD, "other": BUILD[ONE.name]}]}, box=NUMAQ)
    assert [line.partition("), ")[2] for line in table(found).splitlines() if line.startswith("Kernbench")] == [ONE.name, "other"]


# ---- the log is read back ----

LABELS = ("Elapsed Time", "User Time", "System Time", "Percent CPU", "Context Switches", "Sleeps")
TITLE = re.compile(r"Average (Single threaded|(?:Half|Optimal|Custom) load -j \d+|Maximal load -j) Run \(std deviation\):")
NUMBER = r"(\d+(?:\.\d+)?)"
FIGURE = re.compile(rf"(.+?) {NUMBER}(?: \({NUMBER}\))?")

Block = tuple[str, dict[str, tuple[float, float | None]]]


def read_log(text: str) -> list[Block]:
    """Each block of six lines and a blank one, after its title; what stands between blocks is passed over."""
    lines = iter(text.splitlines())
    blocks = []
    for line in lines:
        if title := TITLE.fullmatch(line):
            found = [FIGURE.fullmatch(next(lines)) for _ in LABELS]
            assert next(lines) == ""
            blocks.append((title[1], {one[1]: (float(one[2]), float(one[3]) if one[3] else None) for one in found if one}))
    return blocks


JOBS = (("Half", 8), ("Optimal", 64), ("Custom", 32), ("Custom", 256))


def test_the_log_is_read_back_by_the_grammar_of_kernbench_log() -> None:
    all_loads = [by_name()[f"kernbench-{name}"] for name in loads.LOADS]
    each = {one.name: build(100.0 + place, 10.0, 200.0, 210.0) for place, one in enumerate(all_loads)}
    blocks = read_log(log(posted(all_loads, {"a": [each], "b": [each]}, box=NUMAQ)))
    names = ["Single threaded", *(f"{name} load -j {jobs}" for name, jobs in JOBS), "Maximal load -j"]
    assert [name for name, _ in blocks] == names * 2
    assert all(tuple(figures) == LABELS for _, figures in blocks)
    assert [figures["Elapsed Time"] for _, figures in blocks] == [(100.0 + place, 1.0 + place / 100.0) for place in range(6)] * 2


def test_one_run_has_no_bracket() -> None:
    once = {ONE.name: {metric: values[:1] for metric, values in BUILD[ONE.name].items()}}
    text = log(posted([ONE], {"a": [once]}, box=NUMAQ))
    assert read_log(text)[0][1]["Elapsed Time"] == (99.0, None)
    assert "\n1 run, peak tasks 1287\n" in text


def test_over_visits_the_deviation_is_that_of_their_means() -> None:
    visits = [{ONE.name: build(elapsed, 10.0, 200.0, 210.0)} for elapsed in (90.0, 100.0, 110.0)]
    text = log(posted([ONE], {"a": visits}, box=NUMAQ, rounds=3))
    assert read_log(text)[0][1]["Elapsed Time"] == (100.0, 10.0)
    assert "\n3 visits, 9 runs, peak tasks 1300 (0)\n" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (330.3900001, "330.39"),
        (604.7831, "604.783"),
        (1479.0, "1479"),
        (845634.0, "845634"),
        (999999.4, "999999"),
        (999999.5, "1000000"),
        (1304780.4, "1304780"),
        (2.5e9, "2500000000"),
        (0.0001234567, "0.000123457"),
        (0.00001234, "0.000012"),
        (0.0, "0"),
    ],
)
def test_a_number_has_six_digits_and_never_an_exponent(value: float, text: str) -> None:
    assert kernbench_log.number(value) == text


@given(st.floats(min_value=1e-3, max_value=1e15))
def test_a_number_is_read_back_to_six_digits(value: float) -> None:
    assert re.fullmatch(NUMBER, kernbench_log.number(value))
    assert float(kernbench_log.number(value)) == pytest.approx(value, rel=5.1e-6)


# ---- ranges ----


@pytest.mark.parametrize(
    ("binds", "words"),
    [
        (("0", "0"), ", tasks bound to 1 CPU"),
        (("1",), ", tasks bound to 1 CPU"),
        (("0-2,4", "0-2,4"), ", tasks bound to 4 CPUs"),
        (("0", "1"), ""),
        (("0", ""), ""),
        (("", ""), ""),
    ],
)
def test_the_title_tells_what_all_tasks_are_bound_to(binds: Sequence[str], words: str) -> None:
    assert ranges.bound([Variant(name="a", kernel="running", bind=bind) for bind in binds]) == words


RANGES = {
    "hundredths below 100": ((1670.0, 1690.0), "us", "1.67-1.69"),
    "tenths from 100": ((140700.0, 142000.0), "us", "140.7-142.0"),
    "none from 1000": ((1234500.0, 1236400.0), "us", "1234-1236"),
    "three digits of what is small": ((48.31, 49.12), "us", "0.0483-0.0491"),
    "one value": ((1670.0,), "us", "1.67"),
    "equal values": ((1670.0, 1670.0), "us", "1.67"),
    "values that look equal": ((1670.0, 1670.1), "us", "1.67-1.67"),
    "instructions": ((148659.2, 148702.31), "instructions", "148659.20-148702.31"),
    "nothing": ((0.0, 0.0), "us", "0"),
}


@pytest.mark.parametrize(("values", "unit", "text"), RANGES.values(), ids=RANGES)
def test_a_range_has_the_digits_that_say_something(values: Sequence[float], unit: str, text: str) -> None:
    box = BoxSpec(name="a", kind=LOCAL if unit == "us" else "exact")
    found = extent(posted([TARGET], {"a": [{TARGET.name: {"time": values}}]}, box=box))
    assert found.splitlines()[-1].split() == ["a", text]


def test_columns_that_do_not_fit_go_below() -> None:
    wide = [msgspec.structs.replace(TARGET, name=f"a-benchmark-with-a-long-name-{place}") for place in range(4)]
    text = extent(posted(wide, {"a": [{one.name: {"time": (1000.0, 2000.0)} for one in wide}]}, box=NUMAQ))
    assert [len(line.split()) for line in text.splitlines()[4:]] == [3, 4, 0, 1, 2]
    assert max(len(line) for line in text.splitlines()) <= 100
