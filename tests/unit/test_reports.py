"""Reports, compared as whole texts with those kept in goldens/."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.builders import benchmark
from tests.unit.golden import check
from tests.unit.posted import smpnice

from kdelta.judge.table import tables
from kdelta.model.benchmark import SCRIPTS_PER_HOUR, TIME_PER_OPERATION, Benchmark, Better, Metric
from kdelta.model.boot import CellState
from kdelta.model.plan import EXACT, LOCAL, BoxSpec
from kdelta.model.table import Entry, Row, Table
from kdelta.profile.change import Change, Difference
from kdelta.report import diffprofile, min_table
from kdelta.report.heading import heading
from kdelta.report.scale import scale


def test_a_text_that_differs_from_its_golden_is_shown_and_left_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    with pytest.raises(pytest.fail.Exception, match=r"(?s)-two\n\+three"):
        check("a", "one\nthree\n", tmp_path)
    assert (tmp_path / "a.new").read_text() == "one\nthree\n"


Value = float | CellState | None
"""Of a cell: its value, how it failed, or None where it was not measured yet."""


def entry(name: str, value: Value, base: Value, sd: float | None = None, notes: Sequence[str] = ()) -> Entry:
    number = value if isinstance(value, float) else None
    state = value if isinstance(value, CellState) else CellState.OK if value else None
    percent = 100.0 * (number - base) / base if number is not None and isinstance(base, float) else None
    return Entry(variant=name, boots=(), value=number, percent=percent, sd_percent=sd, state=state, notes=tuple(notes))


def table(
    variants: Sequence[str],
    rows: Mapping[str, Sequence[Value]],
    *,
    box: BoxSpec | None = None,
    metric: Metric = TIME_PER_OPERATION,
    sd: Mapping[str, Sequence[float | None]] | None = None,
    notes: Mapping[str, Sequence[str]] | None = None,
    statistic: str = "median",
    boots: int = 3,
) -> Table:
    """`rows`, `sd` and `notes` are by benchmark; `notes` go to the second column."""
    made = []
    for name, values in rows.items():
        spreads = (sd or {}).get(name, [None] * len(values))
        cells = [
            entry(column, value, values[0] if place else None, spreads[place], (notes or {}).get(name, ()) if place == 1 else ())
            for place, (column, value) in enumerate(zip(variants, values, strict=True))
        ]
        made.append(Row(benchmark(name, metric=metric), tuple(cells), statistic))
    return Table(box=box or BoxSpec(name="exact"), statistic=statistic, variants=tuple(variants), boots=boots, rows=tuple(made))


# ---- the table that people post ----


def test_the_table_is_the_one_of_the_smpnice_mail_to_the_character() -> None:
    """The first table of Ingo Molnar's mail on removing smpnice (LKML, 2006), its title shortened and its units said."""
    found = smpnice()
    check("min_table_smpnice", "".join(map(min_table.render, tables(found.plan, found.records))))


def test_the_note_on_the_direction_stands_where_the_mail_has_it() -> None:
    assert title(benchmark())[0].index("(smaller is better)") == 39


def test_cells_without_a_value_never_look_like_one() -> None:
    rows: dict[str, Sequence[Value]] = {
        "null": (100.0, 117.9, 82.1),
        "syscall-open": (100.0, CellState.FAILED, 50.0),
        "mmap": (CellState.KILLED, 100.0, CellState.TIMEOUT),
        "proc-sh": (CellState.NOT_HERE, CellState.NOT_HERE, CellState.NOT_HERE),
        "select": (100.0, None, None),
    }
    notes = {"syscall-open": ["seed 1, 3 failed: exit status 1: no memory", "seed 2 killed: killed by signal 9 (SIGKILL)"]}
    check("min_table_missing", min_table.render(table(("6.1", "6.12", "6.12 quiet"), rows, notes=notes)))


def test_long_names_and_large_numbers_keep_columns_apart() -> None:
    variants = ("6.1.0-57-cloud-amd64", "6.12 init_on_alloc=0", "b")
    rows = {
        "hackbench:groups=20,over=pipe": (12.5, 13.0, 12.0),
        "mmap": (1234567.89, 2469135.78, 1000000.0),
        "proc-sh": (98765432.1, 98765432.1, 1.0),
        "null": (0.01, 0.5, 1234567.89),
    }
    check("min_table_wide", min_table.render(table(variants, rows)))


def test_a_table_of_one_column_needs_no_percentages() -> None:
    check("min_table_one_column", min_table.render(table(("6.1",), {"null": (330.25,), "ctx-2": (4100.0,)})))


