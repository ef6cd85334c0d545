"""Every table that a command prints, of a store in which a column failed, and of one in which it was not measured."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.builders import Kdelta, kernel
from tests.unit.posted import NUMAQ, Posted, Results, build, posted

from kdelta.model.plan import Slot
from kdelta.store.place import open_store
from kdelta.workload.catalogue import by_name

BENCHMARKS = ("kernbench-2x", "sdet-1")
GOOD: Results = build(45.0, 90.0, 580.0, 1480.0)
SCRIPTS: Results = {by_name()["sdet-1"].metric.name: (5000.0, 5010.0, 5020.0)}
ROUNDS = 3


def _run(place: Path, new: bool) -> None:
    """`old` was measured three times; and so was `new`, which failed each time, or it never was."""
    good = {"kernbench-2x": GOOD, "sdet-1": SCRIPTS}
    columns: dict[str, list[dict[str, Results]]] = {"old": [good] * ROUNDS, "new": [{}] * ROUNDS if new else []}
    found: Posted = posted([by_name()[name] for name in BENCHMARKS], columns, box=NUMAQ, rounds=ROUNDS)
    with closing(open_store(str(place))) as opened:
        run = opened.begin(found.plan, found.run.kernels, uuid="u", started="2024-02-29T12:34:56+00:00", kdelta_version="0")
        for position, one in enumerate(found.records):
            slot = Slot(position=position, box=one.box, variant=one.variant, seed=one.seed, benchmarks=found.plan.benchmarks)
            opened.add(run.id, slot, kernel(one.variant), one.boot)


@pytest.fixture
def failed(tmp_path: Path) -> None:
    _run(tmp_path / "store.sqlite", new=True)


@pytest.fixture
def missing(tmp_path: Path) -> None:
    _run(tmp_path / "store.sqlite", new=False)


def lines(text: str, *starts: str) -> list[str]:
    """Those that begin with one of `starts`, with one blank in place of several."""
    found = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in found if line.startswith(starts)]


# form -> how the lines of its cells begin, and those lines, with {} in place of what has no value
ROWS = ("kernbench-2x: ", "sdet-1: ")
TABLES = {
    "min": (ROWS, ["kernbench-2x: 45.00 {}", "sdet-1: 5010 {}", "kernbench-2x: 0.00% {}", "sdet-1: 0.00% {}"]),
    "kernbench": (("new ",), ["new {} {} {} {}"]),
    "sdet": (("new ",), ["new {} {}"]),
    "range": (("new ",), ["new {} {}"]),
    "verdict": (
        ROWS,
        ["kernbench-2x: 45.00 {}", "sdet-1: 5010 {}", *(f"{row}- no value a - 3+0 - -" for row in (ROWS[0], "sdet-1: ^ "))],
    ),
}


@pytest.mark.parametrize("form", TABLES)
def test_a_cell_that_failed_says_so(kdelta: Kdelta, failed: None, form: str) -> None:
    (starts, expected), result = TABLES[form], kdelta("compare", "--form", form)
    assert (result.code, lines(result.out, *starts)) == (4, [line.replace("{}", "failed") for line in expected])


@pytest.mark.parametrize("form", TABLES)
def test_a_cell_that_was_not_measured_is_a_dash(kdelta: Kdelta, missing: None, form: str) -> None:
    (starts, expected), result = TABLES[form], kdelta("compare", "--form", form)
    assert (result.code, lines(result.out, *starts)) == (4, [line.replace("{}", "-") for line in expected])


@pytest.mark.parametrize(("store", "said"), [("failed", "failed"), ("missing", "-")])
def test_a_block_of_the_log_without_results_has_no_figures(
    kdelta: Kdelta, request: pytest.FixtureRequest, store: str, said: str
) -> None:
    request.getfixturevalue(store)
    _, _, block = kdelta("compare", "--form", "log").out.partition("Kernbench log for new\n")
    assert lines(block, "Average", "failed", "-")[:2] == ["Average Custom load -j 32 Run (std deviation):", said]
    assert lines(block, "Elapsed", "User", "System") == []


@pytest.mark.parametrize("store", ["failed", "missing"])
def test_a_gate_names_what_has_no_value_and_does_not_end_well(kdelta: Kdelta, request: pytest.FixtureRequest, store: str) -> None:
    request.getfixturevalue(store)
    result = kdelta("compare", "--gate")
    assert result.code == 4
    assert lines(result.out, "Gate", "no value") == [
        "Gate passed; 2 missing.",
        "no value: kernbench-2x, new against old: no value, 3 and 0 boots; too few visits: 3 and 0, 3 of",
        "no value: sdet-1, new against old: no value, 3 and 0 boots; too few visits: 3 and 0, 3 of each in",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("profile new -b sdet-1", "kdelta: there is no profile of sdet-1 on new\n"),
        ("diffprofile old new -b sdet-1", "kdelta: there is no profile of sdet-1 on old\n"),
        ("diffprofile", "kdelta: run 1 holds no two variants that can be compared\n"),
    ],
)
def test_a_profile_that_is_not_there_is_none_of_nothing(kdelta: Kdelta, failed: None, words: str, said: str) -> None:
    result = kdelta(*words.split())
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(said)


@pytest.mark.parametrize(("store", "amount"), [("failed", "6/6 boots"), ("missing", "3/6 boots")])
def test_a_list_of_runs_counts_what_was_measured(kdelta: Kdelta, request: pytest.FixtureRequest, store: str, amount: str) -> None:
    request.getfixturevalue(store)
    assert kdelta("runs").out.split("  ")[3] == amount
