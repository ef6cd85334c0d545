"""What phoronix-test-suite makes of its results with `result-file-to-json` and `result-file-to-csv`.

    {"title": "T", "results": {"HASH": {"identifier": "pts/x-1.0.0", "scale": "ms", "proportion": "LIB",
      "results": {"v5.8": {"value": 19.6, "raw_values": [19.7, 19.5]}}}}}

     ,,"v5.8","v5.9"
    "pts/x-1.0.0 - Model: nasnet (ms)",LIB,19.6,19.4

Before release 9 the JSON had the test's name for the hash, `units` for the scale, and its runs in `all_results`, joined by colons.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

import msgspec

from kdelta.archive.numbers import exact
from kdelta.archive.phoronix_results import PROPORTIONS, Collected, OfSystem, Printed, Result, block, runs
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.published import Block, Remark

NAME = "phoronix-test-suite export"
MOST_BYTES = 6 << 20
MOST_COLUMNS = 200

_NAMED = re.compile(r"(?P<test>.{1,300}?)(?: - (?P<said>.{0,600}?))?(?: \((?P<scale>[^()]{1,60})\))?")

Number = float | str | None


class _Of(msgspec.Struct):
    value: Number | list[Number] = None
    raw_values: list[Number] | Number = None
    all_results: Number = None


class _Result(msgspec.Struct):
    identifier: str | None = None
    title: str | None = None
    app_version: str | None = None
    arguments: str | None = None
    description: str | None = None
    scale: str | None = None
    units: str | None = None
    proportion: str | None = None
    results: dict[str, _Of] = {}


class _System(msgspec.Struct):
    software: dict[str, str | float | None] | str | None = None


class _File(msgspec.Struct):
    title: str | None = None
    systems: dict[str, _System] | list[None] = {}
    results: dict[str, _Result] | list[None] = {}


_DECODER = msgspec.json.Decoder(_File)


def read(text: Text) -> Iterator[Block]:
    """One block of an export, whichever of the two it is."""
    raw = text.raw.lstrip()
    found = _of_json(raw) if raw.startswith(b"{") else _of_csv(text)
    if found.results or found.remarks:
        yield block(NAME, found, text.first, text.last)


def _of_json(raw: bytes) -> Collected:
    found = Collected()
    if len(raw) > MOST_BYTES:
        found.remarks.append(Remark(0, f"more than {MOST_BYTES >> 20} MiB of JSON, and not read"))
        return found
    try:
        file = _DECODER.decode(raw)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return found  # JSON of another kind
    found.title = file.title or ""
    for name, system in file.systems.items() if isinstance(file.systems, dict) else ():
        software = system.software
        found.systems[name] = ", ".join(f"{k}: {v}" for k, v in software.items()) if isinstance(software, dict) else software or ""
    for key, one in file.results.items() if isinstance(file.results, dict) else ():
        if one.scale is None and one.units is None and one.proportion is None:
            continue
        result = Result(
            identifier=one.identifier or (key if "/" in key else ""),
            title=one.title or "",
            version=one.app_version or "",
            arguments=one.description or one.arguments or "",
            scale=one.scale or one.units or "",
            proportion=one.proportion or "",
        )
        result.of_systems = [OfSystem(system, _said(of.value), _raw(of)) for system, of in one.results.items()]
        found.results.append(result)
    return found


def _said(value: Number | list[Number]) -> Printed:
    if isinstance(value, list):
        return Printed(",".join(_said(one).text for one in value), 0, -1)
    if isinstance(value, float):
        return Printed(exact(value).text, 0, -1)
    return Printed(value or "", 0, -1)


def _raw(of: _Of) -> tuple[Printed, ...]:
    if isinstance(of.raw_values, list):
        return tuple(_said(one) for one in of.raw_values if one is not None)
    return runs(_said(of.raw_values or of.all_results))


def _of_csv(text: Text) -> Collected:
    """The second line that names the systems is above the results; the components of the systems lie between."""
    found = Collected()
    systems: list[str] = []
    for line in text.lines:
        if line.text.startswith((" ,", ",")):
            cells = _cells(line)
            systems = [cell for cell, _ in cells[2:]]
        elif systems and (",HIB," in line.text or ",LIB," in line.text):
            cells = _cells(line)
            if len(cells) > 2 and cells[1][0] in PROPORTIONS and (named := _NAMED.fullmatch(cells[0][0][:1000])):
                result = _named(named, cells[1][0])
                result.of_systems = [
                    OfSystem(system, Printed(value, line.number, line.offset + at))
                    for system, (value, at) in zip(systems, cells[2:], strict=False)
                ]
                found.results.append(result)
        elif systems and line.text.startswith("Kernel,"):
            for system, (kernel, _) in zip(systems, _cells(line)[2:], strict=False):
                found.systems[system] = f"Kernel: {kernel}"
    if found.results and text.lines:
        found.title = text.lines[0].text.strip()[:200]
    return found


def _named(match: re.Match[str], proportion: str) -> Result:
    test = match["test"].strip()
    is_profile = "/" in test and " " not in test
    return Result(
        identifier=test if is_profile else "",
        title="" if is_profile else test,
        arguments=(match["said"] or "").strip(),
        scale=(match["scale"] or "").strip(),
        proportion=proportion,
    )


def _cells(line: Line) -> list[tuple[str, int]]:
    """Each with its place: a cell in quotes begins behind its quote."""
    try:
        cells = next(csv.reader([line.text], strict=True), [])[:MOST_COLUMNS]
    except csv.Error:
        return []
    found, at = list[tuple[str, int]](), 0
    for cell in cells:
        start = at + (line.text[at : at + 1] == '"')
        found.append((cell, start))
        at = start + len(cell) + cell.count('"') + (start > at) + 1
    return found


READER = Reader(
    NAME,
    ('"raw_values"', '"all_results"', ",HIB,", ",LIB,"),
    read,
    "JSON or CSV that phoronix-test-suite made of its results",
)
