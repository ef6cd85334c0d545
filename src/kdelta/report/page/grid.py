"""The verdicts of a box as a table to look at, and what is said of each of its cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kdelta.model.dossier import Dossier
from kdelta.model.finding import missing, names
from kdelta.model.plan import BoxSpec
from kdelta.model.table import Entry
from kdelta.model.verdict import Answer, Judgement, Side, Verdict
from kdelta.report.figures import BLANK, UNKNOWN, amount, figures, interval, probability
from kdelta.report.page.names import short_unit
from kdelta.report.scale import Scale, scale
from kdelta.report.text import absent, counted

NO_VALUE = "no value"
ANSWERS = (*(answer.value for answer in (Answer.SLOWER, Answer.FASTER, Answer.EQUIVALENT, Answer.UNDECIDED)), NO_VALUE)
"""What a cell can say, in the order in which one looks for it."""

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Cell:
    """`text` and `word` stand in the table. `order` is what it is sorted by, None where there is nothing. `facts` are all that is
    known of it, and `place` its number on the page; None where there is no contrast.

    `box`, `benchmark` and `variants`, base first, are places in the plan.
    """

    text: str
    word: str = ""
    order: float | None = None
    place: int | None = None
    title: str = ""
    facts: Facts = ()
    box: int = 0
    benchmark: int = 0
    variants: tuple[int, ...] = ()
    size: float = 0.0
    """Of the change: the absolute logarithm of the ratio."""

    @property
    def css(self) -> str:
        return self.word.replace(" ", "-") if self.word else "plain"


@dataclass(frozen=True)
class Row:
    """`unit` is that of the base's value, `better` which direction is."""

    name: str
    unit: str
    better: str
    cells: tuple[Cell, ...]

    @property
    def words(self) -> str:
        """What its cells say, for the filter."""
        return ",".join(sorted({cell.css for cell in self.cells if cell.word}))


@dataclass(frozen=True)
class Grid:
    """`heads` are the columns, each with the base where they have several. `base` is the name of the column of values."""

    box: BoxSpec
    base: str
    heads: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]


def grids(dossier: Dossier) -> tuple[Grid, ...]:
    """One for each box of the plan. Where nothing was compared, the values."""
    look = _Look(dossier)
    if not dossier.is_compared:
        return tuple(map(look.values, dossier.run.plan.boxes))
    found, places = [], 0
    for box in dossier.run.plan.boxes:
        verdicts = [one for one in dossier.judgement.verdicts if one.new.box.name == box.name]
        found.append(look.verdicts(box, verdicts, places))
        places += len(verdicts)
    return tuple(found)


def cells(found: Iterable[Grid]) -> list[Cell]:
    """Those with a contrast, in the order of their places."""
    numbered = [(cell.place, cell) for grid in found for row in grid.rows for cell in row.cells if cell.place is not None]
    return [cell for _, cell in sorted(numbered, key=lambda pair: pair[0])]


