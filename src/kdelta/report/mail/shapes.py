"""In which shapes the values of a run are shown: those that were asked for, else what is usual for each program."""

from __future__ import annotations

from collections.abc import Sequence

from kdelta.model.benchmark import Benchmark
from kdelta.model.dossier import Dossier
from kdelta.model.errors import MisuseError, unknown

MIN, VERDICT = "min", "verdict"
PROGRAMS = {MIN: "", "kernbench": "kernbench", "sdet": "sdet", "log": "kernbench", "range": "", VERDICT: ""}
"""Shape -> the program whose benchmarks it is about: empty for any."""
USUAL = {"kernbench": "kernbench", "sdet": "sdet"}
"""Program -> its shape; that of all others is MIN."""

Chosen = dict[str, tuple[str, ...]]
"""Shape -> names of the benchmarks in it."""


def chosen(dossier: Dossier, shapes: Sequence[str]) -> Chosen:
    """The MIN table first, the verdicts last. No benchmark is lost: what is in none of `shapes` is in its usual one.

    Raises MisuseError for a shape that there is not, or of which the run has nothing.
    """
    benchmarks = dossier.run.plan.benchmarks
    found = {shape: _asked(dossier, shape) for shape in shapes}
    shown = {name for names in found.values() for name in names}
    for one in benchmarks:
        if one.name not in shown:
            usual = USUAL.get(_program(one), MIN)
            found[usual] = (*found.get(usual, ()), one.name)
    if not shapes and dossier.is_compared:
        found[VERDICT] = tuple(one.name for one in benchmarks)
    order = {MIN: 0, VERDICT: 2}
    return {shape: found[shape] for shape in sorted(found, key=lambda shape: order.get(shape, 1)) if found[shape]}


def _program(benchmark: Benchmark) -> str:
    """Empty for a user's own command, whose metrics are its own."""
    return "" if benchmark.command else benchmark.program


def _asked(dossier: Dossier, shape: str) -> tuple[str, ...]:
    if shape not in PROGRAMS:
        raise unknown("shape", shape, PROGRAMS)
    run, program = dossier.run, PROGRAMS[shape]
    if shape == VERDICT and not dossier.is_compared:
        return ()
    names = tuple(one.name for one in run.plan.benchmarks if not program or _program(one) == program)
    if not names:
        held = ", ".join(benchmark.name for benchmark in run.plan.benchmarks)
        raise MisuseError(
            f"run {run.id} holds no benchmark of {program}, which the shape {shape} is about",
            f"it holds {held}: leave {shape} out, or measure -b {program}",
        )
    return names
