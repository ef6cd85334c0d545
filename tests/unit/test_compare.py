"""kdelta compare: each form from a store, and what cannot be had."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from tests.unit.builders import Kdelta
from tests.unit.golden import GOLDENS, check
from tests.unit.posted import NUMAQ, Posted, kernbench_of_2004, lock_page, posted, sdet_of_2004, smpnice, sorted_buddy

from kdelta.cli.compare import FORMS
from kdelta.model.plan import Slot
from kdelta.store.place import open_store
from kdelta.workload.catalogue import by_name

MACHINE = {"processor": "Intel(R) Xeon(TM)", "online CPUs": "0-3", "memory": "2026 MiB", "governor": "performance"}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where the program's store is; nothing is in it yet."""
    return tmp_path / "store.sqlite"


def keep(place: Path, found: Posted) -> None:
    """Put a run into the store."""
    names = {one.name: one for one in found.plan.benchmarks}
    with closing(open_store(str(place))) as opened:
        run = opened.begin(found.plan, found.run.kernels, uuid="u", started=found.run.started, kdelta_version="0.1.0")
        for position, record in enumerate(found.records):
            slot = Slot(
                position=position,
                box=record.box,
                variant=record.variant,
                seed=record.seed,
                benchmarks=tuple(names[name] for name in record.benchmarks),
            )
            opened.add(run.id, slot, found.run.kernels[record.variant], record.boot)


def on_a_machine(found: Posted) -> Posted:
    """With facts of a machine recorded, the microcode of which differs."""
    boots = [
        msgspec.structs.replace(one.boot, environment={**MACHINE, "microcode": "0x5" if one.variant == "-rc2" else "0x4"})
        for one in found.records
    ]
    return Posted(found.run, [msgspec.structs.replace(one, boot=boot) for one, boot in zip(found.records, boots, strict=True)])


@pytest.mark.parametrize(("form", "golden"), [((), "compare_verdict"), (("--form", "min"), "compare_local")])
def test_the_whole_report_of_this_machine(kdelta: Kdelta, store: Path, form: tuple[str, ...], golden: str) -> None:
    keep(store, on_a_machine(smpnice()))
    result = kdelta("compare", *form)
    assert (result.code, result.err) == (0, "")
    check(golden, result.out)


RUNS = {
    "kernbench": (kernbench_of_2004, "kernbench"),
    "sdet": (sdet_of_2004, "sdet"),
    "log": (sorted_buddy, "kernbench_log"),
    "range": (lock_page, "range"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_stands_below_the_head(kdelta: Kdelta, store: Path, form: str) -> None:
    run, golden = RUNS[form]
    keep(store, run())
    result = kdelta("compare", "--form", form)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Run 1, 2024-02-29 12:34 UTC: ")
    assert (GOLDENS / f"{golden}.txt").read_text() in result.out


@pytest.mark.parametrize(("statistic", "value"), [((), "3.51"), (("--stat", "median"), "3.52"), (("--stat", "min"), "3.51")])
def test_of_settled_results_the_posted_table_shows_the_best_unless_told(
    kdelta: Kdelta, store: Path, statistic: tuple[str, ...], value: str
) -> None:
    keep(store, smpnice())
    assert f"\n        ctx-2:      {value} " in kdelta("compare", "--form", "min", *statistic).out


def test_verdicts_are_about_the_median_and_not_about_the_best(kdelta: Kdelta, store: Path) -> None:
    keep(store, smpnice())
    assert "\n        ctx-2:      3.52 " in kdelta("compare").out


@pytest.mark.parametrize("form", ["kernbench", "sdet", "log"])
def test_a_form_of_benchmarks_that_were_not_measured_says_what_was(kdelta: Kdelta, store: Path, form: str) -> None:
    keep(store, lock_page())
    result = kdelta("compare", "--form", form)
    program = FORMS[form].program
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"kdelta: run 1 holds no benchmark of {program}, which --form {form} is about\n"
        f"  it holds pagefault, fork, exec: leave --form out, or measure -b {program}\n"
    )


def test_a_form_shows_the_benchmarks_that_it_is_about_and_no_others(kdelta: Kdelta, store: Path) -> None:
    names = ("null", "sdet-8")
    results = {"null": {"time": (320.0,)}, "sdet-8": {"throughput": (100.0,)}}
    keep(store, posted([by_name()[name] for name in names], {"a": [results]}, box=NUMAQ))
    out = kdelta("compare", "--form", "sdet").out
    assert ("SDET 8  (see disclaimer)" in out, "null" in out) == (True, False)


@pytest.mark.parametrize("form", FORMS)
def test_a_form_with_a_hole_ends_with_4(kdelta: Kdelta, store: Path, form: str) -> None:
    found = RUNS[form][0]()
    keep(store, Posted(found.run, found.records[:-1]))
    assert kdelta("compare", "--form", form).code == 4


@pytest.mark.parametrize("option", [("--stat", "mean"), ("--json",)])
def test_what_a_form_would_ignore_is_an_error(kdelta: Kdelta, option: tuple[str, ...]) -> None:
    result = kdelta("compare", "--form", "sdet", *option)
    assert result.code == 2
    assert f"{option[0]} and --form sdet exclude each other" in result.err


def test_raw_results_say_which_were_discarded_and_why(kdelta: Kdelta, store: Path) -> None:
    keep(store, smpnice())
    samples = [sample for boot in json.loads(kdelta("compare", "--json").out)["boots"] for sample in boot["samples"]]
    assert {sample["discarded"] for sample in samples} == {"", "followed by 3 results within 1.00%"}


def test_a_run_on_two_boxes_has_a_report_for_each(kdelta: Kdelta, store: Path) -> None:
    found = lock_page()
    other = msgspec.structs.replace(found.plan.boxes[0], name="G5", cpus=1)
    plan = msgspec.structs.replace(found.plan, boxes=(*found.plan.boxes, other))
    records = [msgspec.structs.replace(one, box=box) for box in ("P4 Xeon", "G5") for one in found.records]
    keep(store, Posted(msgspec.structs.replace(found.run, plan=plan), records))
    out = kdelta("compare", "--form", "range").out
    assert [line for line in out.splitlines() if line.endswith("(smaller is better)")] == [
        "2-way P4 Xeon box, us per operation, tasks bound to 1 CPU:  (smaller is better)",
        "1-way G5 box, us per operation, tasks bound to 1 CPU:  (smaller is better)",
    ]
