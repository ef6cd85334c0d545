"""Tables of multiples of the first kernel's values, and rows of percentages, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive import percent_rows
from kdelta.archive.normalised_table import READER
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.checked import Standing

HEADER = "{label}          base[pct imp](CV)         eevdf[pct imp](CV)    eevdf-curb[pct imp](CV)\n"


def about(test: str, units: str, better: str, statistic: str) -> str:
    rule = "=" * 66
    first = f"{rule}\nTest          : {test}\nUnits         : {units}\n"
    return f"{first}Interpretation: {better} is better\nStatistic     : {statistic}\n{rule}\n"


HACKBENCH = f"""\
* - Regression
^ - Improvement

{about("hackbench", "Normalized time in seconds", "Lower", "AMean")}{HEADER.format(label="Case:")}\
 2-groups     1.00 [ -0.00]( 1.63)     1.05 [ -4.68]( 2.04)     1.04 [ -3.75]( 1.25)  *
 4-groups     1.00 [ -0.00]( 1.80)     1.07 [ -7.47]( 2.38)     1.07 [ -6.81]( 1.68)  *
"""
NETPERF = f"""\
{about("netperf", "Normalized Througput", "Higher", "AMean")}{HEADER.format(label="Clients:")}\
128-clients    1.00 [  0.00]( 1.57)     1.00 [ -0.42]( 1.72)     0.99 [ -0.63]( 1.64)
512-clients    1.00 [  0.00](45.83)     1.00 [  0.12](52.42)     0.97 [ -2.75](57.69) \n"""
SCHBENCH = f"""\
{about("schbench (old)", "Normalized 99th percentile latency in us", "Lower", "Median")}{HEADER.format(label="#workers:")}\
256     1.00 [ -0.00]( 8.50)     0.15 [ 84.84](26.04)     0.17 [ 83.43]( 8.04)  ^
"""
YCSB = f"""\
{about("ycsb-mongodb", "Throughput", "Higher", "AMean")}
base\t\t\t303129.00 (var: 0.68%)
eevdf\t\t\t309589.33 (var: 1.41%)\t(+2.13%)
eevdf-curb\t\t303940.00 (var: 1.09%)\t(+0.27%)
"""
SOCIAL = f"""\
{about("DeathStarBench", "%diff of Throughput", "Higher", "AMean")}
\t       base\t eevdf\t       eevdf_curb
1CCD\t\t0%      -15.15% \t-16.55%
4CCD\t\t0%      -7.50%  \t-10.11%
"""
COMPARED = """\
netperf
=======
case                    load            baseline(std%)  compare%( std%)
UDP_RR                  56-threads       1.00 (  1.34)   +1.05 (  1.04)
UDP_RR          \t224-threads\t 1.00 (  2.52)\t+665.38 (  3.38)
process-pipe    \t1 group \t 1.00 (  0.59)\t -1.35 (  0.88)
"""


def test_multiples_are_relative_to_the_first_kernel() -> None:
    found = entries(blocks(READER, HACKBENCH), benchmark="hackbench-2")
    assert [(one.variant, one.relative, one.unit) for one in found] == [
        ("base", "multiples of base", "x"),
        ("eevdf", "multiples of base", "x"),
        ("eevdf-curb", "multiples of base", "x"),
    ]
    assert figures(found) == [1.00, 1.05, 1.04]


def test_percentage_and_spread_stand_beside_the_multiple() -> None:
    (one,) = entries(blocks(READER, HACKBENCH), benchmark="hackbench-2", variant="eevdf")
    assert {name: each.text for name, each in one.figures.items()} == {"mean": "1.05", "change": "-4.68", "cv": "2.04"}


def test_what_is_better_is_what_the_interpretation_says() -> None:
    found = [entries(blocks(READER, of))[0] for of in (HACKBENCH, NETPERF, SCHBENCH)]
    assert [one.better for one in found] == [Better.SMALLER, Better.LARGER, Better.SMALLER]


def test_the_statistic_above_is_the_figure() -> None:
    assert "median" in entries(blocks(READER, SCHBENCH))[0].figures


def test_a_plus_is_an_improvement_though_the_multiple_falls() -> None:
    (block,) = blocks(READER, SCHBENCH)
    assert [one.standing for one in check(block).claims[:2]] == [Standing.HOLDS, Standing.HOLDS]
    assert figures(entries([block], variant="eevdf"), "change") == [84.84]


def test_a_change_that_two_decimals_hide_holds() -> None:
    (block,) = blocks(READER, NETPERF)
    hidden = next(one for one in check(block).claims if one.claim.printed.text == "-0.42")
    assert (hidden.standing, hidden.claim.of[1].text) == (Standing.HOLDS, "1.00")


def test_a_large_spread_that_is_glued_to_its_bracket_is_read() -> None:
    found = entries(blocks(READER, NETPERF), benchmark="netperf-512")
    assert figures(found, "cv") == [45.83, 52.42, 57.69]
    assert figures(found, "change") == [0.0, 0.12, -2.75]


def test_minus_nothing_is_kept_as_it_is_printed() -> None:
    assert entries(blocks(READER, HACKBENCH))[0].figures["change"].text == "-0.00"


@pytest.mark.parametrize(("of", "said"), [(HACKBENCH, "Regression"), (SCHBENCH, "what the mark means is not said")])
def test_a_mark_behind_a_row_is_what_its_legend_says(of: str, said: str) -> None:
    (block,) = blocks(READER, of)
    marks = [one for one in check(block).claims if one.claim.kind == "significant"]
    assert {one.standing for one in marks} == {Standing.UNCHECKED}
    assert marks[0].claim.what.endswith(f": {said}")


def test_a_row_that_lacks_a_kernel_is_passed_over_with_a_remark() -> None:
    (block,) = blocks(READER, HACKBENCH.replace("     1.07 [ -6.81]( 1.68)", ""))
    assert {one.benchmark for one in block.entries} == {"hackbench-2"}
    assert "2 values for 3 kernels" in block.remarks[0].text


def test_of_a_comparison_without_a_value_the_percentage_alone_is_read() -> None:
    (block,) = blocks(READER, COMPARED)
    base, new = entries([block], benchmark="netperf-udp-rr-56")
    assert ({name: one.text for name, one in base.figures.items()}, base.relative) == (
        {"value": "1.00", "cv": "1.34"},
        "multiples of baseline",
    )
    assert {name: one.text for name, one in new.figures.items()} == {"change": "+1.05", "cv": "1.04"}
    assert {one.standing for one in check(block).claims} == {Standing.UNCHECKED}


def test_the_load_of_a_comparison_is_a_number_and_what_it_is_of() -> None:
    found = entries(blocks(READER, COMPARED), variant="compare")
    assert [one.parameters for one in found] == [{"threads": "56"}, {"threads": "224"}, {"groups": "1"}]


def test_a_kernel_on_each_line_has_its_variation() -> None:
    (block,) = blocks(percent_rows.READER, YCSB)
    assert [(one.variant, one.figures["mean"].value, one.figures["cv"].value) for one in block.entries] == [
        ("base", 303129.00, 0.68),
        ("eevdf", 309589.33, 1.41),
        ("eevdf-curb", 303940.00, 1.09),
    ]
    assert [(one.claim.printed.text, one.standing) for one in check(block).claims] == [
        ("+2.13", Standing.HOLDS),
        ("+0.27", Standing.HOLDS),
    ]


def test_percentages_alone_are_relative_and_cannot_be_checked() -> None:
    (block,) = blocks(percent_rows.READER, SOCIAL)
    assert [(one.variant, one.benchmark, one.figures["change"].value) for one in block.entries[:3]] == [
        ("base", "deathstarbench-1ccd", 0.0),
        ("eevdf", "deathstarbench-1ccd", -15.15),
        ("eevdf_curb", "deathstarbench-1ccd", -16.55),
    ]
    assert {one.relative for one in block.entries} == {"% difference from base"}
    assert {one.standing for one in check(block).claims} == {Standing.UNCHECKED}


@pytest.mark.parametrize(
    "other", ["Overhead  1.00 [ -0.00]( 1.63)\n", "1CCD  0%  -15.15%\n", "case load baseline(std%) compare%( std%)\n"]
)
def test_rows_without_their_header_are_passed_over(other: str) -> None:
    assert blocks(READER, other) == []
    assert blocks(percent_rows.READER, f"the %diff is\n{other}") == []


def test_what_the_first_kernel_differs_from_is_not_claimed() -> None:
    (block,) = blocks(percent_rows.READER, YCSB.replace("(var: 0.68%)", "(var: 0.68%)\t(+0.00%)"))
    assert [one.printed.text for one in block.claims] == ["+2.13", "+0.27"]


def test_rows_of_kernels_may_have_no_blank_behind_the_name_and_say_what_the_percentage_is() -> None:
    text = """\
Test          : ycsb-mongodb
Units         : Throughput
Interpretation: Higher is better
Statistic     : AMean
================================

tip:            301757.33 (var: 1.63%)  (%diff: +0.00%)
eevdf-curb;     309589.33 (var: 1.41%)  (%diff: +2.60%)
next-level:131070.33 (var: 2.84%) (-56.56%)
"""
    (block,) = blocks(percent_rows.READER, text)
    assert [one.variant for one in block.entries] == ["tip", "eevdf-curb", "next-level"]
    assert [one.figures["change"].text for one in block.entries] == ["+0.00", "+2.60", "-56.56"]
    assert {one.standing for one in check(block).claims} == {Standing.HOLDS}


def test_a_star_behind_percentages_alone_ends_no_table() -> None:
    text = """\
Test          : DeathStarBench
Units         : %diff of Throughput
Interpretation: Higher is better

           base    eevdf    curb
1CCD       0%      -14.95%   -16.35%     *
2CCD       0%      -13.50%   -15.94%     * High variance (~10%)
"""
    (block,) = blocks(percent_rows.READER, text)
    assert len(block.entries) == 6
