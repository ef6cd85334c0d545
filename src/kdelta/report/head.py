"""What a reader must know before the numbers: which kernels, how often, measured how."""

from __future__ import annotations

from collections.abc import Iterable

from kdelta.model.boot import Outcome
from kdelta.model.plan import Plan
from kdelta.model.record import BootRecord, RunRecord

EXACT_NOTE = (
    "Exact: instructions executed under QEMU {qemu}, not time. Caches, memory latency\n"
    "and parallelism are outside it; a string instruction counts once per iteration.\n"
    "The seeds stand for layout luck."
)


def render(run: RunRecord, records: Iterable[BootRecord]) -> str:
    """The run, its columns with what the guests said they are, and what exact counts mean."""
    boots = list(records)
    lines = [f"Run {run.id}, {run.started[:16].replace('T', ' ')} UTC: {_amount(run.plan, boots)}."]
    for variant in run.plan.variants:
        kernel = run.kernels[variant.name]
        identity = f"build id {kernel.build_id}" if kernel.build_id else f"image sha256 {kernel.image_sha256}"
        settings = [*variant.cmdline, *(f"sysctl.{name}={value}" for name, value in variant.sysctl.items())]
        lines.append(f"  {variant.name}: {' '.join([kernel.release, *settings])}")
        lines += [f"    {kernel.version}", f"    {identity}"]
    versions = sorted({boot.boot.environment["qemu"].split()[0] for boot in boots if "qemu" in boot.boot.environment})
    if versions:
        lines.append(EXACT_NOTE.format(qemu=" and ".join(versions)))
    return "\n".join(lines) + "\n"


def _amount(plan: Plan, boots: list[BootRecord]) -> str:
    planned = plan.seeds * len(plan.variants) * len(plan.boxes)
    missing = f", {planned - len(boots)} of them not measured yet" if len(boots) < planned else ""
    seeds = f"seeds 1 to {plan.seeds}" if plan.seeds > 1 else "one seed: a statement about this layout only"
    return f"{planned} boot{'s' if planned > 1 else ''} ({seeds}){missing}"


def failures(records: Iterable[BootRecord]) -> str:
    """Boots that did not run to their end, and why; empty where all did."""
    return "".join(
        f"Boot of {record.variant} on {record.box}, seed {record.seed}: {record.boot.outcome.value}: {record.boot.reason}\n"
        for record in records
        if record.boot.outcome is not Outcome.DONE
    )


def warnings(records: Iterable[BootRecord]) -> str:
    """What boots warned of, each once, with the boots that did."""
    places: dict[str, list[str]] = {}
    for record in records:
        for warning in record.boot.warnings:
            places.setdefault(warning, []).append(f"{record.variant} on {record.box}, seed {record.seed}")
    return "".join(f"Warning ({'; '.join(where)}): {warning}\n" for warning, where in places.items())
