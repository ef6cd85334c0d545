"""Stored runs as plain values, for a notebook or a script: `kdelta.load()`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from kdelta.inquiry import dossier
from kdelta.inquiry.dossier import Question
from kdelta.inquiry.explained import Asked, explain
from kdelta.inquiry.profiled import Boots, of_run
from kdelta.inquiry.require import require_benchmark, require_box
from kdelta.model.dossier import Dossier
from kdelta.model.plan import BoxSpec
from kdelta.model.profile import by_function
from kdelta.model.record import RunRecord
from kdelta.model.verdict import Axis, Verdict
from kdelta.profile.explained import Explained
from kdelta.profile.profiled import Profiled
from kdelta.report.data.table import sample_columns, verdict_columns
from kdelta.store.place import open_store
from kdelta.store.store import Store


def load(run: int | None = None, *, store: str | None = None, **question: Any) -> Loaded:
    """A stored run: that with the number, or the newest. `store` is a path or URL; by default that of the program.

    `question` are fields of Question: axis ("pairs"), base, statistic ("mean"), holm, though_unlike. Raises MisuseError for what
    there is not, StoreError where the store cannot be read.
    """
    if "axis" in question:
        question["axis"] = Axis(question["axis"])
    opened = open_store(store)
    return Loaded(opened, opened.run(run), Question(**question))


class Loaded:
    """One run. Tables are columns of equal length, by name, in the order of the rows: `pandas.DataFrame(run.samples)`, as well as
    `polars.DataFrame` and `pyarrow.table`, takes them as they are. Nothing is read before it is asked for.
    """

    def __init__(self, store: Store, run: RunRecord, question: Question) -> None:
        self.run = run
        self._store, self._question = store, question

    def __repr__(self) -> str:
        plan = self.run.plan
        columns, rows = ", ".join(one.name for one in plan.variants), ", ".join(one.name for one in plan.benchmarks)
        return f"<run {self.run.id}, {self.run.started[:16]}: {columns}; {rows}>"

    @cached_property
    def dossier(self) -> Dossier:
        """All that is said of it, as the reports have it."""
        return dossier.read(self._store, self.run, self._question)

    @property
    def samples(self) -> Mapping[str, list[Any]]:
        """A row for each value that was measured, also those that are not judged (`warmup`, `discarded`)."""
        return sample_columns(self.dossier)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return self.dossier.judgement.verdicts

    @property
    def verdict_table(self) -> Mapping[str, list[Any]]:
        """A row for each verdict; None is what is not known."""
        return verdict_columns(self.dossier)

    def profile(self, variant: str, benchmark: str, *, box: str | None = None) -> dict[str, float]:
        """Counts by function per operation, the mean of all boots: instructions, or ticks. `box` is by default the first."""
        found = self._profiled(self._box(benchmark, box), variant, benchmark)
        each = {name: count / found.work for name, count in by_function(found.counts).items()}
        return dict(sorted(each.items(), key=lambda item: (-item[1], item[0])))

    def difference(self, old: str, new: str, benchmark: str, *, box: str | None = None) -> Explained:
        """Where the change of a benchmark is: `.difference.changes` by function, `.moves`, and `.account` of what it adds up to."""
        place = self._box(benchmark, box)
        sides = [self._profiled(place, name, benchmark) for name in (old, new)]
        return explain(sides[0], sides[1], Asked())

    def _profiled(self, box: BoxSpec, variant: str, benchmark: str) -> Profiled:
        return of_run(self._store, self.run, Boots(self.dossier.boots, self.dossier.profiled), box, variant, benchmark)

    def _box(self, benchmark: str, name: str | None) -> BoxSpec:
        require_benchmark(self.run, benchmark)
        if name is not None:
            require_box(self.run, name)
        return self.run.plan.box(name) if name is not None else self.run.plan.boxes[0]
