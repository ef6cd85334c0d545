"""The table of samples as CSV: exact, and written in one way only."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.data_runs import ANY_DOSSIER, RUNS, profiled
from tests.unit.golden import check

from kdelta.model.dossier import Dossier
from kdelta.report.data.csv_text import field, number, render
from kdelta.report.data.encodable import encodable
from kdelta.report.data.table import COLUMNS, sample_columns

FLAGS = {"true": True, "false": False}
WHOLE = ("seed", "position", "attempt", "iteration", "operations", "elapsed_ns")
READERS: dict[str, Any] = {**dict.fromkeys(("warmup", "judged"), FLAGS.__getitem__), **dict.fromkeys(WHOLE, int), "value": float}


def read(text: str) -> dict[str, list[Any]]:
    """As another program does. An empty field is None."""
    header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns: list[Any] = list(zip(*rows, strict=True)) or [()] * len(header)
    return {
        name: [READERS.get(name, str)(one) if one else None for one in values] for name, values in zip(header, columns, strict=True)
    }


def known(dossier: Dossier) -> dict[str, list[Any]]:
    return {
        name: [(encodable(one) or None) if isinstance(one, str) else one for one in values]
        for name, values in sample_columns(dossier).items()
    }


def test_a_table_reads_as_kept() -> None:
    check("data_csv", render(profiled()))


@pytest.mark.parametrize("make", RUNS.values(), ids=RUNS)
def test_what_is_read_is_what_was_measured(make: Any) -> None:
    dossier = make()
    assert read(render(dossier)) == known(dossier)


@given(ANY_DOSSIER)
@settings(max_examples=25, deadline=None)
def test_whatever_it_is_called_the_table_holds_it(dossier: Dossier) -> None:
    text = render(dossier)
    assert text.encode().decode() == text
    found, wanted = read(text), known(dossier)
    assert found == wanted
    assert [math.copysign(1.0, one) for one in found["value"]] == [math.copysign(1.0, one) for one in wanted["value"]]


def test_a_run_without_samples_is_a_header() -> None:
    bare = msgspec.structs.replace(profiled(), boots=(), cuts=(), profiled=())
    assert render(bare) == ",".join(COLUMNS) + "\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", "plain"),
        ("", ""),
        ("in side", "in side"),
        (" before", '" before"'),
        ("behind ", '"behind "'),
        ("\ttab", '"\ttab"'),
        ("a\tb", "a\tb"),
        ("a,b", '"a,b"'),
        ('say "hi"', '"say ""hi"""'),
        ("two\nlines", '"two\nlines"'),
        ("two\rlines", '"two\rlines"'),
        ("line\n", '"line\n"'),
        ("nul\0", "nul\0"),
        ("=1+1", "=1+1"),
        ("-rc2", "-rc2"),
        ("\u2028", "\u2028"),
    ],
)
def test_a_field_is_in_quotes_only_where_it_must_be(text: str, written: str) -> None:
    assert field(text) == written


# What String(value) is in JavaScript (ECMA-262, Number::toString), but for the sign of -0.
@pytest.mark.parametrize(
    ("value", "written"),
    [
        (5.0, "5"),
        (-5.0, "-5"),
        (0.0, "0"),
        (-0.0, "-0"),
        (0.1, "0.1"),
        (1 / 3, "0.3333333333333333"),
        (3496.735141373341, "3496.735141373341"),
        (1e-4, "0.0001"),
        (1e-5, "0.00001"),
        (-1.25e-6, "-0.00000125"),
        (1e-6, "0.000001"),
        (9.5e-7, "9.5e-7"),
        (1e-7, "1e-7"),
        (1e16, "10000000000000000"),
        (-1.5e16, "-15000000000000000"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e21, "1e+21"),
        (-1.5e300, "-1.5e+300"),
        (5e-324, "5e-324"),
        (math.inf, ""),
        (-math.inf, ""),
        (math.nan, ""),
    ],
)
def test_a_number_is_written_as_javascript_does(value: float, written: str) -> None:
    assert number(value) == written


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_read_back_to_the_last_bit(value: float) -> None:
    found = float(number(value))
    assert (found, math.copysign(1.0, found)) == (value, math.copysign(1.0, value))
