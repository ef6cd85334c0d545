"""The pictures of a page that are drawn before it is opened, as far as there is room for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kdelta.model.dossier import Dossier
from kdelta.model.finding import missing
from kdelta.model.plan import PUBLISHED
from kdelta.report import forest, strip, sweep
from kdelta.report.families import families
from kdelta.report.page.grid import Cell

MOST_STRIPS = 3
MOST_STRIP_BYTES = 400_000


@dataclass(frozen=True)
class Picture:
    title: str
    svg: str


def forests(dossier: Dossier) -> tuple[Picture, ...]:
    """One for each box on which something was compared."""
    judgement = dossier.judgement
    boxes = {one.new.box.name for one in judgement.verdicts if not missing(one)}
    return tuple(Picture(one.box.name, forest.render(judgement, one.box, one)) for one in dossier.tables if one.box.name in boxes)


def sweeps(dossier: Dossier) -> tuple[Picture, ...]:
    """One for each box and each program that was run with several loads."""
    found = families(dossier.run.plan)
    return tuple(
        Picture(f"{family.program} on {sheet.box.name}", sweep.render(sheet, family))
        for sheet in dossier.sheets
        for family in found
    )


def strips(dossier: Dossier, cells: Sequence[Cell]) -> tuple[Picture, ...]:
    """The raw samples of the largest changes, for where no script runs: no benchmark of a box twice."""
    plan = dossier.run.plan
    # What others published has no order of a run.
    measured = (one for one in largest(cells) if plan.boxes[one.box].kind != PUBLISHED)
    places = dict.fromkeys((one.box, one.benchmark) for one in measured)
    found: list[Picture] = []
    room = MOST_STRIP_BYTES
    for box, benchmark in list(places)[:MOST_STRIPS]:
        svg = strip.render(plan, plan.boxes[box], plan.benchmarks[benchmark], dossier.boots)
        if len(svg.encode()) <= room:
            room -= len(svg.encode())
            found.append(Picture(f"{plan.benchmarks[benchmark].name} on {plan.boxes[box].name}", svg))
    return tuple(found)


def largest(cells: Sequence[Cell]) -> list[Cell]:
    """Those that were called faster or slower before all others, and the larger before the smaller."""
    return sorted(cells, key=lambda one: (one.word not in ("slower", "faster"), -one.size))
