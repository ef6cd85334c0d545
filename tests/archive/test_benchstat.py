"""benchstat's tables, of 2023 and of 2017, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive import benchstat, benchstat_old
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing

MICRO, MU = "\u00b5", "\u03bc"
SETS = f"""\
goos: linux
note: x
        │   before    │                after                │
        │   sec/op    │   sec/op     vs base                │
A         100.0n ± 0%   100.0n ± 0%       ~ (p=1.000 n=6) ¹
B         10.00{MICRO} ± 0%
C                       10.00{MICRO} ± 0%
geomean   1.000{MICRO}        1.000{MICRO}       +0.00%               ²
¹ all samples are equal
² benchmark set differs from baseline; geomeans may not be comparable
"""
FASTER = """\
               │    before     │                after                │
               │    sec/op     │    sec/op     vs base               │
FloatSub/100-4   115.00n ± ∞ ¹   78.80n ± ∞ ¹  -31.48% (p=0.008 n=5)
¹ need >= 6 samples for confidence interval at level 0.95
"""
SMALL = """\
  │    before    │              after              │
  │    sec/op    │    sec/op     vs base           │
X   100.0n ± ∞ ¹   101.0n ± ∞ ¹  ~ (p=1.000 n=1) ²
¹ need >= 6 samples for confidence interval at level 0.95
² need >= 4 samples to detect a difference at alpha level 0.05
"""
THREE = f"""\
        │    IEEE     │             Castagnoli              │                 Koopman                 │
        │   sec/op    │   sec/op     vs base                │    sec/op      vs base                  │
15        44.40n ± 2%   16.30n ± 2%  -63.29% (p=0.000 n=10)     35.60n ± 1%    -19.82% (p=0.000 n=10)
32kB      2.145{MU} ± 4%   1.218{MU} ± 2%  -43.23% (p=0.000 n=10)    73.206{MU} ± 4%  +3313.64% (p=0.000 n=10)

        │      IEEE      │
        │      B/s       │
15          322.1Mi ± 2%
"""
OLD = f"""\
name                     old time/op    new time/op    delta
BinaryTree17-2              4.67s ± 2%     4.71s ± 1%    ~     (p=0.421 n=5+5)
FmtFprintfEmpty-2           122ns ± 0%     120ns ± 2%  -1.80%  (p=0.016 n=4+5)
FmtFprintfFloat-2           502ns ± 2%     502ns ± 2%    ~     (all equal)
[Geo mean]                  65.9{MICRO}s         65.7{MICRO}s       -0.42%

