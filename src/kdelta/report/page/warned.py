"""What went wrong in a run, and what its machines warned of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kdelta.model.boot import Outcome
from kdelta.model.dossier import Dossier
from kdelta.model.record import BootRecord
from kdelta.model.words import alike
from kdelta.report.published import remarks


@dataclass(frozen=True)
class Failure:
    """A boot that did not run to its end."""

    box: str
    variant: str
    seed: int
    outcome: str
    reason: str


@dataclass(frozen=True)
class Warned:
    """`failures` are boots, `cells` benchmarks that are not whole: box, benchmark, column and how it ended.

    `said` is what boots warned of, each kind once with how many boots said so, or what is doubtful of what others published;
    `refused` are contrasts that were not made, `hidden` what differs on a box unasked.
    """

    failures: tuple[Failure, ...]
    cells: tuple[tuple[str, str, str, str], ...]
    said: tuple[tuple[str, int], ...]
    refused: tuple[str, ...]
    hidden: tuple[tuple[str, str], ...]

    @property
    def count(self) -> int:
        return sum(map(len, (self.failures, self.cells, self.said, self.refused, self.hidden)))


def warned(dossier: Dossier) -> Warned:
    """Of all boots, also of those that were only profiled."""
    plan, every = dossier.run.plan, (*dossier.boots, *dossier.profiled)
    return Warned(
        failures=tuple(
            Failure(one.box, one.variant, one.seed, one.boot.outcome.value, one.boot.reason)
            for one in every
            if one.boot.outcome is not Outcome.DONE
        ),
        cells=tuple(_cells(dossier)),
        said=(*_said(every), *((text, 1) for text in remarks(dossier.run))),
        refused=dossier.judgement.refused,
        hidden=tuple((box.name, text) for box, texts in zip(plan.boxes, dossier.hidden, strict=True) for text in texts),
    )


def _cells(dossier: Dossier) -> Iterator[tuple[str, str, str, str]]:
    for table in dossier.tables:
        for row in table.rows:
            for entry in row.entries:
                yield from ((table.box.name, row.benchmark.name, entry.variant, note) for note in entry.notes)


def _said(every: Sequence[BootRecord]) -> tuple[tuple[str, int], ...]:
    """With its first figures."""
    found: dict[str, tuple[str, int]] = {}
    for one in every:
        for warning in one.boot.warnings:
            first, count = found.get(alike(warning), (warning, 0))
            found[alike(warning)] = first, count + 1
    return tuple(found.values())
