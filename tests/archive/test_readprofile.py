"""Profiles of readprofile in mails, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks

from kdelta.archive.readprofile import READER
from kdelta.model.published import Listing

ALTIX = """\
[root@host root]# time readprofile -m System.map-2.6.8.1-mm3 | sort -nr |
head -20
62551761 total                                      9.6980
27173178 default_idle                             70763.4844
27081955 ia64_pal_call_static                     141051.8490
 11457 del_timer_sync                            22.3770
  3938 file_kill                                 17.5804

real    1m32.554s
user    0m0.215s
"""
BEFORE_AND_AFTER = """\
plain 2.6.12-git4:
64 proc    0.75u 291.30s 4.92e 5927%CPU

64 proc prof:
3242763 total                                      0.5366
842042 do_no_page                               355.5921
779373 cond_resched                             3479.3438

2.6.12-git4-lockless:
64 proc prof:
 81934 total                                      0.0136
  1380 unmap_vmas                                 0.3292
  1089 do_no_page                                 0.4599
"""
BARE = """\
> The raw profile of sdet64 is this:
>
> 5392317 total
> 4478683 default_idle
> 307163 __down
> 169770 .text.lock.sched
"""


def listings(written: str) -> list[Listing]:
    return [one for block in blocks(READER, written) for one in block.listings]


def share(listing: Listing, name: str) -> float:
    """In percent of the total that is printed."""
    (row,) = (one for one in listing.rows if one.name == name)
    assert listing.total is not None
    return round(100.0 * row.count.value / listing.total.count.value, 2)


def test_columns_that_overflow_are_columns_still() -> None:
    (found,) = listings(ALTIX)
    assert [(row.name, row.count.value) for row in found.rows] == [
        ("default_idle", 27173178.0),
        ("ia64_pal_call_static", 27081955.0),
        ("del_timer_sync", 11457.0),
        ("file_kill", 3938.0),
    ]
    assert found.total is not None
    assert found.total.count.value == 62551761.0


def test_two_functions_idle_and_shares_are_of_the_total_that_is_printed() -> None:
    (found,) = listings(ALTIX)
    assert (share(found, "default_idle"), share(found, "ia64_pal_call_static")) == (43.44, 43.30)


def test_the_third_column_is_no_percentage() -> None:
    (block,) = blocks(READER, ALTIX)
    assert {row.percent for row in block.listings[0].rows} == {None}
    assert "byte" in block.facts["third column"]


def test_what_the_rows_leave_of_the_total_is_said() -> None:
    (block,) = blocks(READER, ALTIX)
    assert [(one.line, one.text.partition(":")[0]) for one in block.remarks] == [
        (3, "the functions listed have 54,270,528 of 62,551,761 ticks")
    ]
    (more,) = blocks(READER, ALTIX.replace("62551761", "27173179"))
    assert "more than the total" in more.remarks[0].text


def test_a_command_names_the_kernel_and_its_own_time_is_not_read() -> None:
    (block,) = blocks(READER, ALTIX)
    assert (block.listings[0].new, block.last, block.entries) == ("2.6.8.1-mm3", 7, ())


def test_profiles_of_two_kernels_are_kept_apart_with_their_own_totals() -> None:
    old, new = listings(BEFORE_AND_AFTER)
    assert [(one.new, one.benchmark) for one in (old, new)] == [
        ("plain 2.6.12-git4", "64 proc"),
        ("2.6.12-git4-lockless", "64 proc"),
    ]
    # Ticks fell by 97 % because the run was shorter: only shares can be compared.
    assert (share(old, "do_no_page"), share(new, "do_no_page")) == (25.97, 1.33)
    assert [row.name for row in new.rows] == ["unmap_vmas", "do_no_page"]


def test_a_profile_without_its_third_column_is_known_by_its_total_and_its_order() -> None:
    (found,) = listings(BARE)
    assert (found.benchmark, found.new, found.difference) == ("sdet-64", "", False)
    assert [(row.name, row.count.column) for row in found.rows] == [("default_idle", 3), ("__down", 3), (".text.lock.sched", 3)]
    assert len(listings(BARE.replace("169770", "469770"))) == 0


def test_a_row_that_a_mailer_wrapped_is_read_as_one() -> None:
    (block,) = blocks(READER, ALTIX.replace("default_idle                             7", "default_idle\n7"))
    assert [row.name for row in block.listings[0].rows][:2] == ["default_idle", "ia64_pal_call_static"]
    assert block.remarks[0].line == 4


def test_addresses_and_commas_of_decimals_are_of_other_versions_and_locales() -> None:
    written = "c0108bb0 poll_idle      97418 2319.4762\nc010a1f0 schedule          12    0,0187\n"
    (found,) = listings(written)
    assert [(row.name, row.count.value) for row in found.rows] == [("poll_idle", 97418.0), ("schedule", 12.0)]


def test_rows_that_were_left_out_are_told() -> None:
    assert listings(ALTIX.replace(" 11457 del", "...\n 11457 del"))[0].cut


@pytest.mark.parametrize(
    "written",
    [
        "  60 first.txt\n  79 second.txt\n  11 third.txt\n 150 total\n",
        "62551761 total    9.6980\n",
        "1 apple\n2 pears\n",
        "64 proc 0.75u\n" * 2,
    ],
)
def test_other_lists_of_numbers_and_words_are_no_profile(written: str) -> None:
    assert listings(written) == []


TITLED = """\
{title}

1547 unmap_all_pages
1265 page_remove_rmap
1256 atomic_dec_and_lock
1166 .text.lock.dec_and_lock
979 vfs_read
"""


def test_a_sorted_profile_without_a_total_is_known_by_its_title() -> None:
    (found,) = listings(TITLED.format(title="profile w/ ext2 from SDET 128"))
    assert (found.benchmark, found.total, len(found.rows)) == ("sdet-128", None, 5)


@pytest.mark.parametrize("title", ["how many of each:", "diffprofile:", "Diffprofile for SDET 128"])
def test_numbers_and_words_are_no_profile_below_another_title(title: str) -> None:
    assert listings(TITLED.format(title=title)) == []


def test_a_difference_with_a_total_is_no_profile() -> None:
    assert listings(BARE.replace("The raw profile of sdet64 is this", "diffprofile")) == []


REPLIED = """\
> 62551761 total                                      9.6980
> 27173178 default_idle                             70763.4844

> 3175264 ia64_load_scratch_fpregs                 49613.5000

What does the above mean?

> 1603765 ia64_spinlock_contention                 16705.8854

> 5000000 total                                      9.6980
> 100 default_idle                             70763.4844
"""


def test_replies_between_the_rows_of_a_quoted_profile_do_not_divide_it() -> None:
    first, second = blocks(READER, REPLIED)
    assert [one.count.value for one in first.listings[0].rows] == [27173178.0, 3175264.0, 1603765.0]
    assert [one.count.value for one in second.listings[0].rows] == [100.0]
    assert ["replies" in one.text for one in first.remarks] == [True, True, False]


def test_what_is_quoted_otherwise_or_grows_is_of_another_profile() -> None:
    grows = REPLIED.replace("1603765", "4603765")
    assert [len(one.rows) for one in listings(grows)] == [2, 1]
    assert [len(one.rows) for one in listings(REPLIED.replace("> 1603765", ">> 1603765"))] == [2, 1]


def test_a_profile_at_the_end_of_a_text_without_a_last_newline_is_read() -> None:
    assert len(listings(BARE.rstrip("\n"))) == 1
