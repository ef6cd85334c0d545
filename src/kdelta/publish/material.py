"""What the documents of one run are made of, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kdelta.inquiry.dossier import USUAL, Question, gather
from kdelta.inquiry.pair import Pair
from kdelta.inquiry.where import where
from kdelta.model.dossier import Dossier
from kdelta.model.record import BootRecord, RunRecord
from kdelta.profile.explained import Where
from kdelta.report.presentable import PAGE_NAME, TEXT_NAME, presentable, shower
from kdelta.store.store import Store

MOST_DIFFERENCES, MOST_MAILED = 6, 2
"""Differences of profiles in a document, one screen each, and in a mail."""


@dataclass(frozen=True)
class Fit:
    """How texts are made fit to be shown: `ascii_only`, and names of `most` characters."""

    ascii_only: bool
    most: int


TEXT, MAIL, PAGE = Fit(False, TEXT_NAME), Fit(True, TEXT_NAME), Fit(False, PAGE_NAME)


@dataclass(frozen=True)
class Material:
    """`raw` has names as they are: data. In `text`, `mail` and `page` all texts are fit for a terminal, a mail, or a page.

    `boots` are those that are judged, and `profiled` those in which nothing was timed. At most so many `differences` of profiles
    are made. `shapes` are the tables of the mail, in its order; none for those that fit what was run.
    """

    store: Store
    run: RunRecord
    boots: Sequence[BootRecord]
    profiled: Sequence[BootRecord]
    question: Question = USUAL
    left_out: tuple[str, ...] = ()
    """What is not compared, and why, beside what the question refuses."""
    differences: int = MOST_DIFFERENCES
    mailed: int = MOST_MAILED
    """Of the differences, those in the mail."""
    shapes: tuple[str, ...] = ()

    @cached_property
    def raw(self) -> Dossier:
        return gather(self.run, self.boots, self.profiled, self.question, self.left_out)

    @cached_property
    def text(self) -> Dossier:
        return self._fit(TEXT)

    @cached_property
    def mail(self) -> Dossier:
        return self._fit(MAIL)

    @cached_property
    def page(self) -> Dossier:
        return self._fit(PAGE)

    @cached_property
    def _is_plain(self) -> bool:
        """Whether all texts are as a mail has them, and so fit for everything."""
        every = [*self.boots, *self.profiled]
        return presentable(self.run, every, ascii_only=MAIL.ascii_only, most=MAIL.most) == (self.run, every)

    def _fit(self, fit: Fit) -> Dossier:
        """`raw` itself where all is plain: to judge it again would give the same."""
        if self._is_plain:
            return self.raw
        every = [*self.boots, *self.profiled]
        run, boots = presentable(self.run, every, ascii_only=fit.ascii_only, most=fit.most)
        show = shower(self.run, ascii_only=fit.ascii_only, most=fit.most)
        timed, profiled = boots[: len(self.boots)], boots[len(self.boots) :]
        return gather(run, timed, profiled, self.question.renamed(show), [show(one) for one in self.left_out])

    @cached_property
    def wheres(self) -> tuple[Where, ...]:
        """Where the largest changes are, by their names in the store."""
        return where(self.store, self.raw, self.differences)

    def fit_wheres(self, dossier: Dossier, fit: Fit) -> tuple[Where, ...]:
        """The same, by the names that `dossier` has."""
        if dossier is self.raw:
            return self.wheres
        show = shower(self.run, ascii_only=fit.ascii_only, most=fit.most)
        return where(self.store, self.raw, self.differences, show=show)


def of_run(
    store: Store, run: RunRecord, question: Question = USUAL, *, differences: int | None = None, shapes: tuple[str, ...] = ()
) -> Material:
    """Where `differences` are given, as many are in every document."""
    boots, profiled = store.boots(run.id), store.boots(run.id, profiled=True)
    counts = (MOST_DIFFERENCES, MOST_MAILED) if differences is None else (differences, differences)
    return Material(store, run, boots, profiled, question, differences=counts[0], mailed=counts[1], shapes=shapes)


def of_pair(store: Store, pair: Pair, question: Question = USUAL) -> Material:
    """Of two columns. The profiles of two runs are not compared."""
    asked, apart = replace(question, axis=pair.axis, base=None), pair.run.plan.apart
    names = {one.name for one in pair.run.plan.variants}
    every = () if apart else store.boots(pair.run.id, profiled=True)
    profiled = [one for one in every if one.variant in names]
    differences = 0 if apart else MOST_DIFFERENCES
    return Material(store, pair.run, pair.boots, profiled, asked, left_out=pair.left_out, differences=differences)