def test_the_spread_is_the_same_grid() -> None:
    rows: dict[str, Sequence[Value]] = {
        "null": (100.0, 101.0),
        "ctx-2": (100.0, 101.0),
        "mmap": (100.0, CellState.FAILED),
        "proc-sh": (CellState.NOT_HERE, CellState.NOT_HERE),
    }
    sd = {"null": (0.0, 0.004), "ctx-2": (12.345, None)}
    check("spread", min_table.render_spread(table(("6.1.0-57-cloud-amd64", "6.12"), rows, sd=sd)))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (17.66, " ( 17%)"),
        (-3.98, " ( -3%)"),
        (-0.99, " (  0%)"),
        (0.99, " (  0%)"),
        (-15.0, " (-15%)"),
        (100.0, " (100%)"),
        (-100.0, " (-100%)"),
        (None, "       "),
    ],
)
def test_a_percentage_is_cut_toward_zero_and_has_no_plus(value: float | None, text: str) -> None:
    assert min_table.percent(value) == text


def title(*benchmarks: Benchmark, kind: str = LOCAL) -> list[str]:
    """The title, and the line of units where there is one."""
    first, _, *units = heading(BoxSpec(name="a", kind=kind), benchmarks)
    return [first, *units]


SCRIPTS = benchmark("sdet-8", metric=SCRIPTS_PER_HOUR)
BUILD = benchmark("build", metric=Metric("elapsed", "s"))
UPTIME = benchmark("uptime", metric=Metric("uptime", "s", Better.LARGER))
CLASSIC = msgspec.structs.replace(benchmark("volano"), classic=400000)
SMALLER = "(smaller is better)"
BUT = "(smaller is better but where said)"
TITLES = {
    "instructions": (title(benchmark(), kind=EXACT), [f"1-way a box, instructions per operation:  {SMALLER}"]),
    "microseconds": (title(benchmark()), [f"1-way a box, us per operation:         {SMALLER}"]),
    "seconds of a classic test": (title(CLASSIC), [f"1-way a box, s:                        {SMALLER}"]),
    "larger is better": (title(SCRIPTS), ["1-way a box, scripts/h:                (larger is better)"]),
    "several units": (
        title(CLASSIC, benchmark("null"), benchmark("ctx-2"), BUILD),
        [f"1-way a box:                           {SMALLER}", "Units: s; null, ctx-2: us per operation"],
    ),
    "both directions": (
        title(benchmark("null"), SCRIPTS, kind=EXACT),
        [
            f"1-way a box:                           {BUT}",
            "Units: instructions per operation; sdet-8: scripts/h (larger is better)",
        ],
    ),
    "one unit in both directions": (
        title(BUILD, UPTIME),
        [f"1-way a box:                           {BUT}", "Units: s; uptime: s (larger is better)"],
    ),
}


@pytest.mark.parametrize(("found", "expected"), TITLES.values(), ids=TITLES)
def test_a_title_tells_units_and_directions_and_never_mixes_them(found: list[str], expected: list[str]) -> None:
    assert found == expected


# ---- values for people ----


def shown(value: float, of: Benchmark, kind: str = LOCAL) -> str:
    return scale(of, BoxSpec(name="a", kind=kind))(value)


VALUES = {
    "instructions": (shown(148659.204, benchmark(), EXACT), "148659.20"),
    "few instructions": (shown(0.01, benchmark(), EXACT), "0.01"),
    "microseconds": (shown(3514.0, benchmark()), "3.51"),
    "many microseconds": (shown(1017834.0, benchmark()), "1017.83"),
    "a microsecond's tenth": (shown(130.0, benchmark()), "0.13"),
    "less than a microsecond's tenth": (shown(48.31, benchmark()), "0.048"),
    "nothing": (shown(0.0, benchmark()), "0.00"),
    "a test of the classic program": (shown(1925.0, msgspec.structs.replace(benchmark(), classic=400000)), "0.77"),
    "a classic test in the exact lab": (shown(5386.52, msgspec.structs.replace(benchmark(), classic=400000), EXACT), "5386.52"),
    "many of another unit": (shown(6889.4, SCRIPTS), "6889"),
    "some of another unit": (shown(44.094, BUILD), "44.09"),
    "few of another unit": (shown(0.77, BUILD), "0.770"),
    "very few of another unit": (shown(0.00001234, BUILD), "0.0000123"),
    "hardly any of another unit": (shown(1.234e-9, BUILD), "1.23e-09"),
    "none of another unit": (shown(0.0, BUILD), "0"),
    "less than none of another unit": (shown(-0.5, BUILD), "-0.500"),
}


@pytest.mark.parametrize(("text", "expected"), VALUES.values(), ids=VALUES)
def test_a_value_is_in_a_unit_for_people_with_the_digits_that_say_something(text: str, expected: str) -> None:
    assert text == expected


