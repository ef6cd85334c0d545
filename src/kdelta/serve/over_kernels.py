"""A history as the rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kdelta.model.history import History, Point, Series
from kdelta.report.head import identity
from kdelta.report.scale import Scale, scale
from kdelta.report.settings import settings
from kdelta.report.text import absent


@dataclass(frozen=True)
class Row:
    """One point, each figure as it is written: "-" where there is none."""

    run: int
    started: str
    release: str
    version: str
    identity: str
    column: str
    settings: str
    boots: int
    median: str
    spread: str
    interval: str
    words: str
    before: str
    """The column in the row above, to compare it with; empty where one of both has no value."""


@dataclass(frozen=True)
class Shown:
    """A series with the facts by which it is told from the others."""

    series: Series
    unit: str
    better: str
    facts: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]


def shown(found: History) -> tuple[Shown, ...]:
    return tuple(_shown(one, found.apart) for one in found.series)


def _shown(series: Series, apart: Sequence[str]) -> Shown:
    unit = scale(series.benchmark, series.box)
    return Shown(
        series=series,
        unit=unit.unit,
        better=series.benchmark.metric.better.value,
        facts=tuple((name, series.facts.get(name, "-")) for name in apart),
        rows=tuple(_rows(series.points, unit)),
    )


def _rows(points: Sequence[Point], unit: Scale) -> Iterator[Row]:
    above: Point | None = None
    for point in points:
        comparable = above is not None and bool(above.boots) and bool(point.boots)
        yield Row(
            run=point.run,
            started=point.started[:16].replace("T", " "),
            release=point.kernel.release,
            version=point.kernel.version,
            identity=identity(point.kernel),
            column=point.variant.name,
            settings=" ".join(settings(point.variant)),
            boots=len(point.boots),
            median=absent(point.state) if point.median is None else unit(point.median),
            spread=_range(unit, point.least, point.most),
            interval=_range(unit, point.low, point.high),
            words=_words(point),
            before=_words(above) if above is not None and comparable else "",
        )
        above = point


def _words(point: Point) -> str:
    return f"{point.run}:{point.variant.name}"


def _range(unit: Scale, low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{unit(low)} to {unit(high)}"
