"""The readers of what `perf report` and `perf diff` print."""

from __future__ import annotations

import pytest

from kdelta.profile.readers import perf_diff, perf_report
from kdelta.profile.readers.naming import HIDDEN_DOUBT
from kdelta.profile.readers.readout import EVENTS, PERCENT, SHARES, BlockChange, Reading

COLUMNS = ("Overhead", "Samples", "Command", "Shared Object", "Symbol")
WIDTHS = (8, 12, 15, 30, 40)


def table(*rows: tuple[str, ...], columns: tuple[str, ...] = COLUMNS) -> list[str]:
    """As perf prints it: numbers on the right of their column, texts on the left."""
    widths = [WIDTHS[COLUMNS.index(name)] if name in COLUMNS else 8 for name in columns]
    names = "  ".join(name.ljust(width) for name, width in zip(columns, widths, strict=True))
    dots = "  ".join("." * width for width in widths)
    cells = [
        [text.rjust(width) if text[:1].isdigit() else text.ljust(width) for text, width in zip(r, widths, strict=True)]
        for r in rows
    ]
    return [f"# {names}", f"# {dots}", "#", *(f"  {'  '.join(row)}" for row in cells)]


def events(count: int, samples: str = "7K", name: str = "cycles") -> list[str]:
    return [f"# Samples: {samples} of event '{name}'", f"# Event count (approx.): {count}", "#"]


def read(*lines: str) -> Reading:
    return perf_report.read(lines)


VFS = ("60.00%", "6", "DOM Worker", "[kernel.kallsyms]", "[k] vfs_read")
MALLOC = ("40.00%", "4", "a b c", "My App (1)", "[.] operator new(unsigned long, int)")


def test_counts_are_samples_where_the_text_has_them() -> None:
    reading = read(*events(1000, "10 "), *table(VFS, MALLOC))
    assert reading.stacks == {"vfs_read": 6, "operator new(unsigned long, int) (My App (1))": 4}
    assert (reading.unit, reading.event, reading.samples, reading.total, reading.doubts) == ("ticks", "cycles", 10, 10, ())


def test_a_number_of_samples_that_was_rounded_is_no_total() -> None:
    reading = read(*events(1000), *table(VFS, MALLOC))
    assert (reading.samples, reading.total) == (7000, None)


SHORT = ("Overhead", "Shared Object", "Symbol")


def test_counts_are_events_where_the_text_has_percents_alone() -> None:
    reading = read(*events(1000), *table(VFS[:1] + VFS[3:], ("40.00%", "libc.so.6", "[.] read"), columns=SHORT))
    assert (reading.stacks, reading.unit, reading.total) == ({"vfs_read": 600, "read (libc.so.6)": 400}, EVENTS, 1000)
    assert reading.doubts == ("counts are events by percents of two decimals, no samples: `perf report -n` has these",)


def test_counts_are_events_where_the_text_has_them_by_function() -> None:
    lines = table(("99.99%", "12345", "[k] vfs_read"), ("0.00%", "1", "[k] f"), columns=("Overhead", "Period", "Symbol"))
    assert read(*events(12346), *lines).stacks == {"vfs_read": 12345, "f": 1}


def test_counts_are_shares_where_the_text_has_nothing_else() -> None:
    reading = read(*table(VFS[:1] + VFS[3:], columns=SHORT))
    assert (reading.stacks, reading.unit, reading.total) == ({"vfs_read": 6000}, SHARES, 10_000)


def test_a_function_counts_by_itself_not_with_what_it_called() -> None:
    columns = ("Children", "Self", "Shared Object", "Symbol")
    lines = table(("90.00%", "0.00%", "[ext4]", "[k] f"), ("80.00%", "70.00%", "[ext4]", "[k] g"), columns=columns)
    assert read(*events(100), *lines).stacks == {"g [ext4]": 70}


def test_a_function_of_several_commands_is_added_up() -> None:
    assert read(*table(VFS, ("40.00%", "5", "dd", "[kernel.kallsyms]", "[k] vfs_read"))).stacks == {"vfs_read": 11}


SYMBOLS = {
    "[k] vfs_read": "vfs_read",
    "[k] 0xffffffff81700322": "[unknown]",
    "[k] 0000000000000000": "[unknown]",
    "[k] __pfx_vfs_read": "vfs_read",
    "[.] 0x00000000007d8066": "[unknown] ([unknown])",
    "[.] read": "read ([unknown])",
    "[g] vfs_read": "vfs_read [guest.kernel]",
    "0x1006ad           B [.] read": "read ([unknown])",
    "0xffffffff82255aa7 k [k] clear_page_erms": "clear_page_erms",
    "[k] f              -      -": "f",
}


