"""What a question may name, checked against the run that it is about."""

from __future__ import annotations

from collections.abc import Iterable

from kdelta.model.boot import Boot, CellState
from kdelta.model.errors import MisuseError, unknown
from kdelta.model.plan import EXACT, LOCAL, PUBLISHED
from kdelta.model.record import BootRecord, RunRecord


def require_variant(run: RunRecord, name: str) -> None:
    names = [variant.name for variant in run.plan.variants]
    if name not in names:
        raise unknown("variant", name, names, f"in run {run.id}")


def require_box(run: RunRecord, name: str) -> None:
    names = [box.name for box in run.plan.boxes]
    if name not in names:
        raise unknown("box", name, names, f"in run {run.id}")


def require_benchmark(run: RunRecord, name: str) -> None:
    names = [benchmark.name for benchmark in run.plan.benchmarks]
    if name not in names:
        raise unknown("benchmark", name, names, f"in run {run.id}")


def good_boots(records: Iterable[BootRecord], box: str, variant: str, benchmark: str) -> list[BootRecord]:
    """The boots of `variant` on `box` in which `benchmark` ended well: those that a table counts."""
    return [record for record in records if (record.box, record.variant) == (box, variant) and _is_good(record.boot, benchmark)]


def _is_good(boot: Boot, benchmark: str) -> bool:
    return any(cell.benchmark == benchmark and cell.state is CellState.OK for cell in boot.cells)


# kind of box -> what a profile needs there
PROFILE_NEEDS = {
    EXACT: "it needs a QEMU that loads plugins, and a benchmark that did not fail: see `kdelta doctor` and `kdelta compare`",
    LOCAL: "time and profiles are taken in separate visits: measure with --profiles 3; see `kdelta doctor` for what perf needs",
    PUBLISHED: "what was published holds none of it: `kdelta compare` shows what it holds",
}


def require_profiles(found: object, what: str, kind: str) -> None:
    if not found:
        raise MisuseError(f"there is no profile of {what}", PROFILE_NEEDS[kind])
