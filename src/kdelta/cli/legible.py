"""A stored run as it is told to people: its texts made fit for a terminal before anything is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from kdelta.inquiry.dossier import USUAL, Question, gather
from kdelta.model.dossier import Dossier
from kdelta.model.record import BootRecord, RunRecord
from kdelta.report.presentable import TEXT_NAME, presentable
from kdelta.store.store import Store


def read(store: Store, run: RunRecord, question: Question = USUAL) -> Dossier:
    """As inquiry.dossier.read, of texts that are fit. `question` has the names that the store has. Raises MisuseError."""
    every = [*store.boots(run.id), *store.boots(run.id, profiled=True)]
    fit, boots = presentable(run, every, most=TEXT_NAME)
    timed, profiled = ([boot for boot in boots if boot.profiled is wanted] for wanted in (False, True))
    return gather(fit, timed, profiled, _renamed(question, _names(run, fit)))


def boots(store: Store, run: RunRecord) -> tuple[RunRecord, list[BootRecord]]:
    """The run, and its boots whose results are judged."""
    return presentable(run, store.boots(run.id), most=TEXT_NAME)


def _names(run: RunRecord, fit: RunRecord) -> dict[str, str]:
    """Name in the store -> as it is shown: one of a column, a box or a benchmark, since all of a plan are shown apart."""
    before, after = (
        [one.name for each in (plan.variants, plan.boxes, plan.benchmarks) for one in each] for plan in (run.plan, fit.plan)
    )
    return dict(zip(before, after, strict=True))


def _renamed(question: Question, names: Mapping[str, str]) -> Question:
    thresholds = tuple(msgspec.structs.replace(one, benchmark=_name(one.benchmark, names)) for one in question.thresholds)
    return replace(question, base=_name(question.base, names), thresholds=thresholds)


def _name(name: str | None, names: Mapping[str, str]) -> str | None:
    return None if name is None else names.get(name, name)
