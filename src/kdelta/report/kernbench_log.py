"""kernbench.log, as Con Kolivas' kernbench 0.50 writes it and others read it: a block for each load of each variant.

Only the numbers of a block differ from that program's: it averages each load with those before it, and prints large counts as
1.30478e+06. What is not in its form stands outside the blocks: a reader of them passes over it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kdelta.model.benchmark import Benchmark
from kdelta.model.kernel import Kernel
from kdelta.model.plan import PUBLISHED
from kdelta.model.sheet import Figure, Line, Sheet
from kdelta.model.words import WORDS
from kdelta.report import loads
from kdelta.report.basis import notes, opening
from kdelta.report.text import WIDTH, absent, counted

LABELS = {
    "Elapsed Time": "elapsed_s",
    "User Time": "user_s",
    "System Time": "system_s",
    "Percent CPU": "percent_cpu",
    "Context Switches": "context_switches",
    "Sleeps": "sleeps",
}
PEAK = "peak_tasks"
WHAT = "Means and standard deviations"


def render(sheet: Sheet, kernels: Mapping[str, Kernel], width: int = WIDTH) -> str:
    """`kernels` are by variant."""
    return f"{opening(sheet, WHAT, width)}\n{body(sheet, kernels, width)}"


def body(sheet: Sheet, kernels: Mapping[str, Kernel], width: int = WIDTH) -> str:
    """A log for each variant. No load holds another's results."""
    variants = [line.variant for line in sheet.blocks[0].lines]
    logs = ("\n".join(_log(sheet, place, kernels[variant])) for place, variant in enumerate(variants))
    below = [note for block in sheet.blocks for note in notes(block, width)]
    return "\n".join([*logs, *below]).rstrip("\n") + "\n"


def _log(sheet: Sheet, place: int, kernel: Kernel) -> Iterator[str]:
    """That of the variant in one place of every block, under the heading that others gave it."""
    called = kernel.spec if sheet.box.kind == PUBLISHED else sheet.blocks[0].lines[place].variant
    title = f"Kernbench log for {called}"
    yield from (title, "=" * len(title), f"Kernel: {kernel.release}")
    for block in sheet.blocks:
        yield from _block(block.benchmark, block.lines[place], sheet)


def _block(benchmark: Benchmark, line: Line, sheet: Sheet) -> Iterator[str]:
    yield f"Average {loads.title(benchmark, line.cpus)} Run (std deviation):"
    if not line.figures:
        yield from (absent(line.state), "")
        return
    yield from (f"{label} {_figure(line.figures[metric])}" for label, metric in LABELS.items() if metric in line.figures)
    if PEAK not in line.figures:  # Of what others published: their log has none.
        yield ""
        return
    visits = "" if sheet.within else f"{WORDS[sheet.box.kind].units(line.visits)}, "
    yield from ("", f"{visits}{counted(line.results, 'run')}, peak tasks {_figure(line.figures[PEAK])}", "")


def _figure(figure: Figure) -> str:
    """A mean with its standard deviation in brackets; one run has none."""
    return number(figure.mean) if figure.sd is None else f"{number(figure.mean)} ({number(figure.sd)})"


def number(value: float) -> str:
    """Six significant digits, and all digits of what is larger: never an exponent, which readers of kernbench.log trip over."""
    if abs(value) >= 999999.5:
        return f"{value:.0f}"
    return f"{value:.6f}" if 0.0 < abs(value) < 1e-4 else f"{value:.6g}"
