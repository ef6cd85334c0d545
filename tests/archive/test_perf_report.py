"""What perf report prints, read from mails."""

from __future__ import annotations

from tests.archive.reading import blocks

from kdelta.archive.perf_report import CALLEES, READER

REPORT = """\
# hostname : box
# os release : 4.8.0-rc1-00176
# nrcpus online : 48
# Samples: 8K of event 'cycles:pp'
# Event count (approx.): 8895026685
#
# Children      Self  Shared Object        Symbol
# ........  ........  ...................  ..............................................
#
    82.61%     0.42%  [kernel.kallsyms]    [k] cpu_startup_entry
81.41% cpu_startup_entry;start_secondary
1.20% cpu_startup_entry;rest_init;start_kernel;x86_64_start_reservations
    82.06%     0.00%  [kernel.kallsyms]    [k] start_secondary
82.06% start_secondary
    53.46%    53.46%  [kernel.kallsyms]    [k] intel_idle
52.41% intel_idle;cpuidle_enter_state;cpuidle_enter
     9.15%     0.02%  [kernel.kallsyms]    [k] xfs_file_iomap_begin_delay.isra.9
"""
FLAT = """\
# Samples: 5K of event 'cycles'
# Overhead  Command  Shared Object      Symbol
# ........  .......  .................  ......................
    12.50%  dd       [kernel.kallsyms]  [k] copy_user_generic
     3.25%  dd       libc-2.15.so       [.] read
"""


def test_a_function_has_a_share_of_its_own_and_one_with_its_callees() -> None:
    (block,) = blocks(READER, REPORT)
    own, callees = block.listings
    assert [(row.name, row.count.value) for row in own.rows] == [
        ("cpu_startup_entry", 0.42),
        ("start_secondary", 0.0),
        ("intel_idle", 53.46),
        ("xfs_file_iomap_begin_delay.isra.9", 0.02),
    ]
    assert [row.count.value for row in callees.rows] == [82.61, 82.06, 53.46, 9.15]
    assert (own.unit, callees.unit) == ("% of the profile", CALLEES)


def test_call_chains_are_no_rows_though_they_begin_with_a_percentage() -> None:
    (block,) = blocks(READER, REPORT)
    assert {len(one.rows) for one in block.listings} == {4}


def test_two_equal_shares_have_two_places() -> None:
    own, callees = blocks(READER, REPORT)[0].listings
    assert [(one.rows[2].count.line, one.rows[2].count.column) for one in (own, callees)] == [(15, 15), (15, 5)]


def test_the_lines_above_say_of_what_kernel_and_of_how_many_samples_it_is() -> None:
    (block,) = blocks(READER, REPORT)
    assert block.facts["samples"] == "8K of event 'cycles:pp'"
    assert block.facts["event count"] == "8895026685"
    assert {one.new for one in block.listings} == {"4.8.0-rc1-00176"}


def test_each_event_is_a_profile_of_its_own() -> None:
    first, second = blocks(READER, f"{FLAT}\n{FLAT.replace('cycles', 'faults').replace('12.50', '62.50')}")
    assert [one.title for one in (first, second)] == ["5K of event 'cycles'", "5K of event 'faults'"]
    assert [one.listings[0].rows[0].count.value for one in (first, second)] == [12.5, 62.5]
    assert [row.name for row in first.listings[0].rows] == ["copy_user_generic", "read (libc-2.15.so)"]


def test_words_are_no_report() -> None:
    assert blocks(READER, "The Overhead is 5.00% here.\n  5.00%  dd  [k] read\n") == []
