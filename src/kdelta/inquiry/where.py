"""Where the changes of a run are, as far as it was profiled."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import msgspec

from kdelta.inquiry.explained import Asked, explain
from kdelta.inquiry.profiled import Boots, of_run
from kdelta.model.dossier import Dossier
from kdelta.model.errors import MisuseError
from kdelta.model.verdict import Answer, Axis, Side, Verdict
from kdelta.profile.explained import Where
from kdelta.profile.profiled import Profiled
from kdelta.store.store import Store

CHANGED = (Answer.FASTER, Answer.SLOWER)
OF_VARIANTS = (Axis.COLUMNS, Axis.PAIRS, Axis.KERNELS, Axis.SETTINGS)
"""Axes whose sides differ in their variant alone: two benchmarks, or two boxes, have no common profile."""

USUAL = Asked()


def where(store: Store, dossier: Dossier, most: int, asked: Asked = USUAL, show: Callable[[str], str] = str) -> tuple[Where, ...]:
    """The largest changes of `dossier` that were called so and were profiled, at most so many, the largest first.

    `show` makes a name of the run what it is called in the result.
    """
    if dossier.judgement.axis not in OF_VARIANTS:
        return ()
    known = store.profiled_cells(dossier.run.id)
    changed = [
        one for one in dossier.judgement.verdicts if one.answer in CHANGED and all(_cell(side) in known for side in _sides(one))
    ]
    found: list[Where] = []
    for one in _explained(store, dossier, sorted(changed, key=_size, reverse=True), asked, show):
        if len(found) == most:
            break
        found.append(one)
    return tuple(found)


def _explained(
    store: Store, dossier: Dossier, verdicts: list[Verdict], asked: Asked, show: Callable[[str], str]
) -> Iterator[Where]:
    boots = Boots(dossier.boots, dossier.profiled)
    for verdict in verdicts:
        box, benchmark = verdict.new.box, verdict.new.benchmark.name
        try:
            old, new = (of_run(store, dossier.run, boots, box, side.variant, benchmark) for side in _sides(verdict))
            explained = explain(_called(old, show), _called(new, show), asked)
        except MisuseError:  # Not on both sides alike.
            continue
        yield Where(show(box.name), show(benchmark), explained)


def _sides(verdict: Verdict) -> tuple[Side, Side]:
    return verdict.base, verdict.new


def _cell(side: Side) -> tuple[str, str, str]:
    return side.box.name, side.variant, side.benchmark.name


def _called(profiled: Profiled, show: Callable[[str], str]) -> Profiled:
    return msgspec.structs.replace(profiled, side=msgspec.structs.replace(profiled.side, name=show(profiled.side.name)))


def _size(verdict: Verdict) -> float:
    return abs(math.log(verdict.ratio.value)) if verdict.ratio and 0.0 < verdict.ratio.value < math.inf else 0.0
