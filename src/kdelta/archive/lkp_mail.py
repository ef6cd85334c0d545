"""Tables of lkp-tests' `ncompare`, as the 0-day robot mails them, quoted and wrapped or not; lkp_table has their shape.

    FYI, we noticed a -12.9% regression of perf-bench-sched-pipe.ops_per_sec due to commit:

           v6.17-rc2 779b1a1cb13ae17028aeddb2fbb
    ---------------- ---------------------------
             %stddev     %change         %stddev
                 \\          |                \\
        217049           -12.9%     189123        perf-bench-sched-pipe.ops_per_sec

A value is the mean of all runs, of which the number is not printed, and neither is a standard deviation of 2 percent or less. A
change has a percent sign, but for what is a share already: then it is a difference. The change is of the base with its sign:
below a base that is negative, plus is less. Tables of `fail:runs` count how often something went wrong, and measure nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from kdelta.archive.lkp_context import Context, Headline, context, headlines
from kdelta.archive.lkp_doubts import DOUBTS, Read, died, of_table
from kdelta.archive.lkp_metrics import metric_of
from kdelta.archive.lkp_table import Row, Table, Word, tables
from kdelta.archive.names import kebab
from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Discarded, Entry, Number, Remark

NAME = "lkp comparison"
_SAME = 0.1
"""Percent by which a headline and its row differ at most, where one of them was rounded."""
NOT_COUNTED = "all that this monitor counted is 0: it did not run"


def read(text: Text) -> Iterator[Block]:
    """A block for each table. Headlines whose metric stands in none are a block of claims that cannot be checked."""
    lines = text.lines
    left = headlines(lines)
    seen = set[tuple[object, ...]]()
    above = 0
    for table in tables(lines):
        around = context(lines[above : table.start + 1])
        above = table.end
        tabled = _Tabled(table, around, left, seen)
        yield tabled.block(lines)
        left = [one for one in left if one not in tabled.used]
    if left:
        yield _unheard(left)


def _unheard(left: Sequence[Headline]) -> Block:
    places = [one.percent.line.number for one in left]
    claims = tuple(_headline_claim(one, None, None) for one in left)
    return Block(format=NAME, title="headlines", first=min(places), last=max(places), claims=claims)


class _Tabled:
    """One table, with what is said around it."""

    def __init__(self, table: Table, around: Context, left: Sequence[Headline], seen: set[tuple[object, ...]]) -> None:
        self.table, self.around, self.left, self.seen = table, around, left, seen
        self.remarks = [Remark(line, words) for line, words in table.remarks]
        self.entries: list[tuple[int, Entry]] = []
        self.headlines: list[Claim] = []
        self.claims: list[Claim] = []
        self.used: list[Headline] = []
        self.program = around.testcase or next((metric_of(r.metric).program for r in table.rows if not _monitor(r)), "")
        self.parameters = around.of_test()
        self.test = self.parameters.get("test", "")
        self.box = around.box
        self.benchmark = "-".join(filter(None, (kebab(self.program), kebab(self.test))))

    def block(self, lines: Sequence[Line]) -> Block:
        first = lines[self.table.start].number
        self.variants = self._variants(first)
        reads = [(read, box) for row, box in self._new(_boxed(self.table.rows)) if (read := self._read(row))]
        silent = died([one for one, _ in reads])
        for one, box in reads:
            self._add(one, silent, box)
        for row in self.table.failures:
            self.claims += self._failures(row)
        self.remarks += [Remark(line, words) for line, words in of_table([one for one, _ in reads], self.table.failures)]
        entries = tuple(one for _, one in sorted(self.entries, key=lambda pair: pair[0]))
        last = lines[max(self.table.end, self.table.start + 1) - 1].number
        return Block(
            format=NAME,
            title=self.title(),
            first=first,
            last=last,
            entries=entries,
            claims=(*self.headlines, *self.claims),
            remarks=tuple(self.remarks),
            facts=self._facts(),
        )

    def title(self) -> str:
        if self.used:
            one = self.used[0]
            return f"{one.percent.text}% {'improvement' if one.is_gain else 'regression'} of {one.metric}"
        return self.benchmark or ", ".join(self.variants)

    def _variants(self, line: int) -> list[str]:
        """Names of the columns: as the list of commits has them, of which the heads are the beginnings."""
        listed, heads, columns = self.around.commits, self.table.heads, self.table.columns
        names = list(heads)
        if len(listed) == columns:
            names = [long if not heads or _same(long, heads[place]) else heads[place] for place, (long, _) in enumerate(listed)]
        if not names:
            self.remarks.append(Remark(line, "no names stand above the columns"))
            names = [f"column {place}" for place in range(1, columns + 1)]
        for place, name in enumerate(names):
            if times := names[:place].count(name):
                names[place] = f"{name} ({times + 1})"
                self.remarks.append(Remark(line, f"two columns are called {name}: the later one is {names[place]} here"))
        return names

    def _new(self, rows: Iterable[tuple[Row, str]]) -> Iterator[tuple[Row, str]]:
        """Those that no table above has: a mail shows the chief rows first, and all of them below."""
        again = 0
        of = (self.benchmark, *self.parameters.items(), *self.variants)
        for row, box in rows:
            key = (of, box, row.metric, *(word.text for word in row.values), *(word.text for word in row.changes))
            if key in self.seen:
                again += 1
            else:
                self.seen.add(key)
                yield row, box
        if again:
            line = self.table.rows[0].line.number
            self.remarks.append(Remark(line, f"rows that stand in a table above already, and are not counted twice: {again}"))

    def _read(self, row: Row) -> Read | None:
        """A row with its numbers. None, with a remark, where one cannot be held."""
        known = metric_of(row.metric)
        try:
            values = tuple(_value(word, known.factor) for word in row.values)
            spreads = tuple(_number(word) if word else None for word in row.spreads)
            changes = tuple(
                _change(word, 1.0 if percent else known.factor) for word, percent in zip(row.changes, row.percent, strict=True)
            )
        except ValueError as error:
            self.remarks.append(Remark(row.line.number, f"{row.metric}: {error}"))
            return None
        if row.joined > 1:
            self.remarks.append(Remark(row.line.number, f"{row.metric}: the row is wrapped over {row.joined} lines, and joined"))
        return Read(row, row.metric, known, values, spreads, changes)

    def _add(self, one: Read, silent: set[tuple[str, int]], box: str) -> None:
        headline = self._headline(one)
        better = self._better(one, headline)
        rank = 2 if one.known.is_monitor else 1
        if headline is not None:
            rank = 0
            self.used.append(headline)
            self.headlines.append(_headline_claim(headline, one, better))
        self.entries += [(rank, entry) for entry in self._entries(one, better, silent, box)]
        self.claims += _claims(one, self.variants, better, silent)
        self.remarks += [Remark(one.row.line.number, f"{one.name}: {why}") for doubt in DOUBTS if (why := doubt(one))]

    def _headline(self, one: Read) -> Headline | None:
        """That of its metric which is nearest to its change: there may be one for each of several tests. One that is quoted and
        says another change is of the table that was mailed with it, and not of one that the reply adds.
        """
        of_it = [each for each in self.left if each.metric == one.name and each not in self.used]
        if not of_it:
            return None
        changes = [abs(change.value) for change in one.changes if change is not None]

        def far(each: Headline) -> float:
            return min((abs(abs(float(each.percent.text)) - change) for change in changes), default=0.0)

        nearest = min(of_it, key=far)
        is_quoted = nearest.percent.line.depth > one.row.line.depth
        return None if is_quoted and far(nearest) > _SAME else nearest

    def _better(self, one: Read, headline: Headline | None) -> Better | None:
        """What the headline calls the change, or else what the name says."""
        change = one.values[1].value - one.values[0].value
        if headline is None or change == 0.0:
            return one.known.better
        said = Better.LARGER if headline.is_gain == (change > 0.0) else Better.SMALLER
        if one.known.better not in (None, said):
            self.remarks.append(
                Remark(
                    headline.percent.line.number,
                    f"{one.name}: the headline has {said.value} values as the better ones, its name has not",
                )
            )
        return said

    def _entries(self, one: Read, better: Better | None, silent: set[tuple[str, int]], box: str) -> Iterator[Entry]:
        known = one.known
        benchmark = self.benchmark
        if known.is_monitor:
            benchmark = "-".join(filter(None, (benchmark, kebab(known.program))))
        for place, variant in enumerate(self.variants):
            is_silent = (known.program, place) in silent
            yield Entry(
                variant=variant,
                box=box or self.box,
                program=known.program,
                benchmark=benchmark or kebab(known.program),
                metric=one.name,
                unit=known.unit,
                printed_unit=known.printed_unit,
                better=better,
                parameters=self.parameters,
                figures={} if is_silent else _figures(one, place),
                discarded=(Discarded(one.values[place], NOT_COUNTED),) if is_silent else (),
                state=CellState.FAILED if is_silent else CellState.OK,
                reason=NOT_COUNTED if is_silent else "",
            )

    def _failures(self, row: Row) -> Iterator[Claim]:
        """How much more often it went wrong, in percent of the runs; ":6" is none of six."""
        shares = [_share(word) for word in row.values]
        for place, change in enumerate(row.changes, 1):
            what = f"{row.metric}, failures in percent of the runs, {self.variants[place]} against {self.variants[0]}"
            base, new = shares[0], shares[place]
            if base is None or new is None:
                yield Claim(kind="points", what=what, printed=_number(change), missing="it is of no runs")
            else:
                yield Claim(kind="points", what=what, printed=_number(change), of=(base, new))

    def _facts(self) -> dict[str, str]:
        facts = dict(self.around.facts)
        facts |= {name: self.around.keys[name] for name in ("compiler", "kconfig", "rootfs", "ucode") if name in self.around.keys}
        facts |= {f"commit {name}": title for name, title in self.around.commits if title}
        spreads = [int(one.text) for row in self.table.rows for one in row.spreads if one]
        if self.table.rows and min(spreads, default=2) >= 2:
            facts["standard deviations"] = "in percent of the mean; those of 2 percent or less are not printed"
        if self.table.failures:
            facts["fail:runs"] = f"{len(self.table.failures)} rows: how often in how many runs"
        return facts


def _boxed(rows: Sequence[Row]) -> Iterator[tuple[Row, str]]:
    """Each row with the box it is of. In 2014 rows ended with the box and the test, and `TOTAL` and the metric stood below them."""
    has_total = any(row.total for row in rows)
    of_boxes = list[Row]()
    for row in rows:
        if has_total and not row.total:
            of_boxes.append(row)
            continue
        yield from ((each._replace(metric=row.metric), each.metric) for each in of_boxes)
        yield row, "all boxes" if of_boxes else ""
        of_boxes = []


def _monitor(row: Row) -> bool:
    return metric_of(row.metric).is_monitor


def _same(long: str, head: str) -> bool:
    return long.startswith(head) or head.startswith(long)


def _number(word: Word, factor: float = 1.0) -> Number:
    return number(word.text, word.line, word.at, factor)


def _value(word: Word, factor: float) -> Number:
    """A whole number was cut by `%d`, and may stand for nearly one more: so its last digit counts twice."""
    found = _number(word, factor)
    return structs.replace(found, step=2.0 * found.step) if word.text.lstrip("-").isdigit() else found


def _change(word: Word, factor: float) -> Number | None:
    """None for `+Inf`: what it is a percentage of is 0."""
    return None if word.text[1:].lower() == "inf" else _number(word, factor)


def _figures(one: Read, place: int) -> dict[str, Number]:
    figures = {"mean": one.values[place]}
    spread = one.spreads[place]
    if spread is not None:
        figures["cv"] = spread
    change = one.changes[place - 1] if place else None
    if change is not None and one.row.percent[place - 1] and one.values[0].value:
        figures["change"] = change
    return figures


def _claims(one: Read, variants: Sequence[str], better: Better | None, silent: set[tuple[str, int]]) -> Iterator[Claim]:
    """A change in percent, or a difference: the sign says which, and the name where it is missing by mistake."""
    for place, change in enumerate(one.changes, 1):
        if change is None:
            continue
        is_silent = bool({(one.known.program, 0), (one.known.program, place)} & silent)
        yield Claim(
            kind="change" if one.row.percent[place - 1] else "points",
            what=f"{one.name}, {variants[place]} against {variants[0]}",
            printed=change,
            of=() if is_silent else (one.values[0], one.values[place]),
            better=better,
            missing=NOT_COUNTED if is_silent else "",
        )


def _headline_claim(headline: Headline, one: Read | None, better: Better | None) -> Claim:
    """A percentage without a sign is how much, and the word behind it which way: so it is compared without one, too."""
    printed = _number(headline.percent)
    what = f"headline: {'improvement' if headline.is_gain else 'regression'} of {headline.metric}"
    if one is None:
        return Claim(kind="change", what=what, printed=printed, missing="its metric stands in no table of the text")
    signed = headline.percent.text[0] in "+-"
    fell = one.values[1].value < one.values[0].value
    factor = -1.0 if fell and not signed else 1.0
    return Claim(kind="change", what=what, printed=printed, of=(one.values[0], one.values[1]), factor=factor, better=better)


def _share(word: Word) -> Number | None:
    fails, _, runs = word.text.partition(":")
    count = float(runs[:15])
    if count == 0.0:
        return None
    return Number(word.text, 100.0 * float(fails[:15] or 0) / count, 0.0, word.line.number, word.line.column(word.at))


READER = Reader(
    NAME,
    ("%stddev", "fail:runs", " TOTAL ", "kernel test robot noticed", "FYI, we noticed", "testcase: change"),
    read,
    "a rule of dashes below the names of two kernels or more, a line `%stddev %change %stddev`, and rows that end with a metric",
)
