"""Tables of fields, read by a map of their columns."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures, samples, text

from kdelta.archive import budget
from kdelta.archive.csv_table import READER, columns, read_mapped, suggestion
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.errors import MisuseError
from kdelta.model.published import Block

SERIES = """\
time;commit;metric1;metric2
2021.01.01 3:00:00 +0100;aaa0;154023;10.43
2021.01.02 3:00:00 +0100;aaa1;138455;10.23
2021.01.03 3:00:00 +0100;aaa2;143112;10.29
"""
MATRIX = """\
cpu,version_family,exact_version,scenario,metric,mean,median,cv,classification,run_count
1,6.12-preempt,6.12.77,migrate,move_ns_per_page,13418.000000,11914.000000,0.248499,improvement,9
1,6.19-preempt,6.19.9,migrate,move_ns_per_page,12131.333333,12110.000000,0.017893,improvement,9
1,7.0-preempt,7.0.9,migrate,move_ns_per_page,18130.777778,17439.000000,0.108154,neutral,9
2,6.19-preempt,6.19.9,migrate,move_ns_per_page,12663.222222,12793.000000,0.023758,improvement,9
2,7.0-preempt,7.0.9,migrate,move_ns_per_page,19455.888889,18137.000000,0.156847,neutral,9
"""
MAP = {"variant": "exact_version", "metric": "metric", "mean": "mean", "median": "median", "cv": "cv", "n": "run_count"}
PLAIN = "kernel,mean,cv,n\n6.1,100.5,1.5,9\n6.2,90.25,2.5,9\n"


def _one(of: str, mapping: dict[str, str]) -> Block:
    (block,) = read_mapped(text(of), mapping)
    return block


def test_several_columns_of_values_are_several_metrics() -> None:
    block = _one(SERIES, {"value": "metric1,metric2", "time": "time"})
    assert {one.metric: samples(one) for one in block.entries} == {
        "metric1": [154023.0, 138455.0, 143112.0],
        "metric2": [10.43, 10.23, 10.29],
    }
    assert block.entries[1].samples[0].text == "10.43"


def test_dates_stay_as_they_are_written() -> None:
    block = _one(SERIES, {"value": "metric1", "time": "time"})
    assert block.facts == {"time": "2021.01.01 3:00:00 +0100 to 2021.01.03 3:00:00 +0100"}


def test_rows_that_differ_in_what_is_not_mapped_are_told() -> None:
    (remark,) = _one(SERIES, {"value": "metric1", "time": "time"}).remarks
    assert "rows that differ in commit are taken as repetitions" in remark.text
    assert _one(SERIES, {"value": "metric1", "time": "time", "variant": "commit"}).remarks == ()


def test_a_number_keeps_its_place() -> None:
    number = _one(SERIES, {"value": "metric2", "variant": "commit"}).entries[1].samples[0]
    assert (number.line, number.column) == (3, 38)


def test_figures_are_summaries_told_apart_by_what_is_not_mapped() -> None:
    block = _one(MATRIX, MAP)
    assert [(one.variant, one.parameters) for one in block.entries] == [
        ("6.12.77", {"cpu": "1"}),
        ("6.19.9", {"cpu": "1"}),
        ("7.0.9", {"cpu": "1"}),
        ("6.19.9", {"cpu": "2"}),
        ("7.0.9", {"cpu": "2"}),
    ]
    assert figures(block.entries) == [13418.0, 12131.333333, 18130.777778, 12663.222222, 19455.888889]
    assert {(one.count, one.metric, one.samples) for one in block.entries} == {(9, "move_ns_per_page", ())}


def test_a_cv_that_is_a_fraction_becomes_percent_and_is_told() -> None:
    block = _one(MATRIX, MAP)
    assert figures(block.entries, "cv") == pytest.approx([24.8499, 1.7893, 10.8154, 2.3758, 15.6847])
    assert any(remark.text.startswith("cv: none is above 1: taken as fractions") for remark in block.remarks)
    (plain,) = blocks(READER, PLAIN)
    assert figures(plain.entries, "cv") == [1.5, 2.5]


def test_a_mean_far_from_the_median_is_told_at_its_row() -> None:
    told = [(remark.line, remark.text) for remark in _one(MATRIX, MAP).remarks if "outliers" in remark.text]
    assert told == [(2, "6.12.77: mean and median differ by 13 %: there were outliers")]


def test_a_label_of_the_table_is_no_verdict() -> None:
    found = entries([_one(MATRIX, MAP)], variant="7.0.9")
    assert all("neutral" not in str(one) for one in found)


def test_the_direction_and_the_unit_come_from_the_map() -> None:
    block = _one(MATRIX, {**MAP, "unit": "ns", "better": "smaller", "benchmark": "scenario"})
    entry = block.entries[1]
    assert (entry.better, entry.unit, entry.printed_unit, entry.benchmark) == (Better.SMALLER, "s", "ns", "migrate")
    assert entry.figures["mean"].value == pytest.approx(12131.333333e-9)


def test_a_unit_may_stand_in_the_name_of_a_column_or_in_one_of_its_own() -> None:
    (own,) = _one("k|time (ms)\na|12.5\n", {"variant": "k", "value": "time (ms)"}).entries
    assert (own.metric, own.unit, own.samples[0].value) == ("time", "s", 0.0125)
    (column,) = _one("k\tv\tu\na\t3\tus\n", {"variant": "k", "value": "v", "unit": "u"}).entries
    assert column.unit == "s"
    assert column.samples[0].value == pytest.approx(3e-6)


def test_several_columns_make_one_name() -> None:
    (entry,) = _one('a,b,v\n"x, y",2,5\n', {"benchmark": "a,b", "value": "v"}).entries
    assert (entry.benchmark, samples(entry)) == ("x, y 2", [5.0])


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("3,742", "3,7"), [3.742, 3.7]),
        (("0,742", "1,742"), [0.742, 1.742]),
        (("1,234.5", "2"), [1234.5, 2.0]),
        (("1.5", "2"), [1.5, 2.0]),
    ],
)
def test_a_decimal_comma_is_one_where_no_comma_of_thousands_can_be(cells: tuple[str, str], expected: list[float]) -> None:
    block = _one("k;v\na;{}\na;{}\n".format(*cells), {"variant": "k", "value": "v"})
    assert samples(block.entries[0]) == expected
    assert not any("thousands" in remark.text for remark in block.remarks)


def test_a_comma_that_may_be_either_is_told() -> None:
    block = _one("k;v\na;1,234\na;2,345\n", {"variant": "k", "value": "v"})
    assert samples(block.entries[0]) == [1234.0, 2345.0]
    assert any("may be those of decimals" in remark.text for remark in block.remarks)


def test_missing_and_failed_fields_are_no_values() -> None:
    block = _one("k,v\na,\na,-\nb,failed\nc,3\nd,many\n", {"variant": "k", "value": "v"})
    assert [(one.variant, one.state, samples(one)) for one in block.entries] == [
        ("a", CellState.NOT_HERE, []),
        ("b", CellState.FAILED, []),
        ("c", CellState.OK, [3.0]),
    ]
    assert any("`many`" in remark.text for remark in block.remarks)


def test_a_row_of_another_length_is_told_and_not_read() -> None:
    block = _one("k,v\na,1\nb,2,3\n", {"variant": "k", "value": "v"})
    assert ([one.variant for one in block.entries], [remark.line for remark in block.remarks]) == (["a"], [3])


def test_a_table_of_markdown_and_one_without_a_header_are_read() -> None:
    (entry,) = _one("| k | v |\n|---|--:|\n| a | 3 |\n", {"variant": "k", "value": "v"}).entries
    assert (entry.variant, samples(entry)) == ("a", [3.0])
    assert columns(text("1,2\n3,4\n")) == ("1", "2")


def test_columns_and_a_map_are_suggested() -> None:
    assert columns(text(SERIES)) == ("time", "commit", "metric1", "metric2")
    assert suggestion(text(SERIES)).endswith("a map is for instance variant=commit value=metric1,metric2")
    said = suggestion(text(MATRIX))
    assert all(one in said for one in ("mean=mean", "cv=cv", "n=run_count", "variant=version_family"))
    assert suggestion(text("only words\nin lines\n")) == ""


def test_without_a_map_only_names_that_leave_nothing_to_choose_are_read() -> None:
    (block,) = blocks(READER, PLAIN)
    assert [(one.variant, one.figures["mean"].value, one.count) for one in block.entries] == [("6.1", 100.5, 9), ("6.2", 90.25, 9)]
    assert blocks(READER, MATRIX) == []
    assert blocks(READER, PLAIN.replace("kernel,", "kernel,variant,").replace("6.1,", "6.1,a,").replace("6.2,", "6.2,b,")) == []
    assert blocks(READER, PLAIN.replace(",n", ",count")) == []


@pytest.mark.parametrize(
    "mapping",
    [
        {"value": "metric3"},
        {"values": "metric1"},
        {"variant": "commit"},
        {"value": "metric1", "better": "more"},
        {"mean": "metric1,metric2"},
    ],
)
def test_a_map_that_does_not_fit_is_refused(mapping: dict[str, str]) -> None:
    with pytest.raises(MisuseError):
        list(read_mapped(text(SERIES), mapping))


@pytest.mark.parametrize("of", ["", "\n\n", "a", '"', 'a,"b\nc,d', "a,b\n", ";;;\n;;;\n", "a,b\n1e999,2\n"])
def test_what_is_no_table_gives_nothing(of: str) -> None:
    assert list(read_mapped(text(of), {"value": columns(text(of))[0]} if columns(text(of)) else {})) == []


def test_cells_of_words_are_counted_against_the_bound_of_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MOST_NUMBERS", 20)
    table = text("kernel,mean,cv,n\n" + "a,b,c,d\n" * 10)
    with pytest.raises(MisuseError, match="holds more than"), budget.budget("text"):
        list(read_mapped(table, {"variant": "kernel", "mean": "mean"}))