@given(st.floats(min_value=1e-9, max_value=1e9), st.sampled_from([BUILD, benchmark(), CLASSIC]))
def test_no_value_is_ever_shown_as_nothing(value: float, of: Benchmark) -> None:
    assert float(shown(value, of)) > 0.0


@given(st.floats(min_value=1e-12, max_value=1e12))
def test_another_unit_has_three_digits(value: float) -> None:
    assert float(shown(value, BUILD)) == pytest.approx(value, rel=0.0051)


def test_rows_in_which_larger_is_better_are_marked_and_their_best_is_the_largest() -> None:
    rows = (
        Row(benchmark("null"), (entry("a", 100.0, None), entry("b", 50.0, 100.0)), "min"),
        Row(SCRIPTS, (entry("a", 6889.4, None), entry("b", 10418.0, 6889.4)), "max"),
    )
    of = Table(box=BoxSpec(name="local", kind=LOCAL, cpus=2), statistic="min", variants=("a", "b"), boots=3, rows=rows)
    check("min_table_mixed", min_table.render(of))


def test_a_table_of_which_all_rows_show_the_largest_says_so_at_its_head() -> None:
    rows = (Row(SCRIPTS, (entry("a", 6889.4, None),), "max"),)
    of = Table(box=BoxSpec(name="local", kind=LOCAL), statistic="min", variants=("a",), boots=3, rows=rows)
    assert min_table.render(of).splitlines()[2].split() == ["MAX", "a"]


# ---- profiles ----

OLD = {"schedule": 220.7, "default_idle": 8000.0, "journal_start": 2.565, "put_filp": 0.0, "fget": 779.0}
OLD |= {".text.lock.sched": 3475.3}
NEW = {"schedule": 3725.57, "default_idle": 8491.84, "journal_start": 433.5, "put_filp": 101.0, "fget": 677.0}
NEW |= {"attr_set": 96.4}
SMALL_OLD = {f"small_{i}": 10.0 for i in range(6)} | {"vanishing [ext4]": 0.4}
SMALL_NEW = {f"small_{i}": 10.0 + 0.6 * (i - 3) for i in range(6)}


def differing(old: dict[str, float], new: dict[str, float], most_rows: int = 40) -> str:
    changes = [Change(name=name, old=old.get(name), new=new.get(name)) for name in old.keys() | new.keys()]
    return differences(*sorted(changes, key=lambda change: (-change.delta, change.name)), most_rows=most_rows)


def differences(*changes: Change, most_rows: int = 40) -> str:
    """In the columns of the old tool, without what is said of noise."""
    text = diffprofile.render_difference(Difference(old="a", new="b", changes=changes), most_rows, plain=True)
    return text.partition("Noise: ")[0]


def test_a_difference_shows_growth_new_and_gone_functions_and_the_total_in_its_place() -> None:
    check("diffprofile", differing(OLD, NEW))


def test_a_difference_is_cut_in_the_middle_and_says_what_was_cut() -> None:
    check("diffprofile_cut", differing(OLD | SMALL_OLD, NEW | SMALL_NEW, most_rows=5))


def test_a_difference_of_equal_profiles_is_a_total_of_nothing() -> None:
    check("diffprofile_equal", differing(OLD, OLD))


MOST = Change(name="most", old=5000.0, new=5000.0)
"""With it the total has four digits, and no count has decimals."""


@pytest.mark.parametrize("delta", [0.3, -0.3, 0.5, -0.5])
def test_what_would_be_shown_as_nothing_is_cut(delta: float) -> None:
    changes = [Change(name="f", old=10.0, new=10.0 + delta), Change(name="g", old=10.0, new=10.0 - delta), MOST]
    assert differences(*changes).splitlines()[0] == "         0     0.0% total"
    assert "(... are 3 functions" in differences(*changes)


def test_a_total_that_shrank_by_less_than_one_is_not_minus_nothing() -> None:
    assert "-0 " not in differences(Change(name="f", old=10.0, new=9.7), MOST)


def test_a_large_percentage_is_kept_apart_from_its_count() -> None:
    assert "       300 29999900.0% rare\n" in differences(Change(name="rare", old=0.001, new=300.0), MOST)


def test_a_profile_lists_the_largest_and_sums_the_rest() -> None:
    check("profile", diffprofile.render_profile(OLD | SMALL_OLD, most_rows=4))


def test_a_profile_is_whole_where_everything_is_asked_for() -> None:
    check("profile_all", diffprofile.render_profile(OLD | SMALL_OLD, most_rows=None))


def test_an_empty_profile_is_a_total_of_nothing() -> None:
    assert diffprofile.render_profile({}) == "         0.0   0.00% total\n"
