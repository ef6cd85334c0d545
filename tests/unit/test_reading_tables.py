"""The readers of readprofile's, oprofile's and diffprofile's tables, and of folded chains."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.profile.change import Change
from kdelta.profile.readers import diffprofile_text, folded, oprofile, readprofile, tally
from kdelta.profile.readers.reading import Reading
from kdelta.profile.readers.tables import numbered
from kdelta.report.diffprofile import render_profile

MORE = "only the first table of the text is read, and it has more"


def test_rows_that_stand_below_each_other_are_a_table() -> None:
    assert list(numbered([None, 1, None, 2, 3, None, 4, 5, 6, None, 7])) == [(1, 2), (1, 3), (2, 4), (2, 5), (2, 6)]


READPROFILES = {
    "with the load": ["   12 vfs_read      0.5000", "    3 __down          1.2500", "   15 total           0.0001"],
    "with the total first": ["   15 total           0.0001", "   12 vfs_read      0.5000", "    3 __down          1.2500"],
    "with the total among the others": ["12 vfs_read 0.5000", "15 total 0.2500", "3 __down 0.0001"],
    "without the load": ["12 vfs_read", "3 __down", "15 total"],
    "with addresses": [
        "ffffffff81000000 vfs_read                                     12   0.5000",
        "ffffffff81000200 __down                                        3   1.2500",
        "0000000000000000 total                                        15   0.0001",
    ],
    "quoted": ["> > 12 vfs_read 0.5", "> > 3 __down 1.0", "> > 15 total 0.1"],
    "in columns that are too narrow": ["12 vfs_read      141051.8490", "3 __down    1.2500", "15 total     0.0001"],
}


@pytest.mark.parametrize("kind", READPROFILES)
def test_a_readprofile_is_ticks_by_function(kind: str) -> None:
    reading = readprofile.read(["64 proc prof:", *READPROFILES[kind], "", "real    1m32.554s"])
    assert (reading.stacks, reading.total, reading.samples, reading.doubts) == ({"vfs_read": 12, "__down": 3}, 15, 15, ())


def test_a_readprofile_without_a_total_is_read() -> None:
    assert readprofile.read(["1 a", "2 .text.lock.sched"]) == Reading(
        format="readprofile", stacks={"a": 1, ".text.lock.sched": 2}, samples=3
    )


def test_functions_of_one_name_are_added_up() -> None:
    assert readprofile.read(["1 a", "2 a", "4 *unknown*"]).stacks == {"a": 3, "[unknown]": 4}


@pytest.mark.parametrize("between", [["plain:"], [""], []], ids=["prose", "an empty line", "nothing"])
@pytest.mark.parametrize("kind", ["with the load", "with the total first"])
def test_of_two_readprofiles_the_first_is_read(between: list[str], kind: str) -> None:
    rows = READPROFILES[kind]
    reading = readprofile.read([*rows, *between, *rows])
    assert (reading.samples, reading.doubts) == (15, (MORE,))


def test_a_readprofile_that_was_cut_says_what_is_missing() -> None:
    assert readprofile.read(["15 total", "12 a"]).doubts == (
        "the functions listed have 12 of 15 ticks: the rest is not in the text",
    )


def test_a_readprofile_of_more_than_its_total_says_so() -> None:
    assert (
        readprofile.read(["1,5", "12 a", "4 b", "15 total"]).doubts[0].startswith("the functions listed have 16 ticks, more than")
    )


CHANGES = {
    "      1236    52.7% page_remove_rmap": (2345, 3581),
    "        15  1500.0% kmap_atomic_to_page": (1, 16),
    "       762  8466.7% __down": (9, 771),
    "        37     0.0% kmap_atomic_to_page": (None, 37),
    "      -208  -100.0% pid_revalidate": (208, None),
    "      -237   -98.8% .text.lock.namei": (240, 3),
    "        12       8% f": (150, 162),
    "      -208   -100% f": (208, None),
    "       431      new journal_start": (None, 431),
    "     -3475     gone .text.lock.sched": (3475, None),
    "       101        - put_filp": (0, 101),
    "      +12    10.0% f [ext4]": (120, 132),
    "       12    10.0% f (libc.so.6)": (120, 132),
    "       12    10.0% f -> f_noprof": (120, 132),
    "     -100     0.0% default_idle": (200_000, 199_900),
}


@pytest.mark.parametrize(("row", "sides"), CHANGES.items())
def test_old_counts_follow_from_delta_and_percent(row: str, sides: tuple[int | None, int | None]) -> None:
    (found, _) = diffprofile_text.read([row, "  1 1.0% other"]).changes
    assert (found.old, found.new) == sides


@pytest.mark.parametrize("row", ["8 -100.0% f", "-8 10.0% f", "-8 -100.1% f", "-8 new f", "8 gone f", "-8 - f", "8 f", "8 1.0% 12"])
def test_numbers_that_cannot_be_are_no_row(row: str) -> None:
    assert diffprofile_text.row(row) is None


def test_the_total_is_no_function() -> None:
    reading = diffprofile_text.read(["  1236  52.7% a", "  1480   9.1% total", "...", "  -104  -2.2% b"])
    assert ([one.name for one in reading.changes], reading.total) == (["a", "b"], 1480)
    assert reading.total_change == Change(name="total", old=16264.0, new=17744.0)
    assert reading.doubts == ("the functions listed changed by +1,132, all by +1,480: the rest is not in the text",)


ROWS = ["  12 10.0% a", "  4 10.0% b"]


@pytest.mark.parametrize("between", [["SDET 32"], [""], ["..."], []], ids=["prose", "an empty line", "a cut", "nothing"])
def test_of_two_diffprofiles_the_first_is_read(between: list[str]) -> None:
    reading = diffprofile_text.read([*ROWS, *between, *ROWS])
    assert ([one.delta for one in reading.changes], reading.doubts) == ([12.0, 4.0], (MORE,))


def test_an_increase_of_nothing_percent_is_new_if_the_old_profile_is_too_small() -> None:
    doubts = diffprofile_text.read(["  37 0.0% total", "  37 0.0% a"]).doubts
    assert doubts == ("read as new, for which 0.0 % is printed: a", "of these, functions of which 0.0 % may be the percent: a")
    assert diffprofile_text.read(["  37 0.1% total", "  37 0.0% a"]).doubts == ("read as new, for which 0.0 % is printed: a",)


def test_a_decrease_of_nothing_percent_has_an_old_count_that_is_not_known() -> None:
    doubt = "of which the old count is not known, but the least that 0.0 % can be of: a"
    assert diffprofile_text.read(["  -37 0.0% a", "  1 1.0% b"]).doubts == (doubt,)


def test_whole_percents_are_doubted() -> None:
    assert diffprofile_text.read(["  12 10% a", "  4 10% b"]).doubts == ("old counts follow from whole percents: they are rough",)


def test_words_are_no_whole_percents() -> None:
    assert diffprofile_text.read(["  12 new a", "  -4 gone b"]).doubts == ()


def test_our_own_profile_is_no_diffprofile() -> None:
    assert not diffprofile_text.recognises(render_profile({"a": 1.0, "b": 2.0}).splitlines())


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)), min_size=2))
def test_deltas_stay_as_they_are_printed(sides: dict[str, tuple[int, int]]) -> None:
    rows = [f"{new - old:10d} {100 * (new - old) / old:8.1f}% {name}" for name, (old, new) in sides.items()]
    found = {one.name: one.delta for one in diffprofile_text.read(rows).changes}
    assert found == {name: new - old for name, (old, new) in sides.items()}


OPREPORTS = {
    "image": ["samples  %        image name               symbol name", "12       75.0000  vmlinux-2.6.9            vfs_read"],
    "symbol": ["samples  %        symbol name", "12       75.0000  vfs_read"],
    "image and application": [
        "vma      samples  %        image name               app name                 symbol name",
        "c0108bb0 12       75.0000  vmlinux                  my app                   vfs_read",
    ],
    "image behind": [
        "samples  %           symbol name             image",
        "12       75.0000     vfs_read                /.../vmlinux",
    ],
    "line": [
        "samples  %        linenr info                 image name               symbol name",
        "12       75.0000  (no location information)   kallsyms                 vfs_read",
    ],
    "two events": ["samples  %        samples  %        symbol name", "12       75.0000  7        6.2e-04  vfs_read"],
    "indented": [
        "\tsamples  %        image name               symbol name",
        "\t12       75.0000  /proc/kallsyms           vfs_read",
    ],
}


@pytest.mark.parametrize("columns", OPREPORTS)
def test_an_opreport_is_samples_by_function_under_any_columns(columns: str) -> None:
    reading = oprofile.read(["CPU: P4", "Counted CYCLES events (x) count 100", *OPREPORTS[columns], "[...]"])
    assert (reading.stacks, reading.event, reading.total) == ({"vfs_read": 12}, "CYCLES", 16)


IMAGES = {
    "vmlinux                  f": "f",
    "ext3.ko                  f": "f [ext3]",
    "libc-2.3.2.so            f(int, char)": "f(int, char) (libc-2.3.2.so)",
    "no-vmlinux               /no-vmlinux": "[unknown]",
    "libpython2.6.so          /usr/lib64/libpython2.6.so": "[unknown] (libpython2.6.so)",
    "cp                       (no symbols)": "[unknown] (cp)",
    "anon (tgid:13 range:0xb7f3e000-0xb7f3f000) (no symbols)": "[unknown] (anon)",
    "mca_btl_openib_very_long.so btl_openib_component_progress": "btl_openib_component_progress (mca_btl_openib_very_long.so)",
    "x (deleted)              /usr/x (deleted)": "[unknown] (x)",
}


@pytest.mark.parametrize(("row", "name"), IMAGES.items())
def test_an_image_says_whose_function_it_is(row: str, name: str) -> None:
    assert oprofile.read([OPREPORTS["image"][0], f"12       75.0000  {row}"]).stacks == {name: 12}


def test_code_of_programs_under_the_kernels_image_is_theirs() -> None:
    rows = ["c0108bb0 12       75.0000  vmlinux                  a                        f"]
    rows += ["42069670 4        25.0000  vmlinux                  a                        getc"]
    reading = oprofile.read([OPREPORTS["image and application"][0], *rows])
    assert reading.stacks == {"f": 12, "getc ([unknown])": 4}
    assert reading.doubts == ("read as of programs by their addresses, though under the kernel's image: getc ([unknown])",)


def test_no_samples_are_no_function() -> None:
    assert oprofile.read([*OPREPORTS["symbol"], "0        0  f"]).stacks == {"vfs_read": 12}


def test_details_under_a_row_and_other_tables_are_no_functions() -> None:
    reading = oprofile.read([*OPREPORTS["symbol"], "  4        25.0000  vfs_read [self]", *OPREPORTS["image"]])
    assert reading.stacks == {"vfs_read": 12}
    assert reading.doubts[0] == "only the first of 2 tables is read"


FRAME = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters=";"), min_size=1, max_size=5)
CHAINS = st.dictionaries(st.lists(FRAME, min_size=1, max_size=4).map(";".join), st.integers(1, 10**15 - 1), min_size=1, max_size=9)


def unmarked(chains: dict[str, int]) -> bool:
    return not any(name.endswith("_[k]") or chain.startswith("#") for chain in chains for name in chain.split(";"))


@given(CHAINS.filter(unmarked))
def test_folded_chains_are_read_as_they_were_written(chains: dict[str, int]) -> None:
    assert folded.read(f"{chain} {count}" for chain, count in chains.items()).stacks == chains


@given(CHAINS.filter(unmarked), st.integers(0, 10**15 - 1))
def test_two_counts_on_every_line_are_two_profiles(chains: dict[str, int], old: int) -> None:
    reading = folded.read(f"{chain} {old} {count}" for chain, count in chains.items())
    assert (reading.stacks, reading.before) == (chains, dict.fromkeys(chains, old) if old else {})


def test_two_counts_on_some_lines_are_part_of_the_name() -> None:
    reading = folded.read(["a;b 1 2", "a 3"])
    assert (reading.stacks, reading.before) == ({"a;b 1": 2, "a": 3}, {})


def test_chains_that_are_met_again_are_added_up() -> None:
    assert folded.read(["a;b 1", "# a comment", "", "a;b 2.0"]).stacks == {"a;b": 3}


def test_lines_without_a_whole_count_are_left_out_with_a_doubt() -> None:
    reading = folded.read(["a;b 1", "a;b 1.5", "hello"])
    assert (reading.stacks, reading.doubts) == (
        {"a;b": 1},
        ("lines left out, as they end in no whole count: 2, such as 'a;b 1.5'",),
    )


def test_where_functions_of_the_kernel_are_marked_the_others_are_of_programs() -> None:
    assert folded.read(["dd;read;sys_read_[k] 1", "dd;f (libc.so.6) 2"]).stacks == {
        "dd ([unknown]);read ([unknown]);sys_read": 1,
        "dd ([unknown]);f (libc.so.6)": 2,
    }


def test_a_million_chains_are_bounded_and_none_of_their_counts_is_lost() -> None:
    more = 1000
    reading = folded.read(f"a;f{number} 2" for number in range(tally.MOST_CHAINS + more))
    assert len(reading.stacks) == tally.MOST_CHAINS + 1
    assert (sum(reading.stacks.values()), reading.stacks[tally.OTHER]) == (2 * (tally.MOST_CHAINS + more), 2 * more)
    assert reading.doubts[0].startswith("the first 262144 different call chains are kept apart; what came under others, 0.4 %")
