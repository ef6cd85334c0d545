"""Files of results of phoronix-test-suite: its XML, and what it exports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.archive.reading import TEXTS, blocks, entries, figures, samples, stored, text

from kdelta.archive.phoronix_export import READER as EXPORT
from kdelta.archive.phoronix_xml import READER
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing
from kdelta.model.published import Block

WHOLE = (TEXTS / "phoronix_composite.xml").read_text()
NASNET, SQUEEZE, XSBENCH = "mnn-model-nasnet", "mnn-model-squeezenetv1.1", "xsbench-cl"
LAUGHS = (
    "<!DOCTYPE lolz [<!ENTITY lol '"
    + "9" * 100
    + "'>"
    + "".join(f"<!ENTITY lol{n} '{f'&lol{n - 1 or str()};' * 10}'>" for n in range(1, 10))
    + "]>"
)
JSON = json.dumps(
    {
        "title": "Two kernels",
        "systems": {"v5.8": {"software": {"Kernel": "5.8.0 (x86_64)", "OS": "Debian"}}},
        "results": {
            "a" * 40: {
                "identifier": "pts/mnn-2.1.0",
                "app_version": "2.1",
                "arguments": "-m nasnet",
                "description": "Model: nasnet",
                "scale": "ms",
                "proportion": "LIB",
                "results": {
                    "v5.8": {"value": 19.676, "raw_values": [19.731, 19.498, 19.799], "test_run_times": [1, 2], "details": {}},
                    "v5.9-rc1": {"value": "19.2"},
                },
            }
        },
    }
)
OLD_JSON = """\
{"title": "x", "results": {"pts/mnn-2.1.0": {"arguments": "Model: nasnet", "units": "ms", "results": {
  "v5.8": {"value": "19.676", "all_results": "19.731:19.498:19.799"}}}}}
"""
CSV = """\
Two kernels

 ,,"v5.8","v5.9-rc1"
Processor,,8 cores,8 cores
Kernel,,5.8.0 (x86_64),5.9.0-rc1 (x86_64)

 ,,"v5.8","v5.9-rc1"
