"""Published documents become runs: which blocks are one comparison, what they are called, and by what a run is known again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from kdelta.archive.as_runs import Made, runs, stem
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Discarded, Document, Entry, Function, Listing, Number


def number(text: str, *, factor: float = 1.0, line: int = 1) -> Number:
    return Number(text, float(text) * factor, 0.01 * factor, line, 1)


def entry(variant: str, text: str = "1.50", **more: object) -> Entry:
    fields = {"benchmark": "fork", "metric": "time", "figures": {"mean": number(text)}, **more}
    return msgspec.convert({"variant": variant, **fields}, Entry, from_attributes=True)


def block(*entries: Entry, first: int = 1, **more: object) -> Block:
    return msgspec.structs.replace(Block(format="table", first=first, last=first, entries=entries), **more)


def made(*blocks: Block, source: str = "mail.txt") -> list[Made]:
    return runs(Document(source=source, blocks=blocks))


def columns(found: list[Made]) -> list[list[str]]:
    return [[one.name for one in each.run.plan.variants] for each in found]


LISTING = Listing(benchmark="kernbench", new="b", difference=True, rows=(Function("schedule", number("3")),))


# ---- which blocks are one run ----


@dataclass(frozen=True)
class Case:
    blocks: tuple[Block, ...]
    columns: list[list[str]] = field(default_factory=list)


SETS = {
    "tables of the same variants are one run": Case(
        (block(entry("a"), entry("b")), block(entry("a", benchmark="exec"), entry("b", benchmark="exec"), first=9)), [["a", "b"]]
    ),
    "tables of other variants are other runs": Case(
        (block(entry("a"), entry("b")), block(entry("a"), entry("c"), first=9)), [["a", "b"], ["a", "c"]]
    ),
    "a table in which a variant is missing is of the run that has all": Case(
        (block(entry("a"), entry("b"), entry("c")), block(entry("a", benchmark="x"), entry("c", benchmark="x"))), [["a", "b", "c"]]
    ),
    "logs of one variant each are columns of one run": Case((block(entry("a")), block(entry("b"), first=9)), [["a", "b"]]),
    "logs that have nothing in common are not": Case((block(entry("a")), block(entry("b", benchmark="exec"))), [["a"], ["b"]]),
    "a variant without a name is called as the file": Case((block(entry("")),), [["mail"]]),
    "a difference of profiles lies with the variants that it names": Case(
        (block(entry("a"), entry("v6-b")), block(listings=(LISTING,))), [["a", "v6-b"]]
    ),
    "a profile that names nobody is of none of them": Case(
        (block(entry("a"), entry("b")), block(listings=(msgspec.structs.replace(LISTING, new=""),))), [["a", "b"], ["old", "new"]]
    ),
    "where nothing was read is no run": Case(()),
}


@pytest.mark.parametrize("case", SETS.values(), ids=SETS)
def test_sets_of_variants(case: Case) -> None:
    assert columns(made(*case.blocks)) == case.columns


def test_boxes_keep_what_is_theirs() -> None:
    (found,) = made(block(entry("a", box="P4"), entry("b", box="P4")), block(entry("a", box="G5"), entry("b", box="G5"), first=5))
    assert [(one.box, one.variant, len(one.published)) for one in found.boots] == [
        ("P4", "a", 1),
        ("P4", "b", 1),
        ("G5", "a", 1),
        ("G5", "b", 1),
    ]


def test_the_same_benchmarks_again_are_kept_apart_and_that_is_said() -> None:
    (found,) = made(block(entry("a"), entry("b")), block(entry("a", "2.5"), entry("b", "2.6"), first=7))
    assert [one.name for one in found.run.plan.boxes] == ["published", "published (2)"]
    assert found.notes == ("line 7: the same benchmarks again: kept apart, as on another box",)


def test_claims_alone_stay_with_what_stands_above_them() -> None:
    claim = Claim(kind="mean", what="all", printed=number("3"))
    (found,) = made(block(entry("a"), entry("b")), block(claims=(claim,), first=9))
    assert [len(one.block.claims) for one in found.run.origins] == [0, 1]


# ---- what a run holds ----


def test_values_are_in_the_unit_that_is_printed() -> None:
    usec: dict[str, Any] = {"unit": "s", "printed_unit": "usec"}
    (found,) = made(block(*(entry(name, figures={"mean": number("3.51", factor=1e-6)}, **usec) for name in "ab")))
    (one, _) = (boot.published[0] for boot in found.boots)
    assert (one.figures["mean"].value, one.unit, found.run.plan.benchmarks[0].metric.unit) == (3.51, "usec", "usec")


def test_of_two_units_values_stay_in_the_common_one() -> None:
    of = [("usec", 1e-6), ("ms", 1e-3)]
    entries = (
        entry(name, figures={"mean": number("3.51", factor=factor)}, unit="s", printed_unit=unit)
        for name, (unit, factor) in zip("ab", of, strict=True)
    )
    (found,) = made(block(*entries))
    assert [boot.published[0].figures["mean"].value for boot in found.boots] == pytest.approx([3.51e-6, 3.51e-3])
    assert found.run.plan.benchmarks[0].metric.unit == "s"


def test_percentages_have_no_other_unit() -> None:
    figures = {"mean": number("2.00", factor=1e-3), "cv": number("0.7"), "change": number("-3.0")}
    (found,) = made(block(entry("a", figures=figures, unit="s", printed_unit="ms")))
    assert {name: one.value for name, one in found.boots[0].published[0].figures.items()} == {
        "mean": 2.0,
        "cv": 0.7,
        "change": -3.0,
    }


def test_single_results_are_samples_and_what_is_not_judged_says_why() -> None:
    values = tuple(number(text) for text in ("1.0", "1.1"))
    (found,) = made(block(entry("a", figures={}, samples=values, discarded=[Discarded(number("9.0"), "warm-up")])))
    assert [(one.iteration, one.value, one.discarded) for one in found.boots[0].boot.samples] == [
        (0, 1.0, ""),
        (1, 1.1, ""),
        (2, 9.0, "warm-up"),
    ]


def test_what_has_no_number_ended_as_is_said_and_is_never_0() -> None:
    failed: dict[str, Any] = {"figures": {}, "state": CellState.FAILED, "reason": "hung"}
    (found,) = made(block(entry("a"), entry("b", **failed), entry("c", figures={})))
    states = [boot.boot.cells[0].state for boot in found.boots]
    assert states == [CellState.OK, CellState.FAILED, CellState.NOT_HERE]
    assert all(not boot.boot.samples for boot in found.boots)


def test_the_first_metric_is_the_one_that_is_judged() -> None:
    two = [entry("a"), entry("a", metric="rate", better=Better.LARGER)]
    (found,) = made(block(*two))
    assert [(one.name, one.better) for one in found.run.plan.benchmarks[0].metrics] == [
        ("time", Better.SMALLER),
        ("rate", Better.LARGER),
    ]


def test_an_error_that_is_said_to_be_a_standard_error_is_one() -> None:
    figures = {"mean": number("5.0"), "error": number("0.1")}
    (found,) = made(block(entry("a", figures=figures), facts={"error": "the standard error of the mean over the runs"}))
    assert list(found.boots[0].published[0].figures) == ["mean", "se"]


# ---- by what it is known again ----


def test_the_same_content_has_the_same_uuid_wherever_it_stands() -> None:
    here, there = block(entry("a"), entry("b")), block(entry("a"), entry("b"), first=90)
    (one,), (other,) = made(here), made(there, source="reply.txt")
    assert one.run.uuid == other.run.uuid
    assert made(block(entry("a", "1.51"), entry("b")))[0].run.uuid != one.run.uuid


@pytest.mark.parametrize(("name", "called"), [("results/old.txt", "old"), ("a\\b.log", "b"), (".x", ".x"), ("", "text")])
def test_a_file_is_called_without_its_folder_and_ending(name: str, called: str) -> None:
    assert stem(name) == called
