"""What perf diff prints, read from mails."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks

from kdelta.archive.perf_diff import READER

HEAD = """\
# Baseline  Delta Abs  Shared Object                Symbol
# ........  .........  ...........................  ................................................
#
"""
ROWS = """\
                +5.43%  [kernel.kallsyms]            [k] __update_freelist_slow
      0.00%     +4.55%  [kernel.kallsyms]            [k] _raw_spin_lock
      0.55%     +2.58%  [kernel.kallsyms]            [k] sock_wfree
      2.29%     -2.29%  [kernel.kallsyms]            [k] _raw_write_lock_irq
                +0.98%  [kernel.kallsyms].head.text  [k] 0x0000000000013004
"""
CYCLES = """\
# Baseline                        [Program Block Range] Cycles Diff        stddev/Hist  Shared Object      Symbol
# ........  .................................................. ....  .................  .................  ................
#
    46.72%                              [div.c:40 -> div.c:40]    0  @ 37.8% ########   div                [.] main
    17.04%                      [random.c:291 -> random.c:291]    0  @100.0% ########   libc-2.27.so       [.] __random
     0.00%                        [do_mmap+714 -> do_mmap+732]  -10                     [kernel.kallsyms]  [k] do_mmap
     0.00%         [native_write_msr+0 -> native_write_msr+16]  -13  @ 47.1% ########   [kernel.kallsyms]  [k] native_write_msr
     0.01%                                                                             [kernel.kallsyms]  [k] mwait
""".replace("@", "\u00b1").replace("########", "\u2581\u2588" * 4)


def test_deltas_are_points_beside_the_shares_of_the_baseline() -> None:
    (block,) = blocks(READER, f"here it is:\n{HEAD}{ROWS}")
    change, before = block.listings
    assert [(row.name, row.count.text) for row in change.rows] == [
        ("__update_freelist_slow", "+5.43"),
        ("_raw_spin_lock", "+4.55"),
        ("sock_wfree", "+2.58"),
        ("_raw_write_lock_irq", "-2.29"),
        ("[unknown]", "+0.98"),
    ]
    new = {row.name: row.count.value for row in change.rows}
    assert {row.name: round(row.count.value + new[row.name], 2) for row in before.rows} == {
        "_raw_spin_lock": 4.55,
        "sock_wfree": 3.13,
        "_raw_write_lock_irq": 0.0,
    }
    assert (change.difference, before.difference, change.unit) == (True, False, "% of the profile")


def test_a_blank_baseline_is_new_and_one_of_zero_is_not() -> None:
    (block,) = blocks(READER, f"{HEAD}{ROWS}")
    assert [remark.text for remark in block.remarks] == [
        "functions of the new profile alone, without a baseline: __update_freelist_slow, [unknown]"
    ]
    assert ("_raw_spin_lock", "0.00") in [(row.name, row.count.text) for row in block.listings[1].rows]


def test_a_number_keeps_its_place_under_a_quote() -> None:
    quoted = "".join(f"> {line}\n" for line in f"{HEAD}{ROWS}".splitlines())
    change, before = blocks(READER, quoted)[0].listings
    assert [(one.rows[2].count.line, one.rows[2].count.column) for one in (change,)] == [(6, 19)]
    assert (before.rows[1].count.line, before.rows[1].count.column) == (6, 9)


def test_cycles_of_blocks_are_no_shares_and_may_lack_a_deviation() -> None:
    (block,) = blocks(READER, CYCLES)
    (found,) = block.listings
    assert [(row.name, row.count.value, row.percent and row.percent.value) for row in found.rows] == [
        ("main (div) [div.c:40 -> div.c:40]", 0.0, 37.8),
        ("__random (libc-2.27.so) [random.c:291 -> random.c:291]", 0.0, 100.0),
        ("do_mmap [do_mmap+714 -> do_mmap+732]", -10.0, None),
        ("native_write_msr [native_write_msr+0 -> native_write_msr+16]", -13.0, 47.1),
    ]
    assert found.unit.startswith("cycles")


def test_two_tables_are_two_differences() -> None:
    assert [len(block.listings[0].rows) for block in blocks(READER, f"{HEAD}{ROWS}\n{HEAD}{ROWS}")] == [5, 5]


def test_without_deltas_only_the_baseline_is_read() -> None:
    (block,) = blocks(READER, f"{HEAD.replace('Delta Abs', 'Ratio    ')}{ROWS}")
    assert [one.new for one in block.listings] == ["baseline"]
    assert "only the baseline" in block.remarks[0].text


@pytest.mark.parametrize("written", [ROWS, HEAD, f"Baseline\n{ROWS}"])
def test_without_a_head_or_rows_there_is_no_difference(written: str) -> None:
    assert blocks(READER, written) == []
