"""The table of samples for data frames: the same values, typed, and the same bytes each time."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.unit.data_runs import RUNS, profiled
from tests.unit.posted import lock_page

from kdelta.inquiry.dossier import gather
from kdelta.model.dossier import Dossier
from kdelta.model.errors import MisuseError
from kdelta.report.data.arrow import ipc, parquet
from kdelta.report.data.table import sample_columns

READERS: dict[Callable[[Dossier], bytes], Callable[[Any], Any]] = {
    parquet: pyarrow.parquet.read_table,
    ipc: pyarrow.feather.read_table,
}
EACH = pytest.mark.parametrize(("write", "read"), READERS.items(), ids=lambda one: one.__name__)


@EACH
@pytest.mark.parametrize("make", RUNS.values(), ids=RUNS)
def test_what_is_read_is_what_was_measured(write: Any, read: Any, make: Any) -> None:
    dossier = make()
    assert read(io.BytesIO(write(dossier))).to_pydict() == sample_columns(dossier)


@EACH
def test_columns_have_types(write: Any, read: Any) -> None:
    schema = read(io.BytesIO(write(profiled()))).schema
    types = [str(schema.field(name).type) for name in ("variant", "seed", "discarded", "judged", "value", "elapsed_ns")]
    text = "dictionary<values=string, indices=int32, ordered=0>"
    assert types == [text, "int64", text, "bool", "double", "int64"]


@EACH
def test_the_run_and_its_plan_stand_beside_the_columns(write: Any, read: Any) -> None:
    dossier = profiled()
    about = read(io.BytesIO(write(dossier))).schema.metadata
    assert about[b"kdelta.run"].decode() == dossier.run.uuid
    assert msgspec.json.decode(about[b"kdelta.plan"], type=type(dossier.run.plan)) == dossier.run.plan


@EACH
def test_the_same_run_is_the_same_bytes(write: Any, read: Any) -> None:
    assert write(profiled()) == write(profiled())


@EACH
def test_a_run_without_samples_has_the_same_columns(write: Any, read: Any) -> None:
    bare = msgspec.structs.replace(profiled(), boots=(), cuts=(), profiled=())
    found = read(io.BytesIO(write(bare)))
    assert (found.num_rows, found.schema.field("value").type) == (0, pyarrow.float64())


@EACH
def test_half_of_a_surrogate_pair_is_an_escape(write: Any, read: Any) -> None:
    found = lock_page()
    odd = "patch\udcff"
    variants = (found.plan.variants[0], msgspec.structs.replace(found.plan.variants[1], name=odd))
    run = msgspec.structs.replace(
        found.run,
        plan=msgspec.structs.replace(found.plan, variants=variants),
        kernels=dict(zip([found.plan.baseline, odd], found.run.kernels.values(), strict=True)),
    )
    boots = [msgspec.structs.replace(one, variant=odd if one.variant == "+patch" else one.variant) for one in found.records]
    table = read(io.BytesIO(write(gather(run, boots))))
    assert table.column("variant").to_pylist()[-1] == "patch\\udcff"
    assert json.loads(table.schema.metadata[b"kdelta.plan"])["variants"][1]["name"] == "patch\\udcff"


@pytest.mark.parametrize("write", READERS, ids=lambda one: one.__name__)
def test_without_pyarrow_the_error_says_what_to_install(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MisuseError, match="pyarrow, which is not installed") as caught:
        write(profiled())
    assert "pip install 'kdelta[arrow]'" in caught.value.advice
