"""`perf stat -x` and `-j`, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, samples

from kdelta.archive.perf_stat_csv import READER
from kdelta.judge.claims import check
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing

SLASHES = """\
$ LC_NUMERIC=fr_FR.UTF-8 perf stat --field-separator "/" -- true
0,31/msec/task-clock/306721/100,00/0/CPUs utilized
44//page-faults/306721/100,00/0/M/sec
788234//cycles/311478/100,00/2/GHz
538077//instructions/311478/100,00/0/insn per cycle
106749//branches/311478/100,00/348/M/sec
4556//branch-misses/311478/100,00/4/of all branches
"""
COMMAS = "6376827291,,cycles,mesos_test,2011741096,100,00,3,GHz\n"
GUEST = """\
0.327422,,task-clock,327422,100.00
1,,context-switches,327422,100.00
0,,cpu-migrations,327422,100.00
<not supported>,,cycles,0,100.00
<not supported>,,instructions,0,100.00
"""
INTERVALS = """\
1.012763890 3969592418  cpu-cycles 2683629138 16.60 0.246 GHz
1.012763890 4961431499  instructions 2683629138 16.60 1.25 insn per cycle
1.012763890 21264127  cache-references 2683629138 16.60 1.315 M/sec
1.012763890 21264127  cache-misses 2683629138 16.60 100.000 of all cache refs
1.012763890 0  node-loads 5397300860 33.38 0.000 K/sec
1.012763890 16167.76 msec cpu-clock 16167755803 100.00 16.168 CPUs utilized
1.012763890 16167.74 msec task-clock 16167736507 100.00 16.168 CPUs utilized
2.013754454 166626474  cache-references 2672254353 16.61 10.354 M/sec
2.013754454 166626486  cache-misses 2672254353 16.61 177.365 of all cache refs
"""
JSON = """\
{"counter-value" : "225904.823297", "unit" : "msec", "event" : "cpu-clock", "event-runtime" : 9, "pcnt-running" : 100.00, "metric-value" : "224.456872", "metric-unit" : "CPUs utilized"}
{"counter-value" : "4567890123.000000", "unit" : "", "event" : "cycles", "event-runtime" : 12, "pcnt-running" : 61.50, }
{"counter-value" : "<not counted>", "unit" : "", "event" : "LLC-load-misses", "event-runtime" : 0, "pcnt-running" : 0.00}
{"counter-value" : "12
"""  # noqa: E501


def test_a_slash_may_part_the_fields_and_stand_in_a_unit() -> None:
    (block,) = blocks(READER, SLASHES)
    assert {one.metric: samples(one) for one in block.entries} == {
        "task-clock": [0.00031],
        "page-faults": [44.0],
        "cycles": [788234.0],
        "instructions": [538077.0],
        "branches": [106749.0],
        "branch-misses": [4556.0],
    }
    assert (block.title, block.claims[4].what) == ("true", "branches, M/sec")


def test_ratios_are_computed_again_from_the_counts() -> None:
    (block,) = blocks(READER, SLASHES)
    again = {one.claim.what: one for one in check(block).claims}
    assert again["instructions, insn per cycle"].again == pytest.approx(0.683, abs=5e-4)
    assert again["instructions, insn per cycle"].how == "truncated"
    assert again["branch-misses, of all branches"].again == pytest.approx(4.27, abs=5e-3)


def test_a_comma_that_parts_decimals_too_is_told_by_the_order_of_the_fields() -> None:
    (block,) = blocks(READER, COMMAS)
    (entry,) = block.entries
    assert (entry.metric, samples(entry), entry.parameters) == ("cycles", [6_376_827_291.0], {"group": "mesos_test"})
    assert [remark.text[:46] for remark in block.remarks] == ["a comma parts both fields and decimals: read b"]
    assert block.claims[0].printed.value == 3.0


def test_what_is_not_supported_is_missing_and_the_others_are_read() -> None:
    (block,) = blocks(READER, GUEST)
    assert [samples(one) for one in block.entries] == [[pytest.approx(0.000327422)], [1.0], [0.0], [], []]
    assert [one.state for one in block.entries[3:]] == [CellState.NOT_HERE] * 2
    assert block.claims == ()


def test_a_clock_without_a_unit_is_in_milliseconds() -> None:
    entry = blocks(READER, GUEST)[0].entries[0]
    assert (entry.unit, entry.printed_unit, entry.samples[0].text) == ("s", "msec", "0.327422")


def test_an_event_that_is_counted_again_is_of_another_run() -> None:
    found = blocks(READER, GUEST + GUEST)
    assert [(block.first, block.entries[0].variant) for block in found] == [(1, ""), (6, "(2)")]


def test_stamps_of_intervals_are_no_values_and_blanks_part_fields() -> None:
    (block,) = blocks(READER, INTERVALS)
    (cycles,) = entries([block], metric="cpu-cycles")
    (misses,) = entries([block], metric="cache-misses")
    assert (samples(cycles), samples(misses)) == ([3_969_592_418.0], [21_264_127.0, 166_626_486.0])
    assert (misses.count, misses.boots) == (2, False)


def test_two_clocks_are_two_metrics() -> None:
    (block,) = blocks(READER, INTERVALS)
    found = {one.metric: samples(one) for one in block.entries if one.unit == "s"}
    assert found == {"cpu-clock": [pytest.approx(16.16776)], "task-clock": [pytest.approx(16.16774)]}


def test_more_misses_than_references_is_off_and_remarked() -> None:
    (block,) = blocks(READER, INTERVALS)
    shares = [one.standing for one in check(block).claims if one.claim.what == "cache-misses, of all cache refs"]
    assert shares == [Standing.HOLDS, Standing.OFF]
    said = {remark.line: remark.text for remark in block.remarks}
    assert said[9] == "cache-misses are 177.365 % of all cache refs, more than all: they were not counted at the same time"
    assert "the least for 16.6 % of the time" in block.remarks[0].text


def test_intervals_say_that_the_first_may_be_partial() -> None:
    (block,) = blocks(READER, INTERVALS)
    assert "counts of 2 intervals of one run" in block.remarks[-1].text


def test_several_runs_give_a_mean_with_its_error() -> None:
    text = "804.20,msec,task-clock,0.13%,804201234,100.00,0.999,CPUs utilized\n3165,,context-switches,0.20%,804201234,100.00,,\n"
    (block,) = blocks(READER, text)
    clock, switches = block.entries
    assert clock.figures["mean"].value == pytest.approx(0.8042)
    assert clock.count is None
    assert switches.figures["error"].value == pytest.approx(6.33)


def test_each_processor_is_a_parameter_and_an_event_keeps_its_commas() -> None:
    text = "CPU0,1234,,cpu/event=0x3c,umask=0x0/,1234000000,50.00,,\nCPU1,1235,,cpu/event=0x3c,umask=0x0/,1234000000,50.00,,\n"
    (block,) = blocks(READER, text + "1,,cycles,5,100.00\n")
    assert [(one.parameters, one.metric, samples(one)) for one in block.entries[:2]] == [
        ({"cpu": "CPU0"}, "cpu/event=0x3c,umask=0x0/", [1234.0]),
        ({"cpu": "CPU1"}, "cpu/event=0x3c,umask=0x0/", [1235.0]),
    ]


def test_lines_of_json_are_read_also_with_a_comma_too_many_or_cut() -> None:
    (block,) = blocks(READER, JSON)
    clock, cycles, misses = block.entries
    assert samples(clock) == pytest.approx([225.904823297])
    assert samples(cycles) == [4_567_890_123.0]
    assert (misses.state, misses.reason) == (CellState.NOT_HERE, "<not counted>")
    assert (cycles.samples[0].line, cycles.samples[0].column) == (2, 21)


@pytest.mark.parametrize(
    "line",
    [
        "1234,cycles of the moon,5",
        "a,b,cycles,1,100.00",
        '{"counter-value" : [1], "event" : "cycles"}',
        '{"counter-value" : "1e999", "event" : "cycles"}',
        "1,,apples,1,two",
    ],
)
def test_what_is_not_of_the_form_is_passed_over(line: str) -> None:
    assert blocks(READER, line) == []
