"""Options that say what is compared, and how: of every command that reports verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from kdelta.cli.options import STATISTICS
from kdelta.inquiry.dossier import Question
from kdelta.inquiry.require import require_benchmark
from kdelta.model.gate import Threshold
from kdelta.model.record import RunRecord
from kdelta.model.verdict import Axis
from kdelta.plan import units

F = TypeVar("F", bound=Callable[..., Any])

AXES = tuple(one.value for one in Axis if one is not Axis.RUNS)
"""Two runs are compared by `--with`."""
OPTIONS = (
    click.option("--stat", type=click.Choice(STATISTICS), help="What makes the results of a boot one value."),
    click.option("--axis", type=click.Choice(AXES), default="columns", show_default=True, help="What is compared."),
    click.option("--base", metavar="NAME", help="The side that the others are compared with."),
    click.option("--holm", is_flag=True, help="Let chance make any false change in the whole table with the level alpha only."),
    click.option("--though-unlike", is_flag=True, help="Compare also what was measured with different things."),
    click.option("--threshold", "thresholds", multiple=True, metavar="[NAME=]PCT", help="Of the gate: slower by that or more."),
)


def question_options(function: F) -> F:
    """What `question` takes."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def question(
    run: RunRecord, *, stat: str | None, axis: str, base: str | None, holm: bool, though_unlike: bool, thresholds: Sequence[str]
) -> Question:
    """Raises MisuseError for a threshold that is none."""
    return Question(Axis(axis), base, stat, holm, though_unlike, tuple(_threshold(run, text) for text in thresholds))


def _threshold(run: RunRecord, text: str) -> Threshold:
    """`2%` for all benchmarks, `ctx:procs=20=5%` for one: its name may hold an equals sign."""
    name, _, share = text.rpartition("=")
    if name:
        require_benchmark(run, name)
    return Threshold(name or None, units.share("--threshold", share))
