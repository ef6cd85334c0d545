"""The table of samples for data frames: Parquet, and Arrow's own file. Needs pyarrow, the package's extra `arrow`."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any

from kdelta.model.dossier import Dossier
from kdelta.model.errors import MisuseError
from kdelta.report.data.encodable import encodable, to_json
from kdelta.report.data.table import sample_columns

TYPES = {
    **dict.fromkeys(("seed", "position", "attempt", "iteration", "operations", "elapsed_ns"), "int64"),
    **dict.fromkeys(("warmup", "judged"), "bool_"),
    "value": "float64",
}
"""Column -> pyarrow's name of its type; all others are texts."""


def parquet(dossier: Dossier) -> bytes:
    """A Parquet file. Raises MisuseError where pyarrow is not installed."""
    table, file = _table(dossier), io.BytesIO()
    _library("pyarrow.parquet").write_table(table, file, compression="zstd")
    return file.getvalue()


def ipc(dossier: Dossier) -> bytes:
    """An Arrow file, which is version 2 of Feather. Raises MisuseError where pyarrow is not installed."""
    table, file = _table(dossier), io.BytesIO()
    with _library("pyarrow.ipc").new_file(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


def _table(dossier: Dossier) -> Any:
    """Texts are dictionaries, each text once; the run and its whole plan stand beside the columns."""
    arrow, run = _library("pyarrow"), dossier.run
    arrays = {name: _array(arrow, name, values) for name, values in sample_columns(dossier).items()}
    about = {"kdelta.run": encodable(run.uuid), "kdelta.version": encodable(run.kdelta_version), "kdelta.plan": to_json(run.plan)}
    return arrow.table(arrays).replace_schema_metadata(about)


def _array(arrow: Any, name: str, values: list[Any]) -> Any:
    if name in TYPES:
        return arrow.array(values, getattr(arrow, TYPES[name])())
    texts = arrow.array([None if one is None else encodable(one) for one in values], arrow.string())
    return texts.dictionary_encode()


def _library(name: str) -> Any:
    """A module of pyarrow, which not everybody has, and which would slow the start of those who have it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MisuseError(
            "Parquet and Arrow files are written by pyarrow, which is not installed", "pip install 'kdelta[arrow]', or take CSV"
        ) from error
