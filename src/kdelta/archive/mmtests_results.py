"""Raw results of MMTests, by run: entries of what its logs and its JSON hold, named as its tables are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kdelta.archive.mmtests_names import What
from kdelta.model.benchmark import Better
from kdelta.model.published import Claim, Discarded, Entry, Number, Remark

UNKNOWN = "iterations of MMTests are of one boot or of several: that is not said"
NEITHER = ("percent_cpu",)
"""Metrics of which more is neither better nor worse."""


@dataclass
class Results:
    """Of one test under one run: the values of each operation, in the order in which they were taken."""

    run: str
    test: str
    values: dict[What, list[Number]] = field(default_factory=dict)
    discarded: dict[What, list[Discarded]] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    iterations: int = 1

    def add(self, of: What, values: Iterable[Number]) -> None:
        """A time below zero is none."""
        for one in values:
            if one.value < 0.0 and of.unit == "s":
                self.discarded.setdefault(of, []).append(Discarded(one, "a time cannot be negative"))
                self.values.setdefault(of, [])
            else:
                self.values.setdefault(of, []).append(one)

    def entries(self) -> list[Entry]:
        """One for each operation. Values of one iteration are of one boot."""
        return [
            Entry(
                variant=self.run,
                program=of.program,
                benchmark=of.benchmark,
                metric=of.metric,
                unit=of.unit,
                printed_unit=of.printed,
                better=_better(of),
                parameters=dict(of.parameters),
                samples=tuple(values),
                discarded=tuple(self.discarded.get(of, ())),
                count=len(values) or None,
                boots=False if self.iterations == 1 and len(values) > 1 else None,
            )
            for of, values in self.values.items()
        ]


def _better(of: What) -> Better | None:
    if of.metric in NEITHER or of.benchmark.endswith("-session"):
        return None
    if of.unit == "s":
        return Better.SMALLER
    return Better.LARGER if of.metric == "throughput" else None


def several(found: Sequence[Results]) -> None:
    """Says of those with more than one iteration what is not known of them."""
    for one in found:
        if one.iterations > 1:
            one.remarks.append(Remark(0, UNKNOWN))
