"""Tables between lines, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.grid import READER
from kdelta.judge.claims import check
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing

GRID = """\
+=========+==========+==========+=======+
| # tasks | vanilla  | dirty    | %diff |
+=========+==========+==========+=======+
| 2       | 46718565 | 48751350 | 4.35  |
+---------+----------+----------+-------+
| 4       | 51740198 | 50369082 | -2.65 |
+---------+----------+----------+-------+
| 32      | 53843519 | 61155508 | 13.58 |
+=========+==========+==========+=======+
"""
MARKDOWN = """\
Results of sysbench:

| Threads | Baseline | Patched | Change |
|---------|----------|---------|--------|
| 1       | 12.3 ms  | 11.9 ms | -3.3%  |
| 2       | 12.3 ms  | **10.9 ms** | -11.4% |
| 4       | -        | failed  | n/a    |
"""
UNITS = """\
| case | base (us) | stddev | patched (us) | stddev | speedup |
|:-----|----------:|--------|--------------|--------|---------|
| null | 1.20      | 0.01   | 1.00         | 0.02   | 1.20x   |
"""


def test_each_kernel_of_a_grid_has_its_values() -> None:
    found = blocks(READER, GRID)
    assert figures(entries(found, variant="vanilla"), "value") == [46718565, 51740198, 53843519]
    assert figures(entries(found, variant="dirty"), "value") == [48751350, 50369082, 61155508]
    assert figures(entries(found, variant="dirty"), "change") == [4.35, -2.65, 13.58]


def test_the_number_of_a_label_is_a_load_of_what_the_header_says() -> None:
    (one,) = entries(blocks(READER, GRID), benchmark="tasks-32", variant="dirty")
    assert one.parameters == {"tasks": "32"}


def test_a_difference_is_claimed_of_the_first_kernel_and_the_one_left_of_it() -> None:
    (block,) = blocks(READER, GRID)
    assert [one.text for one in block.claims[0].of] == ["46718565", "48751350"]
    assert {one.standing for one in check(block).claims} == {Standing.HOLDS}


def test_a_number_keeps_the_place_at_which_it_is_printed() -> None:
    value = entries(blocks(READER, GRID), variant="dirty")[0].figures["value"]
    assert (value.line, value.column) == (4, 24)


def test_a_unit_beside_a_value_or_in_the_header_is_of_it() -> None:
    assert figures(entries(blocks(READER, MARKDOWN), variant="Patched")[:2], "value") == pytest.approx([0.0119, 0.0109])
    (base, _) = entries(blocks(READER, UNITS))
    assert [base.figures["value"].value, base.figures["sd"].value] == pytest.approx([1.2e-6, 1e-8])
    assert (base.variant, base.unit, base.printed_unit) == ("base", "s", "us")


def test_an_empty_cell_is_missing_and_a_failure_is_one() -> None:
    found = entries(blocks(READER, MARKDOWN), benchmark="results-of-sysbench-4")
    assert [(one.figures, one.state) for one in found] == [({}, CellState.NOT_HERE), ({}, CellState.FAILED)]


def test_a_speed_up_is_a_quotient_of_times_or_of_rates() -> None:
    (block,) = blocks(READER, UNITS)
    assert [(one.claim.kind, one.standing) for one in check(block).claims] == [("quotient", Standing.HOLDS)]


def test_a_row_that_lacks_a_cell_is_left_out_with_a_remark() -> None:
    (block,) = blocks(READER, GRID.replace("| 13.58 |", "|"))
    assert len(block.entries) == 4
    assert (block.remarks[0].line, "not as many cells" in block.remarks[0].text) == (8, True)


@pytest.mark.parametrize(
    "other",
    [
        "| col a | col b | col c |\n|---|---|---|\n| 1 | 2 | 3 |\n",
        "| Command | Mean [ms] | Min [ms] | Relative |\n|:---|---:|---:|---:|\n| `a` | 1.0 ± 0.1 | 0.9 | 1.00 |\n",
        "| Benchmark | base | new |\n|---|---|---|\n| a | 1.2 us | 1.1 us: 1.05x faster |\n",
        "| a | before | after |\n",
        "|---|---|---|\n",
        "+--------+\n| before |\n+--------+\n",
    ],
)
def test_tables_that_compare_no_kernels_are_passed_over(other: str) -> None:
    assert blocks(READER, other) == []
