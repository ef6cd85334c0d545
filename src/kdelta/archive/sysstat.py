"""The processors' time in percent, as sar -u and mpstat print it, and as they write it in JSON.

    Linux 4.4.0-1083-aws (ip-10-0-0-97)  05/21/2019   _x86_64_  (8 CPU)

    06:42:09 PM     CPU     %user     %nice   %system   %iowait    %steal     %idle
    06:42:39 PM     all     99.85      0.00      0.00      0.00      0.15      0.00
    Average:        all     99.85      0.00      0.00      0.00      0.15      0.00

The last row claims to be the mean of those above it. It says what a machine did, not how well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from kdelta.archive.numbers import exact, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "sysstat"
PROGRAM = "sar"
MOST_JSON = 6 << 20
"""Bytes."""

METRICS = {
    "usr": "user",
    "user": "user",
    "nice": "nice",
    "sys": "system",
    "system": "system",
    "iowait": "iowait",
    "irq": "irq",
    "soft": "softirq",
    "steal": "steal",
    "guest": "guest",
    "gnice": "guest_nice",
    "idle": "idle",
}
"""As printed, without the percent sign, or in JSON -> metric."""

_BANNER = re.compile(r"\s*Linux (?P<kernel>\S+) \((?P<host>[^)]{1,80})\)\s")
_TIME = r"\d{1,2}:\d\d:\d\d(?: [AP]M)?"
_HEADER = re.compile(rf"\s*(?:{_TIME}|[\w.]{{3,20}} ?:)\s+CPU(?P<columns>(?:\s{{1,20}}%\w{{1,10}}){{2,12}})\s*$")
_ROW = re.compile(
    rf"\s*(?:{_TIME}|(?P<average>[\w.]{{3,20}} ?:))\s+(?P<cpu>all|\d{{1,5}})\s+(?P<values>[\d.,]+(?:\s+[\d.,]+){{1,12}})\s*$"
)
_VALUE = re.compile(r"\d{1,6}(?:[.,]\d{1,4})?")
_JSON = re.compile(rb'\{\s{0,20}"sysstat"')


class _Host(msgspec.Struct, rename="kebab"):
    nodename: str = ""
    release: str = ""
    number_of_cpus: int | None = None
    statistics: list[_Statistics] = []


class _Statistics(msgspec.Struct, rename="kebab"):
    cpu_load: list[dict[str, float | str]] = []


class _Hosts(msgspec.Struct):
    hosts: list[_Host] = []


class _File(msgspec.Struct):
    sysstat: _Hosts


_DECODER = msgspec.json.Decoder(_File)


class _Log:
    """Of one machine, since its banner. `rows` and `averages` are by processor and metric."""

    def __init__(self, first: int, kernel: str = "", host: str = "") -> None:
        self.first = self.last = first
        self.kernel, self.host = kernel, host
        self.rows = dict[tuple[str, str], list[Number]]()
        self.averages = dict[tuple[str, str], Number]()

    def add(self, line: Line, match: re.Match[str], columns: Sequence[str]) -> bool:
        """Whether the row is of these columns."""
        found = list(_VALUE.finditer(line.text, match.start("values"), match.end("values")))
        if len(found) != len(columns):
            return False
        for column, value in zip(columns, found, strict=True):
            key, read = (match["cpu"], column), number(value.group(), line, value.start(), comma=True)
            if match["average"]:
                self.averages[key] = read
            else:
                self.rows.setdefault(key, []).append(read)
        self.last = line.number
        return True


def read(text: Text) -> Iterator[Block]:
    """A block for each machine's log."""
    seen = dict[str, dict[tuple[str, ...], int]]()
    for log in _logs(text.lines):
        if log.rows or log.averages:
            printed = tuple(one.text for same in log.rows.values() for one in same)
            before = seen.setdefault(log.kernel, {})
            yield _block(log, before.setdefault(printed, len(before) + 1))
    yield from _of_json(text)