class _Look:
    """What cells are made of, by name."""

    def __init__(self, dossier: Dossier) -> None:
        plan = dossier.run.plan
        self._judgement: Judgement = dossier.judgement
        self._boxes = {one.name: place for place, one in enumerate(plan.boxes)}
        self._variants = {one.name: place for place, one in enumerate(plan.variants)}
        self._benchmarks = {one.name: place for place, one in enumerate(plan.benchmarks)}
        self._tables = dossier.tables
        self._entries = {
            (table.box.name, row.benchmark.name, entry.variant): entry
            for table in dossier.tables
            for row in table.rows
            for entry in row.entries
        }

    def values(self, box: BoxSpec) -> Grid:
        """Values of each column with their spread over the boots."""
        table = self._tables[self._boxes[box.name]]
        rows = tuple(
            Row(
                row.benchmark.name,
                short_unit(scale(row.benchmark, box).unit),
                row.benchmark.metric.better.value,
                tuple(self._plain(entry, scale(row.benchmark, box)) for entry in row.entries),
            )
            for row in table.rows
        )
        return Grid(box, "", tuple((name, "") for name in table.variants), rows)

    def verdicts(self, box: BoxSpec, found: Sequence[Verdict], first: int) -> Grid:
        """A column for each pair of sides, a row for each of what `names` calls a row; cells are numbered from `first` on."""
        called = [names(self._judgement.axis, verdict) for verdict in found]
        columns = list(dict.fromkeys((one.base, one.new) for one in called))
        bases = list(dict.fromkeys(base for base, _ in columns))
        base = bases[0] if len(bases) == 1 else ""
        rows: dict[str, dict[tuple[str, str], tuple[int, Verdict]]] = {}
        for place, (one, verdict) in enumerate(zip(called, found, strict=True), start=first):
            rows.setdefault(one.row, {})[one.base, one.new] = place, verdict
        heads = tuple((new, "" if base else f"against {old}") for old, new in columns)
        return Grid(box, base, heads, tuple(self._row(name, of, columns, base) for name, of in rows.items()))

    def _row(self, name: str, of: dict[tuple[str, str], tuple[int, Verdict]], columns: Sequence[tuple[str, str]], base: str) -> Row:
        first = next(iter(of.values()))[1]
        made = [self._cell(*of[column]) if column in of else Cell(UNKNOWN) for column in columns]
        scaled = scale(first.base.benchmark, first.base.box)
        front = [self._plain(self._entry(first.base), scaled)] if base else []
        return Row(name, short_unit(scaled.unit), first.new.benchmark.metric.better.value, (*front, *made))

    def _entry(self, side: Side) -> Entry | None:
        return self._entries.get((side.box.name, side.benchmark.name, side.variant))

    def _plain(self, entry: Entry | None, scaled: Scale) -> Cell:
        """A value with its spread where it has one."""
        if entry is None or entry.value is None:
            return Cell(absent(entry.state if entry else None))
        sd = "" if entry.sd_percent is None else f"sd {amount(entry.sd_percent / 100.0)}"
        return Cell(scaled(entry.value), title=sd, order=entry.value)

    def _cell(self, place: int, verdict: Verdict) -> Cell:
        entry, new = self._entry(verdict.new), verdict.new
        called = names(self._judgement.axis, verdict)
        gone = missing(verdict)
        ratio = verdict.ratio.value if verdict.ratio else None
        known = ratio is not None and 0.0 < ratio < math.inf
        return Cell(
            text=figures(verdict.ratio)[0] if verdict.ratio else absent(entry.state if entry and gone else None),
            word=NO_VALUE if gone else verdict.answer.value,
            order=ratio if known else None,
            place=place,
            title=f"{called.row}: {called.new} against {called.base}, {new.box.name}",
            facts=tuple(self._facts(verdict)),
            box=self._boxes.get(new.box.name, 0),
            benchmark=self._benchmarks.get(new.benchmark.name, 0),
            variants=tuple(self._variants.get(side.variant, 0) for side in (verdict.base, new)),
            size=abs(math.log(ratio)) if ratio is not None and known else 0.0,
        )

    def _facts(self, verdict: Verdict) -> Iterator[tuple[str, str]]:
        """Each with its label; what is not known is a dash, and what does not apply is left out."""
        judgement, ratio = self._judgement, verdict.ratio
        confidence = f"{100.0 * (1.0 - judgement.alpha):.4g}%"
        yield "verdict", _answer(verdict, judgement.margin)
        for label, side in (("base", verdict.base), ("new", verdict.new)):
            yield label, self._value(side)
        yield "change", interval(ratio).replace(BLANK, f", {confidence} interval ", 1).replace(BLANK, " ") if ratio else UNKNOWN
        yield "ratio", _ratios(verdict)
        of = " (of a larger change)" if verdict.answer is Answer.EQUIVALENT else ""
        yield f"p, adjusted{of}", probability(verdict.p_adjusted, judgement.alpha)
        yield "p", probability(verdict.p, judgement.alpha)
        needed = f", about {verdict.needed} needed" if verdict.needed else ""
        yield "rounds in common", f"{verdict.rounds}{needed}"
        yield "boots", f"{verdict.boots[0]} of the base, {verdict.boots[1]} of the new side"
        yield "sd of a boot", amount(verdict.sd)
        yield "visible change", amount(verdict.visible)
        yield from (("why", why) for why in (verdict.why,) if why)
        yield from (("doubt", doubt) for doubt in verdict.doubts)

    def _value(self, side: Side) -> str:
        entry, scaled = self._entry(side), scale(side.benchmark, side.box)
        if entry is None or entry.value is None:
            return absent(entry.state if entry else None)
        spread = "" if entry.sd_percent is None else f", sd {amount(entry.sd_percent / 100.0)}"
        return f"{scaled(entry.value)} {scaled.unit} ({counted(len(entry.boots), 'value')}{spread})"


def _answer(verdict: Verdict, margin: float) -> str:
    if missing(verdict):
        return NO_VALUE
    least = f", by at least {amount(margin)}" if verdict.beyond else ""
    return f"{verdict.answer.value}{least}{', though real' if verdict.tiny else ''}"


def _ratios(verdict: Verdict) -> str:
    """Plain, with an open end as a dash."""
    if verdict.ratio is None:
        return UNKNOWN
    value, low, high = verdict.ratio.value, verdict.ratio.low or math.inf, verdict.ratio.high
    return "{} [{}, {}]".format(*(f"{one:.6g}" if math.isfinite(one) else UNKNOWN for one in (value, low, high)))