name \\ speed  a.txt         b.txt         c.txt
Copy-8        10.0MB/s ± 1%  11.0MB/s ± 1%  12.0MB/s ± 2%
"""


def test_medians_are_in_seconds_whatever_their_prefix() -> None:
    (block,) = blocks(benchstat.READER, SETS)
    assert figures([one for one in block.entries if one.figures], "median") == pytest.approx([100e-9, 10e-6, 100e-9, 10e-6])
    first = block.entries[0]
    assert (first.variant, first.unit, first.printed_unit, first.count, first.better) == (
        "before",
        "s",
        "nsec/op",
        6,
        Better.SMALLER,
    )


def test_a_blank_cell_is_missing() -> None:
    found = blocks(benchstat.READER, SETS)
    missing = [(one.variant, one.benchmark) for one in entries(found) if one.state is CellState.NOT_HERE]
    assert missing == [("before", "C"), ("after", "B")]
    assert all(not one.figures for one in entries(found) if one.state is CellState.NOT_HERE)


def test_geometric_means_of_different_benchmarks_compare_nothing() -> None:
    (block,) = blocks(benchstat.READER, SETS)
    claims = {one.claim.what: one.standing for one in check(block).claims}
    assert claims == {
        "geomean, before": Standing.HOLDS,
        "geomean, after": Standing.HOLDS,
        "geomean, after against before": Standing.UNCHECKED,
    }
    assert any("different benchmarks" in remark.text for remark in block.remarks)


def test_notes_stand_at_the_rows_that_they_mark() -> None:
    (block,) = blocks(benchstat.READER, SETS)
    said = [(remark.line, remark.text) for remark in block.remarks]
    assert (5, "A: all samples are equal") in said
    assert (8, "geomean: benchmark set differs from baseline; geomeans may not be comparable") in said
    assert (5, "A, after against before: U test, p = 1.000, 6 samples") in said
    assert (block.title, block.last) == ("goos: linux, note: x", 10)


def test_too_few_samples_for_an_interval_have_none() -> None:
    (block,) = blocks(benchstat.READER, FASTER)
    assert [{name: one.value for name, one in entry.figures.items()} for entry in block.entries] == [
        {"median": pytest.approx(115e-9)},
        {"median": pytest.approx(78.8e-9), "change": -31.48},
    ]
    assert [one.count for one in block.entries] == [5, 5]


def test_a_change_follows_from_the_medians_and_its_p_value_is_a_claim() -> None:
    (block,) = blocks(benchstat.READER, FASTER)
    change, significant = check(block).claims
    assert (change.standing, change.claim.kind) == (Standing.HOLDS, "change")
    assert (significant.claim.kind, significant.claim.printed.text, significant.claim.count) == ("significant", "0.008", 5)


def test_one_sample_a_side_is_told_and_claims_nothing() -> None:
    (block,) = blocks(benchstat.READER, SMALL)
    assert figures(block.entries, "median") == pytest.approx([100e-9, 101e-9])
    assert ([one.count for one in block.entries], block.claims) == ([1, 1], ())
    assert any("need >= 4 samples" in remark.text for remark in block.remarks)
    assert any("one sample a side" in remark.text for remark in block.remarks)


def test_each_column_is_compared_with_the_first() -> None:
    one, two = blocks(benchstat.READER, THREE)
    assert [(entry.variant, entry.benchmark) for entry in one.entries] == [
        ("IEEE", "15"),
        ("IEEE", "32kB"),
        ("Castagnoli", "15"),
        ("Castagnoli", "32kB"),
        ("Koopman", "15"),
        ("Koopman", "32kB"),
    ]
    changes = [claim for claim in check(one).claims if claim.claim.kind == "change"]
    assert [claim.claim.printed.value for claim in changes] == [-63.29, -19.82, -43.23, 3313.64]
    assert {claim.standing for claim in changes} == {Standing.HOLDS}
    assert two.entries[0].figures["median"].value == pytest.approx(322.1 * 2**20)
    assert two.entries[0].better is Better.LARGER


def test_a_spread_is_in_the_unit_of_the_median() -> None:
    entry = blocks(benchstat.READER, THREE)[0].entries[0]
    assert entry.figures["error"].value == pytest.approx(0.02 * 44.4e-9)


def test_columns_of_one_name_are_counted() -> None:
    (block,) = blocks(benchstat.READER, FASTER.replace("before", "x.txt ").replace("after", "x.txt"))
    assert [one.variant for one in block.entries] == ["x.txt", "x.txt (2)"]


def test_bars_without_a_header_are_no_table() -> None:
    assert blocks(benchstat.READER, "│ a │ b │\n│ c │\n│  │  │\n│  │  │\n") == []


def test_the_old_table_has_units_behind_its_means() -> None:
    found = blocks(benchstat_old.READER, OLD)[0]
    assert figures(found.entries) == pytest.approx([4.67, 122e-9, 502e-9, 4.71, 120e-9, 502e-9])
    assert [one.count for one in found.entries] == [5, 4, None, 5, 5, None]
    assert found.entries[0].figures["error"].value == pytest.approx(0.0934)


def test_the_old_table_drops_samples_and_that_is_told() -> None:
    found = blocks(benchstat_old.READER, OLD)[0]
    said = [remark.text for remark in found.remarks]
    assert "FmtFprintfEmpty-2: samples were dropped as outliers, 4 and 5 are left" in said
    assert "FmtFprintfFloat-2: all samples are equal" in said


def test_changes_and_means_of_the_old_table_are_claims() -> None:
    checked = {
        one.claim.what: one.standing
        for one in check(blocks(benchstat_old.READER, OLD)[0]).claims
        if one.claim.kind != "significant"
    }
    assert checked == {
        "FmtFprintfEmpty-2, new against old": Standing.HOLDS,
        "geometric mean, new against old": Standing.HOLDS,
        "geometric mean, old": Standing.HOLDS,
        "geometric mean, new": Standing.HOLDS,
    }


def test_the_old_table_of_many_files_has_a_variant_for_each() -> None:
    found = blocks(benchstat_old.READER, OLD)[1]
    assert [(one.variant, one.figures["mean"].value, one.unit) for one in found.entries] == [
        ("a.txt", 10e6, "B/s"),
        ("b.txt", 11e6, "B/s"),
        ("c.txt", 12e6, "B/s"),
    ]
