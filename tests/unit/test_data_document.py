"""The document of a run holds all of it, as its schema says, and as the manual does."""

from __future__ import annotations

import inspect
import json
import math
import re
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from tests.unit.data_runs import ANY_DOSSIER, RUNS, of, profiled, stored
from tests.unit.golden import check
from tests.unit.posted import Posted, lock_page

from kdelta.inquiry.dossier import gather
from kdelta.model.boot import CellState
from kdelta.model.dossier import Dossier
from kdelta.report.data import schema
from kdelta.report.data.document import document, encode
from kdelta.report.data.encodable import encodable
from kdelta.report.data.schema import Document
from kdelta.report.data.table import COLUMNS, sample_columns
from kdelta.report.verdict_json import as_json

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = DOCS / "report.schema.json"
VALIDATOR = Draft202012Validator(json.loads(SCHEMA.read_text()))
PARTS = [
    one for _, one in inspect.getmembers(schema, inspect.isclass) if one.__module__ == schema.__name__ and one.__name__[0] != "_"
]
EACH_RUN = pytest.mark.parametrize("make", RUNS.values(), ids=RUNS)


def read(dossier: Dossier) -> Any:
    """As another program does, once it is known to be what the schema says."""
    data = json.loads(encode(document(dossier)))
    VALIDATOR.validate(data)
    return data


def joined(data: Any) -> dict[str, list[Any]]:
    """The table of samples, made of what the document has under the numbers in its own."""
    boots, samples = data["boots"], data["samples"]
    rows = []
    for row in range(len(samples["boot"])):
        boot = samples["boot"][row]
        variant, benchmark = data["variants"][boots["variant"][boot]], data["benchmarks"][samples["benchmark"][row]]
        metric, discarded = benchmark["metrics"][samples["metric"][row]], samples["discarded"][row]
        rows.append(
            {
                "run": data["run"]["uuid"],
                "box": data["boxes"][boots["box"][boot]]["name"],
                "variant": variant["name"],
                "kernel_release": variant["kernel"]["release"],
                "build_id": variant["kernel"]["build_id"],
                "benchmark": benchmark["name"],
                "metric": metric["name"],
                "unit": metric["unit"],
                "better": metric["better"],
                "discarded": None if discarded is None else data["discards"][discarded],
                **{name: boots[name][boot] for name in ("seed", "position", "attempt")},
                **{name: samples[name][row] for name in ("iteration", "warmup", "judged", "value", "operations", "elapsed_ns")},
            }
        )
    return {name: [row[name] for row in rows] for name in COLUMNS}