"Mobile Neural Network - Model: nasnet (ms)",LIB,19.676,19.2
"pts/xsbench-cl-1.0.0 - ",HIB,15453888,
"""


def said(block: Block) -> str:
    return "\n".join(one.text for one in block.remarks)


def test_a_raw_string_holds_the_runs_of_a_system() -> None:
    found = entries(blocks(READER, stored("phoronix_composite.xml")), benchmark=NASNET, variant="v5.8")
    assert samples(found[0]) == pytest.approx([19.731e-3, 19.498e-3, 19.799e-3])
    assert (found[0].count, found[0].boots, found[0].unit, found[0].printed_unit) == (3, False, "s", "ms")


def test_a_value_is_the_mean_of_its_runs_and_holds() -> None:
    (block,) = blocks(READER, WHOLE)
    assert [(one.claim.printed.text, one.standing) for one in check(block).claims] == [
        ("19.676", Standing.HOLDS),
        ("9.511", Standing.HOLDS),
    ]


def test_a_value_without_its_runs_stays_one_value() -> None:
    (one,) = entries(blocks(READER, WHOLE), benchmark=NASNET, variant="v5.9-rc1")
    assert (one.samples, one.figures["value"].text, one.count) == ((), "19.2", None)


def test_a_system_without_a_value_has_no_result_and_not_zero() -> None:
    (one,) = entries(blocks(READER, WHOLE), benchmark=SQUEEZE, variant="v5.9-rc1")
    assert (one.state, one.figures, one.samples, one.reason) == (CellState.FAILED, {}, (), "no result")


def test_one_test_with_two_arguments_is_two_benchmarks() -> None:
    found = entries(blocks(READER, WHOLE), program="mnn", variant="v5.8")
    assert [(one.benchmark, one.parameters) for one in found] == [
        (NASNET, {"Model": "nasnet"}),
        (SQUEEZE, {"Model": "squeezenetv1.1"}),
    ]


def test_the_proportion_is_the_direction() -> None:
    (block,) = blocks(READER, WHOLE)
    assert [one.better for one in block.entries[::2]] == [Better.SMALLER, Better.SMALLER, Better.LARGER]
    (other,) = blocks(READER, WHOLE.replace("<Scale>ms", "<Scale>Points"))
    assert other.entries[0].better is Better.SMALLER


def test_a_list_with_commas_is_a_series_within_one_run() -> None:
    (block,) = blocks(READER, WHOLE)
    (one,) = entries([block], benchmark=XSBENCH)
    assert (samples(one), one.figures) == ([15510170.0, 15432137.0, 15419356.0], {})
    assert "a series within one run" in said(block)


def test_the_kernel_is_a_fact_out_of_the_words_on_software() -> None:
    (block,) = blocks(READER, WHOLE)
    assert (block.title, block.facts["kernel of v5.8"], block.facts["kernel of v5.9-rc1"]) == (
        "Two kernels",
        "5.8.0-1-amd64 (x86_64)",
        "5.9.0-rc1 (x86_64)",
    )


def test_a_number_keeps_its_place() -> None:
    one = entries(blocks(READER, WHOLE), benchmark=NASNET)[0]
    assert [(number.line, number.column) for number in (one.figures["mean"], one.samples[1])] == [(29, 16), (30, 27)]


def test_a_file_that_is_attached_to_a_mail_is_read_below_its_words() -> None:
    mail = f"From: a@example.org\nSubject: results\n\nHello,\n\n{WHOLE}\nRegards\n"
    (block,) = blocks(READER, text(mail))
    assert len(block.entries) == 5
    assert "damaged" not in said(block)
    assert block.entries[0].figures["mean"].line == 29 + 5


def test_a_system_that_comes_twice_in_one_test_is_told_apart() -> None:
    (block,) = blocks(READER, WHOLE.replace("<Identifier>v5.9-rc1", "<Identifier>v5.8"))
    assert [one.variant for one in block.entries[:2]] == ["v5.8", "v5.8 (2)"]


def outside(path: Path) -> str:
    return f"<!DOCTYPE a [<!ENTITY x SYSTEM 'file://{path}'>]>"


@pytest.mark.parametrize(
    "declared", [LAUGHS, "<!DOCTYPE a SYSTEM 'http://example.org/x.dtd'>", outside(TEXTS / "phoronix_octave.txt")]
)
def test_what_declares_an_entity_or_a_type_is_refused(declared: str) -> None:
    hostile = WHOLE.replace("<PhoronixTestSuite>", f"{declared}\n<PhoronixTestSuite>").replace("19.676", "&lol9;&x;")
    (block,) = blocks(READER, hostile)
    assert (block.entries, "is not read" in said(block)) == ((), True)


def test_an_entity_that_is_declared_above_the_words_of_a_mail_is_not_expanded() -> None:
    (block,) = blocks(READER, f"words\n{LAUGHS}\n{WHOLE.replace('19.676', '&lol9;')}")
    assert (block.entries, "undefined entity" in said(block)) == ((), True)


def test_a_file_that_breaks_off_is_read_as_far_as_it_is_whole() -> None:
    (block,) = blocks(READER, WHOLE[: WHOLE.index("<Identifier>pts/xsbench")])
    assert len(block.entries) == 4
    assert "it is damaged" in said(block)


@pytest.mark.parametrize(
    "other",
    [
        "<PhoronixTestSuite/>",
        "<a><PhoronixTestSuite/></a>",
        "<PhoronixTestSuite>" + "<a>" * 50000,
        WHOLE.replace("19.676", "1e999").replace("19.731:19.498:19.799", "x:1e999"),
        WHOLE.replace("<Data>", "<Daten>").replace("</Data>", "</Daten>"),
        '<?xml version="1.0" encoding="klingon"?><PhoronixTestSuite/>',
    ],
)
def test_what_is_no_number_gives_none(other: str) -> None:
    found = [one for block in READER.read(text(other)) for one in entries([block], benchmark=NASNET, variant="v5.8")]
    assert [one.samples or one.figures for one in found if one.state is CellState.OK] == []


@pytest.mark.parametrize("written", [JSON, OLD_JSON])
def test_an_export_to_json_holds_what_the_xml_holds(written: str) -> None:
    (block,) = blocks(EXPORT, written)
    one = entries([block], benchmark=NASNET, variant="v5.8")[0]
    assert samples(one) == pytest.approx([19.731e-3, 19.498e-3, 19.799e-3])
    assert (one.figures["mean"].text, one.unit, one.better) == ("19.676", "s", Better.SMALLER)


def test_an_export_names_the_kernel_of_its_systems() -> None:
    (block,) = blocks(EXPORT, JSON)
    assert block.facts["kernel of v5.8"] == "5.8.0 (x86_64)"
    assert figures(entries([block], variant="v5.9-rc1"), "value") == pytest.approx([0.0192])


def test_an_export_to_csv_has_one_value_for_each_system() -> None:
    (block,) = blocks(EXPORT, CSV)
    first, second = entries([block], benchmark="mobile-neural-network-model-nasnet")
    assert (first.figures["value"].text, first.figures["value"].line, first.figures["value"].column) == ("19.676", 8, 50)
    assert (second.variant, second.printed_unit, second.better) == ("v5.9-rc1", "ms", Better.SMALLER)
    assert block.facts["kernel of v5.9-rc1"] == "5.9.0-rc1 (x86_64)"


def test_an_empty_cell_of_a_csv_is_no_result() -> None:
    given, empty = entries(blocks(EXPORT, CSV), benchmark="xsbench-cl")
    assert (given.figures["value"].value, empty.figures, empty.state) == (15453888.0, {}, CellState.FAILED)


@pytest.mark.parametrize(
    "other",
    [
        '{"raw_values": [1]}',
        '{"results": {"a": {"scale": "ms", "results": {"x": {"value": {}, "raw_values": 3}}}}}',
        '{"raw_values":' + "[" * 100000,
        '{"results": {"a": {"results": {"x": {"raw_values": [1]}}}}}',
        '"a - b",HIB,1\n',
        ' ,,"a"\n"unclosed,HIB,1\n',
        "{" + '"raw_values"' * 700000,
    ],
)
def test_what_is_no_export_gives_no_values(other: str) -> None:
    assert entries(EXPORT.read(text(other))) == []
