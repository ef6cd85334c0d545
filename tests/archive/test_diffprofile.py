"""Differences of two profiles in mails, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks

from kdelta.archive.diffprofile import READER
from kdelta.judge.claims import check
from kdelta.model.checked import Standing
from kdelta.model.published import Block, Listing

ROWS = """\
      6159     4.4% total
      3786     0.0% move_vma_start
       762  8466.7% __down
       282     0.0% install_page
...
      -535   -85.3% .text.lock.dec_and_lock
      -208  -100.0% pid_revalidate
"""
KERNBENCH = """\
Kernbench: (make -j vmlinux, maximal tasks)
                              Elapsed      System        User         CPU
               2.5.73-mm3       45.38      114.91      565.81     1497.75
       2.5.73-mm3-highpte       46.54      130.41      566.84     1498.00
"""
SDET = """\
SDET 32  (see disclaimer)
                           Throughput    Std. Dev
               2.5.73-mm3       100.0%         0.8%
       2.5.73-mm3-highpte        95.3%         0.1%
"""
TAIL = ROWS.partition("...\n")[2]


def listing(written: str) -> Listing:
    (block,) = blocks(READER, written)
    return block.listings[0]


def remarks(block: Block) -> dict[int, str]:
    return {one.line: one.text for one in block.remarks}


def test_each_row_is_a_signed_difference_and_a_percentage_of_the_old_count() -> None:
    found = listing(ROWS)
    assert [(row.name, row.count.value) for row in found.rows] == [
        ("move_vma_start", 3786.0),
        ("__down", 762.0),
        ("install_page", 282.0),
        (".text.lock.dec_and_lock", -535.0),
        ("pid_revalidate", -208.0),
    ]
    assert [row.percent and row.percent.value for row in found.rows] == [0.0, 8466.7, 0.0, -85.3, -100.0]
    assert (found.difference, found.unit, found.cut) == (True, "ticks", True)


@pytest.mark.parametrize("at", [0, 3, 5])
def test_the_total_is_no_function_wherever_it_stands_and_no_sum(at: int) -> None:
    lines = [line for line in ROWS.splitlines(keepends=True) if "total" not in line]
    lines.insert(at, "      6159     4.4% total\n")
    found = listing("".join(lines))
    assert found.total is not None
    assert found.total.count.value == 6159.0
    assert len(found.rows) == 5
    assert sum(row.count.value for row in found.rows) != found.total.count.value


def test_nothing_that_a_difference_prints_can_be_checked_without_the_old_counts() -> None:
    (block,) = blocks(READER, ROWS)
    found = check(block).claims
    assert {one.standing for one in found} == {Standing.UNCHECKED}
    assert [one.claim.kind for one in found].count("change") == 6


def test_zero_percent_of_an_increase_means_new_and_not_unchanged() -> None:
    (block,) = blocks(READER, ROWS)
    said = remarks(block)
    assert said[2] == "move_vma_start is new: 0.0 % is printed of nothing"
    # The old total, 139,977, allows for a function of which 282 are 0.2 %, so of which 0.05 % is less than that.
    assert said[4] == "install_page is new: 0.0 % is printed of nothing"


def test_zero_percent_that_may_be_a_rounded_one_is_said_to_be_doubtful() -> None:
    (block,) = blocks(READER, ROWS.replace("   282     0.0%", "     6     0.0%"))
    assert remarks(block)[4].endswith("or has so many ticks that this is 0 % of them")


def test_a_number_keeps_its_place_in_a_quote() -> None:
    found = listing("".join(f">> {line}\n" for line in ROWS.splitlines()))
    assert (found.rows[1].count.line, found.rows[1].count.column) == (3, 11)
    assert found.rows[1].percent is not None
    assert (found.rows[1].percent.text, found.rows[1].percent.column) == ("8466.7", 16)


TITLES = [
    ("diffprofile 2.5.6{7,8}-mm1/kernbench/0/profile", "kernbench", "2.5.67-mm1", "2.5.68-mm1"),
    (" diffprofile {2.5.67-mm1,2.5.68-mm1}/sdetbench/128/profile", "sdet-128", "2.5.67-mm1", "2.5.68-mm1"),
    ("diffprofile a/2.5.67/sdetbench/8/profile a/2.5.68/sdetbench/8/profile", "sdet-8", "2.5.67", "2.5.68"),
    ("Diffprofile for kernbench -j32 (-ve numbers better with mm2)", "kernbench", "", "mm2"),
    ("sdetbench 8 (-ve numbers better with mm2)", "sdet-8", "", "mm2"),
    ("diffprofile for kernbench (- is better with 4/4 on, + worse)", "kernbench", "", "4/4 on"),
    ("2.5.59-mjb6 -> 2.5.61-mjb1 (+ worse in 61, - better)", "", "2.5.59-mjb6", "2.5.61-mjb1"),
    ("diffprofile from partial objrmap to aa3:", "", "partial objrmap", "aa3"),
    ("SDET 64 profile, 2.6.7 vs 2.6.8:", "sdet-64", "2.6.7", "2.6.8"),
    ("OK, done. diffprofile with and without spinlines below:", "", "", ""),
]


@pytest.mark.parametrize(("title", "benchmark", "old", "new"), TITLES)
@pytest.mark.parametrize("between", ["", "\n", "\n...\n"])
def test_the_title_says_of_what_it_is(title: str, benchmark: str, old: str, new: str, between: str) -> None:
    (block,) = blocks(READER, f"{title}\n{between}{ROWS}")
    found = block.listings[0]
    assert (block.title, found.benchmark, found.old, found.new) == (title.strip(), benchmark, old, new)


def test_without_a_title_it_is_of_the_results_above_it() -> None:
    first, second = blocks(READER, f"{KERNBENCH}\n(note system time)\n\n{ROWS}\n\n{SDET}\n\n{ROWS.replace('6159', '971')}")
    assert [one.listings[0].benchmark for one in (first, second)] == ["kernbench-maximal", "sdet-32"]
    assert {(one.listings[0].old, one.listings[0].new) for one in (first, second)} == {("2.5.73-mm3", "2.5.73-mm3-highpte")}
    assert "by line 1" in first.remarks[0].text
    assert "by the table above" in first.remarks[1].text


def test_a_title_that_names_no_kernels_is_not_of_those_of_the_results_above() -> None:
    found = listing(f"{SDET}\nand a raw sdet64 profile says so.\n\ndiffprofile with and without spinlines:\n{ROWS}")
    assert (found.benchmark, found.old, found.new) == ("sdet-64", "", "")


def test_a_kernel_may_be_called_by_the_end_of_its_name() -> None:
    found = listing(f"{SDET}\nDiffprofile for sdet 32 (-ve numbers better with highpte)\n{ROWS}")
    assert (found.old, found.new) == ("", "2.5.73-mm3-highpte")


def test_of_three_kernels_nobody_knows_which_two_are_compared() -> None:
    found = listing(f"{SDET}               2.5.73-mm4        96.3%         0.1%\n\n{ROWS}")
    assert (found.benchmark, found.old, found.new) == ("sdet-32", "", "")


def test_rows_that_were_pasted_twice_are_kept_once_and_under_their_title() -> None:
    (block,) = blocks(
        READER, f"at the high loads, it's still{TAIL}\nslightly improved.\n\nsdetbench 8 (- is better with mm2)\n\n...\n{TAIL}"
    )
    assert (block.first, len(block.listings[0].rows), block.listings[0].cut) == (6, 2, True)
    assert remarks(block)[1] == "lines 1 to 2 are rows of this profile, pasted twice, and kept once"


@pytest.mark.parametrize("order", ["{0}\nwords\n\n{1}", "{1}\nwords\n\n{0}"])
def test_the_longer_one_of_two_pastes_is_kept(order: str) -> None:
    (block,) = blocks(READER, order.format(TAIL, ROWS))
    assert len(block.listings[0].rows) == 5
    assert "pasted twice" in block.remarks[0].text


def test_a_row_behind_words_counts_only_above_another_row() -> None:
    found = listing(f"it is still{ROWS}")
    assert found.total is not None
    assert (found.total.count.line, found.total.count.column) == (1, 18)
    assert len(listing(f"{ROWS}it is still       -58   -33.5% clear_page_tables\nand more\n").rows) == 5


def test_listings_without_a_line_between_are_told_apart_by_their_totals() -> None:
    first, second = blocks(READER, f"{ROWS}{ROWS.replace('6159', '971')}")
    assert [one.listings[0].total and one.listings[0].total.count.value for one in (first, second)] == [6159.0, 971.0]


def test_a_difference_of_our_own_has_words_for_new_and_gone() -> None:
    found = listing("  90  new  kmap_atomic [ext3]\n   5  1.0% schedule\n -12  gone getname\n")
    assert [(row.name, row.percent is None) for row in found.rows] == [
        ("kmap_atomic [ext3]", True),
        ("schedule", False),
        ("getname", True),
    ]


@pytest.mark.parametrize(
    "written",
    ["  10  5.0% total\n", "  10  -5.0% a\n  -10  5.0% b\n", "  -10  -101.0% a\n  -10  -101.0% b\n", "about 4 10% more\n" * 3],
)
def test_one_row_alone_and_what_contradicts_itself_is_no_difference(written: str) -> None:
    assert blocks(READER, written) == []


BARE = """\
{title}

44770 total
27840 do_anonymous_page
3180 buffered_rmqueue
919 page_remove_rmap
-112 __copy_user_intel
-1534 default_idle
"""


@pytest.mark.parametrize(
    "title", ["diffprofile:", "diffprofile (+ gets worse, - gets better).", "2.5.59 -> 2.5.61 (+ worse in 61)"]
)
def test_rows_without_percentages_are_read_below_a_title_that_says_what_they_are(title: str) -> None:
    found = listing(BARE.format(title=title))
    assert found.difference
    assert found.total is not None
    assert [one.count.value for one in found.rows] == [27840.0, 3180.0, 919.0, -112.0, -1534.0]
    assert {one.percent for one in found.rows} == {None}


@pytest.mark.parametrize("title", ["profile:", "ticks", ""])
def test_rows_without_percentages_are_no_difference_below_another_title(title: str) -> None:
    assert blocks(READER, BARE.format(title=title)) == []


def test_numbers_and_words_that_are_not_sorted_are_no_difference() -> None:
    assert blocks(READER, BARE.format(title="diffprofile:").replace("3180", "318")) == []