def encodables(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {name: [encodable(one) if isinstance(one, str) else one for one in values] for name, values in columns.items()}


def test_a_document_reads_as_kept() -> None:
    check("data_document", encode(document(profiled())).decode())


def test_a_document_with_profiles_is_what_the_schema_says(tmp_path: Path) -> None:
    data = json.loads(encode(document(*stored(tmp_path))))
    VALIDATOR.validate(data)
    assert [one["benchmark"] for one in data["profiles"]] == ["ctx-2", "null"]
    assert [one["account"]["of"] for one in data["profiles"]] == ["benchmark", "benchmark"]


@EACH_RUN
def test_the_document_and_the_table_hold_the_same(make: Any) -> None:
    dossier = make()
    assert joined(read(dossier)) == sample_columns(dossier)


@given(ANY_DOSSIER)
@settings(max_examples=25, deadline=None)
def test_whatever_it_is_called_the_document_holds_it(dossier: Dossier) -> None:
    found, wanted = joined(read(dossier)), encodables(sample_columns(dossier))
    assert found == wanted
    assert [math.copysign(1.0, one) for one in found["value"]] == [math.copysign(1.0, one) for one in wanted["value"]]


@EACH_RUN
def test_the_rows_of_a_table_are_as_many_in_each_column(make: Any) -> None:
    data = read(make())
    lengths = {name: {len(column) for column in data[name].values()} for name in ("boots", "cells", "samples", "warnings")}
    assert {name: len(found) for name, found in lengths.items()} == dict.fromkeys(lengths, 1)


@EACH_RUN
def test_a_document_is_read_back_as_it_was(make: Any) -> None:
    found = document(make())
    assert msgspec.json.decode(encode(found), type=Document) == found


@EACH_RUN
def test_as_many_samples_are_judged_as_the_account_says(make: Any) -> None:
    dossier = make()
    data = read(dossier)
    first = [judged for judged, metric in zip(data["samples"]["judged"], data["samples"]["metric"], strict=True) if metric == 0]
    assert (sum(first), data["account"]["judged"]) == (dossier.account.judged,) * 2


def test_results_that_are_cut_as_warm_up_are_told_and_not_judged() -> None:
    data = read(RUNS["cut"]())
    assert data["cells"]["cut"] == [2] * 6
    assert data["samples"]["judged"] == ([False] * 2 + [True] * 8) * 7 * 6


def test_what_a_benchmark_took_before_it_failed_is_kept_and_not_judged() -> None:
    found = lock_page()
    cells = tuple(msgspec.structs.replace(one, state=CellState.KILLED) for one in found.records[0].boot.cells)
    boot = msgspec.structs.replace(found.records[0].boot, cells=cells)
    data = read(of(Posted(found.run, [msgspec.structs.replace(found.records[0], boot=boot), found.records[1]])))
    assert data["samples"]["judged"] == [False] * 6 + [True] * 6


def test_what_was_taken_beside_a_profile_comes_last_and_is_not_judged() -> None:
    data = read(profiled())
    assert data["boots"]["profiled"] == [False, False, True]
    assert [judged for boot, judged in zip(data["samples"]["boot"], data["samples"]["judged"], strict=True) if boot == 2] == [
        False
    ] * 6
    assert (data["warnings"], data["discards"]) == ({"boot": [2], "text": ["a tick was lost"]}, ["taken beside a profile"])


@EACH_RUN
def test_the_verdicts_are_those_of_compare(make: Any) -> None:
    dossier = make()
    assert read(dossier)["verdicts"] == json.loads(json.dumps(as_json(dossier.judgement, dossier.gate)))


def test_a_finding_is_a_sentence_of_the_report(tmp_path: Path) -> None:
    (finding,) = read(stored(tmp_path)[0])["findings"]
    assert finding["box"] == "exact"
    assert finding["sentence"].startswith("new against old: slower on 1 of 2 (null +50")
    assert "\xa0" not in finding["sentence"]


def test_a_kind_of_environment_is_there_once() -> None:
    found = lock_page(rounds=2)
    boots = [
        msgspec.structs.replace(one, boot=msgspec.structs.replace(one.boot, environment={"governor": governor}))
        for one, governor in zip(found.records, ("a", "b", "b", "a"), strict=True)
    ]
    data = read(gather(found.run, boots))
    assert (data["environments"], data["boots"]["environment"]) == ([{"governor": "a"}, {"governor": "b"}], [0, 1, 1, 0])


def strange(**fields: Any) -> Dossier:
    """A run whose first sample is another one."""
    found = lock_page()
    first = found.records[0]
    samples = (msgspec.structs.replace(first.boot.samples[0], **fields), *first.boot.samples[1:])
    boot = msgspec.structs.replace(first.boot, samples=samples)
    return of(Posted(found.run, [msgspec.structs.replace(first, boot=boot), *found.records[1:]]))


@pytest.mark.parametrize(
    ("fields", "added"),
    [
        ({"metric": "heat"}, {"name": "heat", "unit": "ns/op", "better": None}),
        ({"unit": "us"}, {"name": "time", "unit": "us", "better": None}),
    ],
)
def test_what_the_plan_does_not_name_is_not_lost(fields: dict[str, str], added: dict[str, Any]) -> None:
    assert read(strange(**fields))["benchmarks"][0]["metrics"][1] == added


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_no_number_is_infinite_or_none(value: float) -> None:
    data = read(strange(value=value, discarded="no number"))
    assert data["samples"]["value"][:2] == [None, 1670.0]


def test_half_of_a_surrogate_pair_is_an_escape() -> None:
    data = read(strange(discarded="vmlinuz-\udcff", metric="größe"))
    assert (data["discards"], data["benchmarks"][0]["metrics"][1]["name"]) == (["vmlinuz-\\udcff"], "größe")


def test_each_part_of_the_document_has_a_line() -> None:
    lines = encode(document(of(lock_page()))).decode().splitlines()
    assert [line.split('"')[1] for line in lines[1:-1]] == list(Document.__struct_fields__)


# ---- the schema, and the manual ----


def test_the_schema_is_that_of_the_code() -> None:
    assert SCHEMA.read_bytes() == schema.json_schema(), "write schema.json_schema() to docs/report.schema.json"


def test_a_document_of_another_version_is_refused() -> None:
    data = read(of(lock_page()))
    assert [VALIDATOR.is_valid({**data, **other}) for other in ({}, {"version": 2}, {"schema": "kdelta"})] == [True, False, False]


def described() -> dict[str, dict[str, str]]:
    """Section of the manual -> its fields, each with what is said of it."""
    sections = re.split(r"^##+ ", (DOCS / "data.md").read_text(), flags=re.MULTILINE)
    return {text.split("\n")[0]: dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, flags=re.MULTILINE)) for text in sections}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_the_manual_has_each_field_in_its_order(part: Any) -> None:
    assert list(described()[part.__name__]) == list(part.__struct_fields__)


def words(hint: Any) -> list[str]:
    """Those that a field can hold, where they are a closed set."""
    if inspect.isclass(hint) and issubclass(hint, Enum):
        return [one.value for one in hint]
    return [word for each in get_args(hint) for word in words(each)]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_the_manual_has_the_words_of_a_closed_set(part: Any) -> None:
    said = described()[part.__name__]
    wanted = [(name, word) for name, hint in get_type_hints(part).items() for word in words(hint)]
    assert [(name, word) for name, word in wanted if f"`{word}`" not in said[name]] == []


def test_the_manual_has_each_column_of_the_table() -> None:
    text = (DOCS / "data.md").read_text().split("## The table of samples")[1]
    assert re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE) == list(COLUMNS)
