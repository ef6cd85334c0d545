"""airspeed velocity's files of results: a machine, a commit, an environment, and the values of each benchmark.

    {"commit_hash": "4238c44d", "env_name": "virtualenv-py3.6", "params": {"machine": "host1", "os": "Linux 4.15.0"}, "version": 2,
     "result_columns": ["result", "params", "version", "stats_q_25", "stats_q_75", "samples"],
     "results": {"suite.time_keys": [[1.1e-05, null], [["1", "2"]], "ver", [1e-05, null], [2e-05, null], [[1e-05, 2e-05], null]]}}

Of version 1 the results are numbers, null, or objects of lists. A null is a benchmark that failed, a NaN one that was skipped.
Values are medians, in seconds for time_, in bytes for mem_; samples are there where they were recorded (asv/results.py of 0.6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

import msgspec

from kdelta.archive.asv import kind_of
from kdelta.archive.json_text import NAN, NULL, Json, words
from kdelta.archive.reader import Reader
from kdelta.archive.text import Text
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Entry, Number

NAME = "asv json"

_PERCENTILES = {"stats_q_25": "p25", "stats_q_75": "p75"}
_OLD = {"q_25": "stats_q_25", "q_75": "stats_q_75"}
_MOST = 100_000
_UNITS = {"time": "s", "memory": "B", "peak_memory": "B"}

Raws = list[msgspec.Raw]


class _File(msgspec.Struct):
    results: dict[str, msgspec.Raw]
    commit_hash: str
    env_name: str = ""
    params: dict[str, msgspec.Raw] = {}
    result_columns: list[str] | None = None


@dataclass(frozen=True)
class _Result:
    """Of one benchmark: for each combination of its parameters a value, and by name its other columns."""

    values: Sequence[msgspec.Raw]
    parameters: Sequence[Sequence[str]]
    columns: dict[str, Sequence[msgspec.Raw]]


def read(text: Text) -> Iterator[Block]:
    """One block of all benchmarks of the file. The variant is the commit."""
    json = Json(text)
    if json.too_long:
        yield json.refusal(NAME)
        return
    file = json.decode(_File)
    if file is None:
        return
    known = {name: words(raw) for name, raw in file.params.items()}
    entries = [
        msgspec.structs.replace(
            entry,
            variant=file.commit_hash,
            box=known.get("machine", ""),
            parameters=({"environment": file.env_name} if file.env_name else {}) | entry.parameters,
        )
        for name, raw in file.results.items()
        if (result := _result(raw, file.result_columns))
        for entry in _entries(json, name, result)
    ]
    if entries:
        facts = {name: known[name] for name in ("os", "cpu", "ram", "arch", "python") if known.get(name)}
        yield Block(format=NAME, title=file.commit_hash, first=text.first, last=text.last, entries=tuple(entries), facts=facts)


def _result(raw: msgspec.Raw, columns: Sequence[str] | None) -> _Result | None:
    """None for what is of no version that is known."""
    said = bytes(raw)[:1]
    if said == b"[" and columns:
        named = dict(zip(columns, _list(raw), strict=False))
    elif said == b"{":
        named = _object(raw)
        stats = [_object(one) for one in _list(named.pop("stats", NULL))]
        for old, name in _OLD.items():
            named[name] = msgspec.Raw(b"[" + b",".join(bytes(one.get(old, NULL)) for one in stats) + b"]")
    else:
        return _Result([raw], [], {})
    if "result" not in named:
        return None
    value = named["result"]
    values = _list(value) if bytes(value)[:1] == b"[" else [value]
    parameters = [[words(one) for one in _list(each)] for each in _list(named.get("params", NULL))]
    return _Result(values, parameters, {name: _list(one) for name, one in named.items() if name in (*_PERCENTILES, "samples")})


def _list(raw: msgspec.Raw) -> Raws:
    try:
        return msgspec.json.decode(raw, type=Raws | None) or []
    except (msgspec.MsgspecError, RecursionError):
        return []


def _object(raw: msgspec.Raw) -> dict[str, msgspec.Raw]:
    try:
        return msgspec.json.decode(raw, type=dict[str, msgspec.Raw] | None) or {}
    except (msgspec.MsgspecError, RecursionError):
        return {}


def _entries(json: Json, name: str, result: _Result) -> Iterator[Entry]:
    """Parameters have no names here: those are in another file."""
    metric = kind_of(name)
    unit = _UNITS.get(metric, "")
    combined = islice(product(*result.parameters), _MOST)
    for place, (parameters, raw) in enumerate(zip(combined, result.values, strict=False)):
        value = json.number(raw)
        samples = tuple(number for one in _list(_at(result, "samples", place)) if (number := json.number(one)))
        figures = (
            {} if samples or value is None else {"median" if metric == "time" else "value": value, **_spread(json, result, place)}
        )
        yield Entry(
            program="asv",
            benchmark=name,
            metric=metric,
            unit=unit,
            printed_unit=unit,
            better=None if metric == "value" else Better.SMALLER,
            parameters={f"parameter {at}": said for at, said in enumerate(parameters, 1)},
            samples=samples,
            figures=figures,
            count=len(samples) or None,
            state=CellState.OK if value else CellState.NOT_HERE if bytes(raw) == NAN else CellState.FAILED,
            reason="" if value else "NaN: it was skipped" if bytes(raw) == NAN else "null: it failed",
        )


def _spread(json: Json, result: _Result, place: int) -> dict[str, Number]:
    found = {figure: json.number(_at(result, name, place)) for name, figure in _PERCENTILES.items()}
    return {name: number for name, number in found.items() if number and number.line}


def _at(result: _Result, name: str, place: int) -> msgspec.Raw:
    column = result.columns.get(name, ())
    return column[place] if place < len(column) else NULL


READER = Reader(
    NAME,
    ('"commit_hash"',),
    read,
    "a file of results/MACHINE/ of asv: an object with `commit_hash` and `results`",
)
