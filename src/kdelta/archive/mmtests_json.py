"""What MMTests exports as JSON (`compare-mmtests.pl --json-export`, one file for each benchmark): all values of every run.

    {"_ModuleName": "CompareHackbench", "_ExtractModules": [{"_ModuleName": "ExtractHackbench", "_TestName": "5.7.0-vanilla",
      "_ResultData": {"time-1": [{"SampleNrs": [1, 2], "Values": ["0.2657", "0.2661"]}]}}]}

Of each operation there is one object for each iteration; the first module is what the others are compared with. Perl writes a
number that it read from a text as a string. What the numbers are of is told by the name of the module alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kdelta.archive.budget import spend
from kdelta.archive.json_text import Json, words
from kdelta.archive.mmtests_names import what
from kdelta.archive.mmtests_results import Results, several
from kdelta.archive.numbers import parsed
from kdelta.archive.reader import Reader
from kdelta.archive.text import Text
from kdelta.model.published import Block, Number, Remark

NAME = "mmtests json"


class _Iteration(msgspec.Struct, frozen=True):
    values: list[msgspec.Raw] | None = msgspec.field(name="Values", default=None)


class _Module(msgspec.Struct, frozen=True):
    name: str = msgspec.field(name="_ModuleName", default="")
    run: str = msgspec.field(name="_TestName", default="")
    data: dict[str, list[_Iteration | None]] = msgspec.field(name="_ResultData", default_factory=dict)


class _Export(msgspec.Struct, frozen=True):
    modules: list[_Module] = msgspec.field(name="_ExtractModules", default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """One block; `--from-json` takes the list of modules alone, and so is that read."""
    file = Json(text)
    if file.too_long:
        yield file.refusal(NAME)
        return
    export = file.decode(_Export)
    modules = export.modules if export else file.decode(list[_Module])
    found = [_results(file, module) for module in modules or () if module.data]
    several(found)
    entries = [entry for one in found for entry in one.entries()]
    if entries:
        remarks = tuple(dict.fromkeys(remark for one in found for remark in one.remarks))
        yield Block(format=NAME, title=found[0].test, first=text.first, last=text.last, entries=tuple(entries), remarks=remarks)


def _results(file: Json, module: _Module) -> Results:
    test = module.name.removeprefix("Extract").lower()
    found = Results(module.run, test, iterations=max(len(each) for each in module.data.values()))
    for operation, iterations in module.data.items():
        of = what(test, "", operation)
        for one in iterations:
            values = [_number(file, raw, of.factor) for raw in (one.values if one else None) or ()]
            found.add(of, (value for value in values if value is not None))
            if None in values:
                found.remarks.append(Remark(0, f"{module.run}: a value of {operation} is no number, and left out"))
    return found


def _number(file: Json, raw: msgspec.Raw, factor: float) -> Number | None:
    """One that is printed as a string too: it keeps the digits that it has."""
    if not bytes(raw).startswith(b'"'):
        return file.number(raw, factor)
    said = words(raw)
    try:
        value, step = parsed(said)
    except ValueError:
        return None
    spend()
    line, column = file.place(raw)
    return Number(said, value * factor, step * factor, line, column)


READER = Reader(
    NAME,
    ('"_ResultData"',),
    read,
    "JSON with `_ExtractModules`, each with `_TestName` and `_ResultData`",
)
