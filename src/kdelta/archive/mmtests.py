"""MMTests' comparisons of runs, as people post them: `compare-kernels.sh`, of Mel Gorman's MMTests, since 2012.

    netperf-udp
                                  5.7.0-rc6              5.7.0-rc6
                                    vanilla           optttwu-v1r1
    Hmean     send-64         251.49 (   0.00%)      258.05 *   2.61%*
    Stddev    send-64           1.20 (   0.00%)        0.90 (  25.00%)

The first run is what the others are compared with. Plus is better whatever the unit: less of Stddev, of what has an Amean, more of
what has an Hmean. Stars are of a significant difference, by confidence intervals, which one sample a side has none of. How many
samples there are is not printed. A run that lacks a result gets 0.00 (0.00%).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.mmtests_header import Header, header, variants
from kdelta.archive.mmtests_names import MAIN, SESSION, SPREADS, What, figure, session, what
from kdelta.archive.mmtests_rows import Cell, Row, tables
from kdelta.archive.numbers import number, parsed
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Discarded, Entry, Number, Remark

NAME = "mmtests"
EMPTY = "0.00 (0.00%) is what MMTests prints where a run has no result"
_FINE = 1e-3
"""Of a value whose last digit is a smaller share of it, equal ends and no deviation are of one sample."""
_FAR = 3.0
"""How many times the width of 99 % of the values the largest is away, to be called far."""
_MOST_COLUMNS = 64
_MOST_KNOWN = 8
"""Lines of names of tables above that are looked at."""

Key = tuple[str, str, str]
"""Names of benchmark, metric and variant."""


@dataclass
class _Found:
    """What one table says of one operation under one run."""

    of: What
    better: Better | None
    figures: dict[str, Number] = field(default_factory=dict)
    discarded: list[Discarded] = field(default_factory=list)
    count: int | None = None
    rank: int = len(MAIN)
    """Place in MAIN of the statistic whose percentage is kept."""


@dataclass
class _Table:
    """One table while it is read. `places` are of variants, by (benchmark, metric), in the order printed."""

    header: Header
    names: tuple[str, ...]
    directions: dict[str, Better | None]
    found: dict[tuple[str, str], list[_Found]] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def remark(self, line: int, text: str) -> None:
        if all(one.text != text for one in self.remarks):
            self.remarks.append(Remark(line, text))


def read(text: Text) -> Iterator[Block]:
    """A block for each table: rows that stand below each other."""
    place = {line.number: at for at, line in enumerate(text.lines)}
    known, met = list[tuple[str, ...]](), dict[Key, dict[str, int]]()
    above: tuple[Header, tuple[str, ...], str, int] | None = None
    for rows in tables(text.lines):
        columns = min(max(len(row.cells) for row in rows), _MOST_COLUMNS)
        at = place[rows[0].line.number]
        one = header(text.lines, at, rows[0], columns, known)
        if not one.names and above and _continues(text.lines, above[3], at) and len(above[1]) == columns:
            one, names, common = Header((), one.title or above[0].title, one.first), above[1], above[2]
        elif one.names:
            names, common = variants(one.names)
            known = [*known[-_MOST_KNOWN:], *(each for each in one.names if each not in known)]
        else:
            names, common = tuple(f"column {number}" for number in range(1, columns + 1)), ""
        above = one, names, common, place[rows[-1].line.number] + len(rows[-1].joined)
        if block := _block(_Table(one, names, _directions(rows)), rows, common, met):
            yield block


def _continues(lines: Sequence[Line], last: int, at: int) -> bool:
    """Whether nothing stands between a table and the next: at most two lines without a word."""
    return at - last <= 3 and not any(line.text.strip() for line in lines[last + 1 : at])


def _directions(rows: Sequence[Row]) -> dict[str, Better | None]:
    """By operation: that of its mean, else the one that the signs of its percentages have. Empty statistics decide nothing."""
    found: dict[str, Better | None] = {}
    for row in rows:
        for stat, better in (("Hmean", Better.LARGER), ("Amean", Better.SMALLER)):
            if row.stat.endswith(stat) or f"B{stat}" in row.stat:
                found[row.operation] = better
    for row in rows:
        if row.operation not in found and figure(row.stat, None)[0] not in SPREADS and (seen := _signs(row.cells)):
            found[row.operation] = seen
    return found


def _signs(cells: Sequence[Cell]) -> Better | None:
    """What plus is of, if all cells agree: MMTests prints plus for what is better."""
    seen = set[bool]()
    for cell in cells[1:]:
        try:
            base, new, percent = (parsed(one)[0] for one in (cells[0].value, cell.value, cell.percent))
        except ValueError:
            continue
        if percent and new != base:
            seen.add((percent > 0) == (new > base))
    return (Better.LARGER if seen.pop() else Better.SMALLER) if len(seen) == 1 else None


def _block(table: _Table, rows: Sequence[Row], common: str, met: dict[Key, dict[str, int]]) -> Block | None:
    for row in rows:
        if row.joined:
            table.remark(row.joined[0], "the rest of a row stands on lines of its own: they were joined")
        if len(row.cells) != len(table.names):
            said = f"{len(row.cells)} values for {len(table.names)} runs"
            table.remarks.append(Remark(row.line.number, f"{said}: they are taken to be of the first" if row.cells else said))
        _row(table, row)
    _one_sample(table)
    _outliers(table)
    _headless(table)
    entries = _entries(table, rows[0].line.number, met)
    if not entries:
        return None
    last = max(rows[-1].line.number, *rows[-1].joined, 0)
    return Block(
        format=NAME,
        title=table.header.title,
        first=table.header.first,
        last=last,
        entries=tuple(entries),
        claims=tuple(table.claims),
        remarks=tuple(table.remarks),
        facts={"kernel": common} if common else {},
    )


def _headless(table: _Table) -> None:
    if table.names[0] == "column 1":
        table.remark(table.header.first, "no line above the table names its runs")


def _row(table: _Table, row: Row) -> None:
    """Files the values of the row, and claims that its percentages follow from them."""
    better = table.directions.get(row.operation)
    of = what(table.header.title, row.stat, row.operation)
    if row.stat in SESSION and not row.cells[0].percent:
        of, better = session(table.header.title, row.stat, row.operation), None
    name, more = figure(row.stat, better)
    key = of.benchmark, of.metric + more
    filed = table.found.setdefault(key, [])
    base: Number | None = None
    for at, cell in enumerate(row.cells[: len(table.names)]):
        while len(filed) <= at:
            filed.append(_Found(of, better))
        value, percent = _numbers(cell, 1.0 if name == "cv" else of.factor)
        if value is None:
            table.remark(row.line.number, f"{cell.value} is no number: what it stands for is missing")
            continue
        if at and base and base.value and cell.percent and cell.is_zero and name not in SPREADS:
            filed[at].discarded.append(Discarded(value, EMPTY))
            table.remark(row.line.number, f"{table.names[at]}: {EMPTY}: it is missing, and not 0")
            continue
        _file(filed[at], row.stat, name, value, percent)
        base = value if at == 0 else base
        if at and base and percent:
            said = f"{of.benchmark} {of.metric}{more} {row.stat or 'value'}, {table.names[at]} against {table.names[0]}"
            way = Better.SMALLER if name in SPREADS else better
            table.claims.append(Claim(kind="change", what=said, printed=percent, of=(base, value), better=way))
            table.claims += _star(cell, said)
    if row.stat.startswith(("Pctile", "Max-", "Max.", "1st", "3rd")) and better is Better.LARGER:
        table.remark(row.line.number, "where larger is better MMTests counts percentiles from the largest value down")


def _numbers(cell: Cell, factor: float) -> tuple[Number | None, Number | None]:
    try:
        value = number(cell.value, cell.line, cell.at, factor)
    except ValueError:
        return None, None
    try:
        return value, number(cell.percent, cell.percent_line, cell.percent_at) if cell.percent else None
    except ValueError:
        return value, None


def _file(one: _Found, stat: str, name: str, value: Number, percent: Number | None) -> None:
    one.figures.setdefault(name, value)
    rank = MAIN.index(stat) if stat in MAIN else len(MAIN) - 1
    if percent and (rank < one.rank or "change" not in one.figures):
        one.figures["change"], one.rank = percent, rank


def _star(cell: Cell, said: str) -> list[Claim]:
    if cell.star < 0:
        return []
    mark = Number("*", 1.0, 0.0, cell.percent_line.number, cell.percent_line.column(cell.star))
    return [Claim(kind="significant", what=said, printed=mark)]


def _one_sample(table: _Table) -> None:
    """An operation without deviation whose ends are one value was measured once: of that the sd says nothing."""
    alone = set[str]()
    for (benchmark, _), filed in table.found.items():
        for one in filed:
            if _is_one(one.figures):
                one.count = 1
                alone.add(benchmark)
                spreads = [one.figures.pop(name) for name in ("sd", "cv") if name in one.figures]
                one.discarded += [Discarded(number, "one sample has no deviation") for number in spreads]
    if not alone:
        return
    starred = [one for one in table.claims if one.kind == "significant" and one.what.split()[0] in alone]
    table.claims = [_counted(one) if one.kind == "significant" and one.what.split()[0] in alone else one for one in table.claims]
    line = starred[0].printed.line if starred else table.header.first
    more = ": the star says nothing" if starred else ""
    table.remarks.append(
        Remark(line, f"one sample, for its ends are one value and its deviation is 0{more}: {', '.join(sorted(alone))}")
    )


def _outliers(table: _Table) -> None:
    """A mean that one value moved: the largest lies far above all the others."""
    for (benchmark, _), filed in table.found.items():
        for name, one in zip(table.names, filed, strict=False):
            least, near, most = (one.figures.get(figure) for figure in ("min", "p99", "max"))
            if least and near and most and most.value - near.value > _FAR * (near.value - least.value) > 0.0:
                said = f"the largest value, {most.text}, lies far above the 99th percentile, {near.text}"
                table.remarks.append(Remark(most.line, f"{benchmark}, {name}: {said}: it moves the mean, and not the median"))


def _counted(claim: Claim) -> Claim:
    return Claim(kind=claim.kind, what=claim.what, printed=claim.printed, count=1)


def _is_one(figures: dict[str, Number]) -> bool:
    least, most, sd = (figures.get(name) for name in ("min", "max", "sd"))
    if least is None or most is None or sd is None:
        return False
    return sd.value == 0.0 and least.value == most.value != 0.0 and least.step < _FINE * abs(least.value)


def _entries(table: _Table, line: int, met: dict[Key, dict[str, int]]) -> list[Entry]:
    """In the order printed, each operation under every run. What is called as something of a table above is told apart."""
    again = _again(table, met)
    if again > 1:
        table.remark(line, f"a table above has the same names and other values: this one is called table {again}")
    entries = []
    for (benchmark, metric), filed in table.found.items():
        for variant, one in zip(table.names, filed, strict=False):
            entries.append(
                Entry(
                    variant=variant,
                    program=one.of.program,
                    benchmark=benchmark if again == 1 else f"{benchmark}-table-{again}",
                    metric=metric,
                    unit=one.of.unit,
                    printed_unit=one.of.printed,
                    better=one.better,
                    parameters=dict(one.of.parameters),
                    figures=one.figures,
                    discarded=tuple(one.discarded),
                    count=one.count,
                    reason=EMPTY if one.discarded and not one.figures else "",
                )
            )
    return entries


def _again(table: _Table, met: dict[Key, dict[str, int]]) -> int:
    """Which table of these names it is; 1 for the first, and for what says the same as it."""
    said = {
        (benchmark, metric, variant): " ".join(each.text for each in one.figures.values())
        for (benchmark, metric), filed in table.found.items()
        for variant, one in zip(table.names, filed, strict=False)
    }
    most = 1
    for key, text in said.items():
        texts = met.setdefault(key, {})
        most = max(most, texts.setdefault(text, len(texts) + 1))
    return most


READER = Reader(
    NAME,
    ("0.00%)", "0.00 %)", "Duration User", "Duration System", "Amean ", "Hmean "),
    read,
    "rows of a statistic (Amean, Hmean, Min, Max-95, ...), an operation, and for each run a value and `(  1.23%)` or `*  1.23%*`;"
    " the lines above name the runs",
)