def _logs(lines: Iterable[Line]) -> Iterator[_Log]:
    """A banner begins one, and so does what is listed after an average, without a banner."""
    log, columns, is_over = _Log(1), list[str](), False
    for line in lines:
        if banner := _BANNER.match(line.text):
            yield log
            log, columns, is_over = _Log(line.number, banner["kernel"], banner["host"]), [], False
        elif header := _HEADER.match(line.text):
            columns = [METRICS.get(one, one) for one in header["columns"].replace("%", "").split()]
        elif columns and (row := _ROW.match(line.text)):
            if is_over and not row["average"]:
                yield log
                log = _Log(line.number, log.kernel, log.host)
            if not log.rows and not log.averages:
                log.first = line.number
            is_over = log.add(line, row, columns) and bool(row["average"])
    yield log


def _block(log: _Log, run: int) -> Block:
    variant = f"{log.kernel} ({run})".strip() if run > 1 else log.kernel
    keys = dict.fromkeys((*log.rows, *log.averages))
    claims = [
        Claim(kind="mean", what=f"average of {metric}, CPU {cpu}", printed=average, of=tuple(log.rows[cpu, metric]))
        for (cpu, metric), average in log.averages.items()
        if (cpu, metric) in log.rows
    ]
    return Block(
        format=NAME,
        first=log.first,
        last=log.last,
        entries=tuple(_entry(variant, log.host, *key, log.rows.get(key, []), log.averages.get(key)) for key in keys),
        claims=tuple(claims),
    )


def _entry(variant: str, host: str, cpu: str, metric: str, rows: Sequence[Number], average: Number | None = None) -> Entry:
    """An average alone is a mean; beside its rows it is a claim."""
    return Entry(
        variant=variant,
        box=host,
        program=PROGRAM,
        benchmark=f"{PROGRAM}-cpu-{cpu}",
        metric=metric,
        unit="%",
        printed_unit="%",
        parameters={"cpu": cpu},
        samples=tuple(rows),
        figures={"mean": average} if average and not rows else {},
        boots=False if rows else None,
    )


def _of_json(text: Text) -> Iterator[Block]:
    """A block for each host of the file, or of what stands in the text from `{"sysstat"` on."""
    begin = _JSON.search(text.raw) if len(text.raw) <= MOST_JSON else None
    if begin is None:
        return
    start = begin.start()
    try:
        file = _DECODER.decode(text.raw[start : text.raw.rfind(b"}") + 1])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return
    line = text.first + text.raw.count(b"\n", 0, start)
    for host in file.sysstat.hosts:
        yield _of_host(host, line, text.last)


def _of_host(host: _Host, first: int, last: int) -> Block:
    rows = dict[tuple[str, str], list[Number]]()
    for each in host.statistics:
        for load in each.cpu_load:
            cpu = str(load.get("cpu", load.get("number", "all")))
            for name, value in load.items():
                if name in METRICS and isinstance(value, float):
                    rows.setdefault((cpu, METRICS[name]), []).append(exact(value, first))
    empty = "its list of statistics is empty"
    entries = [_entry(host.release, host.nodename, *key, found) for key, found in rows.items()]
    missing = msgspec.structs.replace(_entry(host.release, host.nodename, "all", "user", ()), reason=empty)
    return Block(
        format=NAME,
        first=first,
        last=last,
        entries=tuple(entries) or (missing,),
        remarks=() if entries else (Remark(first, f"{host.nodename or 'the host'}: {empty}, so nothing was measured"),),
        facts={} if host.number_of_cpus is None else {"CPUs": str(host.number_of_cpus)},
    )


READER = Reader(
    NAME,
    ("%idle", "%user", "%usr", '"sysstat"'),
    read,
    "sar's and mpstat's header `06:42:09 PM  CPU  %user  %nice ...`, the rows below it and their `Average:`; and their JSON",
)