@pytest.mark.parametrize(("symbol", "name"), SYMBOLS.items())
def test_a_symbol_without_a_file_is_of_the_kernel_if_it_is_marked_so(symbol: str, name: str) -> None:
    lines = table(("50.00%", "1", symbol), ("50.00%", "7", "[k] named"), columns=("Overhead", "Samples", "Symbol"))
    assert read(*lines).stacks == {name: 1, "named": 7}


def test_of_a_group_of_events_the_first_one_is_read() -> None:
    lines = [
        "# Samples: 300  of events 'anon group { cycles, instructions }'",
        "#         Overhead                   Samples  Symbol      ",
        "# ................  ........................  ............",
        "    60.00%  58.00%           180           1  [k] vfs_read",
        "    40.00%  42.00%           120           2  [k] f       ",
    ]
    assert read(*lines).stacks == {"vfs_read": 180, "f": 120}
    assert read(*lines).doubts == ("of a group of events only the first one is read",)


def test_tables_of_other_events_are_left_out() -> None:
    reading = read(*events(1000), *table(VFS, MALLOC), "", *events(5, name="instructions"), *table(MALLOC, VFS))
    assert (sum(reading.stacks.values()), reading.event) == (10, "cycles")
    assert reading.doubts == ("only the first of 2 tables is read, not those of instructions",)


@pytest.mark.parametrize("separator", [",", "\t", ";", "|", ":"])
def test_columns_may_be_separated(separator: str) -> None:
    head = f"# {'Overhead' + separator}{separator.join(name.ljust(12) for name in COLUMNS[1:])}"
    rows = (separator.join(cell.ljust(9) for cell in row) for row in (VFS, (*MALLOC[:4], "[.] f(int. char)")))
    assert read(head, *rows).stacks == {"vfs_read": 6, "f(int. char) (My App (1))": 4}


def test_rows_without_a_head_are_read_by_their_marks() -> None:
    lines = ["    20.49%     0.54%  DOM Worker  libc-2.31.so        [.] read", "     8.00%  [k] vfs_read"]
    assert read(*lines).stacks == {"read (libc-2.31.so)": 54, "vfs_read": 800}


CHAIN = "30.00% vfs_read;ksys_read;0x55ca228644b0;0xffffffff81000010;read"
ORDERS = {
    "callers behind": CHAIN,
    "callers first": "30.00% read;0xffffffff81000010;0x55ca228644b0;ksys_read;vfs_read",
    "by samples": CHAIN.replace("30.00%", "3"),
}


@pytest.mark.parametrize("order", ORDERS)
def test_folded_chains_share_the_count_of_their_function(order: str) -> None:
    *lines, other = table(VFS, MALLOC)
    reading = read(*events(1000, "10 "), *lines, ORDERS[order], other)
    chain = "read;[unknown];[unknown] ([unknown]);ksys_read;vfs_read"
    assert reading.stacks == {chain: 3, "vfs_read": 3, "operator new(unsigned long, int) (My App (1))": 4}


def test_folded_chains_never_have_more_than_their_function() -> None:
    assert read(*table(VFS), "60.00% vfs_read;a", "0.01% vfs_read;b", "60.00% vfs_read;c").stacks == {"a;vfs_read": 6}


def test_chains_of_another_function_are_not_believed() -> None:
    assert read(*table(VFS), "60.00% f;a").stacks == {"vfs_read": 6}


@pytest.mark.parametrize("line", ["            ---vfs_read", "               |--4.35%--ksys_read", "           2.41%"])
def test_chains_that_are_drawn_are_left_out_with_a_doubt(line: str) -> None:
    reading = read(*table(VFS, MALLOC), line)
    assert (len(reading.stacks), reading.doubts) == (2, ("call chains are not read here: `perf script` has them",))


def test_a_list_that_was_cut_says_so() -> None:
    assert read(*table(VFS)).doubts == ("the functions listed have 60.00 % of the profile: the rest is not in the text",)


def test_percents_that_were_rounded_are_no_cut() -> None:
    rows = [("0.01%", "1", "a", "[kernel.kallsyms]", f"[k] f{number}") for number in range(6000)]
    assert read(*table(("10.00%", "1000", "a", "[kernel.kallsyms]", "[k] g"), *rows)).doubts == ()


