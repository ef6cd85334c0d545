"""hyperfine's export of JSON: for each command the time of each run, and figures of them.

    {"results": [{"command": "sleep 0.1", "mean": 0.107, "stddev": 0.003, "median": 0.106, "user": 0.0007, "system": 0.0013,
      "min": 0.102, "max": 0.115, "times": [0.105, 0.107], "exit_codes": [0, 0], "parameters": {"delay": "0.1"}}]}

Seconds. `times` are samples, and the figures claims of them; user and system are means only. A run whose exit status is not 0, or
null where a signal ended it, is no result (src/benchmark/benchmark_result.rs of 1.18).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kdelta.archive.json_text import NULL, Json, words
from kdelta.archive.labels import Apart
from kdelta.archive.reader import Reader
from kdelta.archive.text import Text
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Discarded, Entry, Number, Remark

NAME = "hyperfine json"
PROGRAM = "hyperfine"
ELAPSED, USER, SYSTEM = "elapsed_s", "user_s", "system_s"

_FIGURES = {"mean": "mean", "stddev": "sd", "median": "median", "min": "min", "max": "max"}
"""What hyperfine calls them -> a claim's kind, and a figure's name."""


class _Result(msgspec.Struct):
    command: str
    mean: msgspec.Raw = NULL
    stddev: msgspec.Raw = NULL
    median: msgspec.Raw = NULL
    user: msgspec.Raw = NULL
    system: msgspec.Raw = NULL
    min: msgspec.Raw = NULL
    max: msgspec.Raw = NULL
    times: list[msgspec.Raw] | None = None
    memory_usage_byte: list[msgspec.Raw] | None = None
    exit_codes: list[msgspec.Raw] | None = None
    parameters: dict[str, msgspec.Raw] | None = None


class _Export(msgspec.Struct):
    results: list[_Result]


def read(text: Text) -> Iterator[Block]:
    """One block of all commands of the file."""
    json = Json(text)
    if json.too_long:
        yield json.refusal(NAME)
        return
    export = json.decode(_Export)
    if export is None or not export.results:
        return
    entries, claims, remarks, apart = list[Entry](), list[Claim](), list[Remark](), Apart()
    for result in export.results:
        parameters = {name: words(value) for name, value in (result.parameters or {}).items()}
        variant, twice = apart.name("", result.command, text.first)
        of = Entry(
            variant=variant, program=PROGRAM, benchmark=result.command, metric=ELAPSED, better=Better.SMALLER, parameters=parameters
        )
        times, said = _times(json, result, of)
        entries += [times, *_others(json, result, of)]
        claims += _claims(json, result, of.benchmark)
        remarks += (*twice, *said)
    yield Block(format=NAME, first=text.first, last=text.last, entries=tuple(entries), claims=tuple(claims), remarks=tuple(remarks))


def _times(json: Json, result: _Result, of: Entry) -> tuple[Entry, Sequence[Remark]]:
    """The times of the runs that ended well, and apart from them those that did not; figures where no times are there."""
    runs = [number for raw in result.times or () if (number := json.number(raw))]
    codes = [words(raw) or "null" for raw in result.exit_codes or ()]
    good, bad, remarks = _judged(result.command, runs, codes)
    named = {kind: json.number(getattr(result, name)) for name, kind in _FIGURES.items()}
    figures = {} if runs else {kind: number for kind, number in named.items() if number}
    failed = bool(bad) and not good
    return msgspec.structs.replace(
        of,
        unit="s",
        printed_unit="s",
        samples=tuple(good),
        discarded=tuple(bad),
        figures=figures,
        count=len(good) or None,
        state=CellState.FAILED if failed else CellState.OK,
        reason=bad[0].reason if failed else "",
    ), remarks


def _judged(command: str, runs: Sequence[Number], codes: Sequence[str]) -> tuple[list[Number], list[Discarded], list[Remark]]:
    if codes and len(codes) != len(runs):
        line = runs[0].line if runs else 0
        return (
            list(runs),
            [],
            [Remark(line, f"{command}: {len(runs)} times and {len(codes)} exit codes: which failed is not known")],
        )
    ends = codes or ["0"] * len(runs)
    good = [run for run, code in zip(runs, ends, strict=True) if code == "0"]
    bad = [Discarded(run, _reason(code)) for run, code in zip(runs, ends, strict=True) if code != "0"]
    said = f"{command}: {len(bad)} of {len(runs)} runs failed: their times are not counted, and hyperfine's figures are of all"
    return good, bad, [Remark(bad[0].number.line, said)] if bad else []


def _reason(code: str) -> str:
    return "ended by a signal" if code == "null" else f"ended with exit status {code}"


def _others(json: Json, result: _Result, of: Entry) -> Iterator[Entry]:
    """User and system time, of which only means are there; memory, of each run."""
    for metric, raw in ((USER, result.user), (SYSTEM, result.system)):
        if mean := json.number(raw):
            yield msgspec.structs.replace(
                of, metric=metric, unit="s", printed_unit="s", figures={"mean": mean}, count=len(result.times or ()) or None
            )
    memory = tuple(number for raw in result.memory_usage_byte or () if (number := json.number(raw)))
    if memory:
        yield msgspec.structs.replace(of, metric="memory", unit="B", printed_unit="B", samples=memory, count=len(memory))


def _claims(json: Json, result: _Result, benchmark: str) -> Iterator[Claim]:
    runs = tuple(number for raw in result.times or () if (number := json.number(raw)))
    if not runs:
        return
    for name, kind in _FIGURES.items():
        if printed := json.number(getattr(result, name)):
            yield Claim(kind=kind, what=f"{benchmark}, {name}", printed=printed, of=runs)


READER = Reader(
    NAME,
    ('"times"', '"command"'),
    read,
    "a file of --export-json: an object with `results`, each with `command` and `times`",
)
