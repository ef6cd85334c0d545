"""The title of a table: which box, in which unit, and which direction is better."""

from __future__ import annotations

from collections.abc import Iterable

from kdelta.model.benchmark import Benchmark, Better
from kdelta.model.plan import BoxSpec
from kdelta.model.words import called
from kdelta.report.scale import scale
from kdelta.report.text import WIDTH, underlined, wrapped

NOTE_COLUMN = 39
LARGER = "larger is better"
NO_UNIT = "no unit is printed"

Groups = dict[tuple[str, Better], list[str]]
"""Names of benchmarks by unit and direction."""


def heading(
    box: BoxSpec,
    benchmarks: Iterable[Benchmark],
    words: str = "",
    larger: str = LARGER,
    mixed: str = "",
    width: int = WIDTH,
) -> list[str]:
    """The title with its underline, and the units on a line of their own where there are several.

    `words` go behind the unit. Where directions differ `larger` marks those of which it is not the usual one, and `mixed` is
    what else a reader must know then.
    """
    groups = _groups(box, benchmarks)
    unit = "".join(f", {one}" for one, _ in groups if one) if len(groups) == 1 else ""
    title = underlined(f"{called(box)}{unit}{words}:", note({better for _, better in groups}), width, NOTE_COLUMN)
    return [*title, *([] if len(groups) == 1 else [wrapped(f"Units: {_units(groups, larger, mixed)}", width=width)])]


def units(box: BoxSpec, benchmarks: Iterable[Benchmark], larger: str = LARGER, mixed: str = "") -> str:
    """The unit of most rows, and of the others by their names."""
    return _units(_groups(box, benchmarks), larger, mixed)


def _groups(box: BoxSpec, benchmarks: Iterable[Benchmark]) -> Groups:
    groups: Groups = {}
    for benchmark in benchmarks:
        groups.setdefault((scale(benchmark, box).unit, benchmark.metric.better), []).append(benchmark.name)
    return groups


def note(directions: set[Better]) -> str:
    """Which direction is better, behind a title."""
    return "(smaller is better but where said)" if len(directions) > 1 else f"({directions.pop().value} is better)"


def _units(groups: Groups, larger: str, mixed: str) -> str:
    """The unit of most rows first, without their names."""
    differ = len({better for _, better in groups}) > 1
    units = {key: key[0] or NO_UNIT for key in groups}
    words = {key: f"{unit} ({larger})" if differ and key[1] is Better.LARGER else unit for key, unit in units.items()}
    first, *others = sorted(groups, key=lambda key: -len(groups[key]))
    parts = [words[first], *(f"{', '.join(groups[key])}: {words[key]}" for key in others)]
    return f"{'; '.join(parts)}{mixed if differ else ''}"