def test_a_report_in_which_the_kernel_has_no_names_says_why() -> None:
    reading = read(*table((*VFS[:4], "[k] 0xffffffff81000010"), MALLOC))
    assert (reading.stacks["[kernel]"], reading.doubts) == (6, (HIDDEN_DOUBT,))


def test_lost_samples_are_told() -> None:
    assert "samples lost by perf: 3" in read("# Total Lost Samples: 3", *table(VFS)).doubts


HEAD = ["# Baseline  Delta Abs  Shared Object      Symbol      ", "# ........  .........  .................  ............", "#"]
ROWS = {
    "                +5.43%  [kernel.kallsyms]  [k] f": (None, 5.43),
    "      0.00%     +4.55%  [kernel.kallsyms]  [k] f": (0.0, 4.55),
    "      0.55%     +2.58%  [kernel.kallsyms]  [k] f": (0.55, 3.13),
    "      2.29%     -2.29%  [kernel.kallsyms]  [k] f": (2.29, None),
    "      2.29%             [kernel.kallsyms]  [k] f": (2.29, None),
    "    100.00%   -100.00%  [kernel.kallsyms]  [k] f": (100.0, None),
    "      0.00%     +0.00%  [kernel.kallsyms]  [k] f": (0.0, 0.0),
    "      0.00%     -1.00%  [kernel.kallsyms]  [k] f": (0.0, None),
}


@pytest.mark.parametrize(("row", "sides"), ROWS.items())
def test_a_delta_is_in_points_of_the_profile(row: str, sides: tuple[float | None, float | None]) -> None:
    reading = perf_diff.read([*HEAD, row])
    assert [(one.name, one.old, one.new) for one in reading.changes] == [("f", *sides)]
    assert (reading.unit, reading.doubts) == (PERCENT, ())


def test_a_function_that_takes_less_than_nothing_is_left_out() -> None:
    reading = perf_diff.read([*HEAD, "                -1.00%  [kernel.kallsyms]  [k] f"])
    assert (reading.changes, reading.doubts) == ((), ("functions without a number on either side are left out: 1",))


def test_a_ratio_is_of_the_old_share() -> None:
    head = [HEAD[0].replace("Delta Abs", "Ratio    "), *HEAD[1:]]
    reading = perf_diff.read(
        [*head, "      2.00%   1.500000  [kernel.kallsyms]  [k] f", "                        [kernel.kallsyms]  [k] g"]
    )
    assert [(one.old, one.new) for one in reading.changes] == [(2.0, 3.0)]
    assert reading.doubts[0] == "by their ratios, new counts are percents of the old profile"


def test_what_grew_most_comes_first() -> None:
    sides = {"f": "      3.00%     -2.00%", "g": "                +1.00%", "h": "      1.00%     +2.00%"}
    rows = [f"{numbers}  libx.so            [.] {name}" for name, numbers in sides.items()]
    assert [one.name for one in perf_diff.read([*HEAD, *rows]).changes] == ["h (libx.so)", "g (libx.so)", "f (libx.so)"]


def test_cycles_of_blocks_are_no_changes_of_time() -> None:
    names = ("Baseline", "[Program Block Range] Cycles Diff", "", "stddev/Hist", "Shared Object", "Symbol")
    cells = ("46.72%", "[div.c:40 -> div.c:42]", "-10", "\u00b1100.0% \u2581\u2588\u2581", "div", "[.] main")
    widths = (8, 40, 4, 17, 17, 20)
    head = [f"# {'  '.join(map(str.ljust, names, widths))}", f"# {'  '.join('.' * width for width in widths)}"]
    row = f"  {'  '.join(map(str.ljust, cells, widths))}"
    reading = perf_diff.read([*head, row])
    assert (reading.changes, reading.blocks) == ((), (BlockChange("main (div)", "[div.c:40 -> div.c:42]", -10, 100.0),))


def test_of_several_tables_or_profiles_the_first_are_read() -> None:
    row = "    2.29%  +1.00%  +3.00%  [k] f"
    head = ["# Baseline/0  Delta/1  Delta/2  Symbol", "# ..........  .......  .......  ......"]
    reading = perf_diff.read([*head, "      2.29%     +1.00%   +3.00%  [k] f", *HEAD, row])
    assert [(one.old, one.new) for one in reading.changes] == [(2.29, 3.29)]
    assert reading.doubts == ("only the first of 2 tables is read", "only the first two profiles are compared")
