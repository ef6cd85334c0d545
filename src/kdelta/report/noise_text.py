"""What a run shows that measured its baseline against itself: the noise of each benchmark, and false alarms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kdelta.model.noise import Alarms, Noise
from kdelta.model.plan import BoxSpec, Plan
from kdelta.model.verdict import Judgement, Verdict
from kdelta.report.scale import at_least_hundredths
from kdelta.report.text import WIDTH, counted, wrapped

NAME = 13
TITLES = ("boot sd", "half width", "flagged")
MISSING = "-"
LARGEST = 999
"""Percent: more is beyond comparison."""


def render(plan: Plan, found: Sequence[Noise], judgement: Judgement, alarms: Mapping[str, Alarms], width: int = WIDTH) -> str:
    """A table for each box of `plan`. `alarms` are by name of the box: those of all such runs on its kind of machine, this one
    among them.
    """
    verdicts = {(one.new.box.name, one.new.benchmark.name): one for one in judgement.verdicts if one.new.variant == plan.twin}
    boxes = ((box, [one for one in found if one.box == box.name]) for box in plan.boxes)
    parts = [
        [*_title(plan, box), *_table(plan, own, verdicts), wrapped(_alarms(own, alarms.get(box.name)), width=width)]
        for box, own in boxes
        if own
    ]
    return "\n".join("\n".join(lines) + "\n" for lines in parts)


def _title(plan: Plan, box: BoxSpec) -> list[str]:
    title = f"{box.cpus}-way {box.name} box, {plan.baseline} against itself:"
    return [title, "=" * len(title)]


def _table(plan: Plan, found: Sequence[Noise], verdicts: Mapping[tuple[str, str], Verdict]) -> Iterator[str]:
    rows = []
    for one in found:
        verdict = verdicts.get((one.box, one.benchmark))
        flag = verdict.answer.value if verdict and one.flagged else ""
        rows.append((one.benchmark, [percent(one.sd), percent(_half_width(verdict)), flag]))
    return grid(counted(plan.seeds, "round"), TITLES, rows)


def grid(corner: str, titles: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Lines of a table: each row's name and its cells, columns as wide as they need, two blanks before each."""
    names = max(NAME, *(len(name) for name, _ in rows), len(corner) + 3)
    widths = [2 + max(map(len, column)) for column in zip(titles, *(cells for _, cells in rows), strict=True)]
    head = f"{'   ' + corner:<{names + 1}}" + _line(titles, widths)
    yield head.rstrip()
    yield "-" * len(head)
    for name, cells in rows:
        yield (f"{name:>{names}}:" + _line(cells, widths)).rstrip()


def percent(value: float | None) -> str:
    """A share with two digits that say something, as far as a share says something; never 0 for what is missing."""
    if value is None:
        return MISSING
    return f">{LARGEST}%" if value > LARGEST / 100.0 else f"{at_least_hundredths(100.0 * value)}%"


def _line(cells: Iterable[str], widths: Iterable[int]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _half_width(verdict: Verdict | None) -> float | None:
    """Of the interval of the ratio, on its logarithmic scale; None where there is none, or it has no end."""
    if verdict is None or verdict.ratio is None or not (verdict.ratio.low > 0.0 and math.isfinite(verdict.ratio.high)):
        return None
    return math.sqrt(verdict.ratio.high / verdict.ratio.low) - 1.0


def _alarms(found: Sequence[Noise], all_runs: Alarms | None) -> str:
    judged = [one for one in found if one.p is not None]
    if not judged:
        return "A/A: too few rounds to say anything of false alarms."
    here = f"A/A: {sum(one.flagged for one in judged)} of {counted(len(judged), 'contrast')} flagged here"
    if all_runs is None or all_runs.rate is None or all_runs.low is None or all_runs.high is None or all_runs.runs < 2:
        return f"{here}."
    ends = f"95 % interval {100.0 * all_runs.low:.1f} to {100.0 * all_runs.high:.1f} %"
    over = f"over {all_runs.runs} such runs of this box {all_runs.flagged} of {all_runs.contrasts}"
    return f"{here}; {over} ({100.0 * all_runs.rate:.1f} %, {ends})."
