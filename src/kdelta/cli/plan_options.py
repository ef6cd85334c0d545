"""The options that make a plan, and the plan that they or a file make."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar

import click

from kdelta.cli import from_words
from kdelta.model.errors import MisuseError
from kdelta.model.plan import Plan
from kdelta.plan import file
from kdelta.workload.command import command as command_of
from kdelta.workload.select import select

F = TypeVar("F", bound=Callable[..., Any])

CATALOGUE = file.Catalogue(select, command_of)

OPTIONS = (
    click.argument("plan_file", required=False, type=click.Path(path_type=Path), metavar="[PLAN.toml]"),
    click.option("-k", "kernels", multiple=True, metavar="'[NAME=]KERNEL [WORD...]'", help="A column: running, apt:6.1, path:F."),
    click.option("-b", "benchmarks", multiple=True, metavar="NAME", help="A suite or a benchmark: quick, ctx:procs=20,size=4096."),
    click.option("--exact", "exact", is_flag=True, help="Boot the kernels in QEMU and count instructions."),
    click.option("--rounds", "--seeds", "seeds", type=int, metavar="N", help="Boots of each column: 3; at most 10 for a verdict."),
    click.option("--first-seed", type=int, default=1, show_default=True, metavar="N", help="The first seed: others are fresh."),
    click.option("--rule", type=click.Choice(tuple(file.RULES)), default="settled", show_default=True, help="When is enough."),
    click.option("--margin", default="1%", show_default=True, metavar="PCT", help="A change up to that does not matter."),
    click.option("--alpha", default="5%", show_default=True, metavar="PCT", help="How often chance may be called a change."),
    click.option(
        "--results",
        type=int,
        default=3,
        show_default=True,
        metavar="N",
        help="Results of a visit: to agree, or to take.",
    ),
    click.option("--spread", default="1%", show_default=True, metavar="PCT", help="How far settled results may lie apart."),
    click.option("--most", type=int, metavar="N", help="Results at most of a benchmark in one visit; 15."),
    click.option("--limit", metavar="TIME", help="Time at most for a benchmark in one visit: 60s."),
    click.option("--budget", metavar="TIME", help="Begin no round after that time: 2h."),
    click.option("--tree", metavar="TREE", help="What kernbench builds: a folder, or apt:linux-source-6.1."),
    click.option("--config", metavar="CONFIG", help="Its configuration: tinyconfig, defconfig or a file."),
    click.option("--quiet", metavar="NAMES", help="Quiet the machine for the run: governor,turbo,smt,aslr,swap,timers,watchdog."),
    click.option("--drop-caches", is_flag=True, help="Drop clean pages before each visit."),
    click.option("--command", "run", metavar="WORDS", help="A command of your own as a benchmark."),
    click.option("--regex", default="", metavar="REGEX", help="Where its metric stands: one group in round brackets."),
    click.option("--metric-json", "json", default="", metavar="PATH", help="Or where in the JSON it prints: $.results[0].time."),
    click.option("--unit", metavar="UNIT", help="What its metric is in."),
    click.option("--better", type=click.Choice(("smaller", "larger")), default="smaller", show_default=True, help="Its direction."),
    click.option("--cpus", type=int, default=1, show_default=True, metavar="N", help="CPUs of the guest."),
    click.option("--memory", type=int, default=512, show_default=True, metavar="MIB", help="Memory of the guest."),
    click.option("--no-chains", is_flag=True, help="Exact profiles without call chains: a fifth less time."),
    click.option("--baseline", metavar="NAME", help="The first column; by default the first -k."),
    click.option("--profiles", type=int, default=0, show_default=True, metavar="N", help="Visits of each column for a profile."),
    click.option("--aa", is_flag=True, help="Measure the noise: the baseline against itself."),
)
NO_WORDS = ("plan_file", "aa")
"""What does not describe the plan, but where it is and what is made of it."""


def plan_options(function: F) -> F:
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def read_plan(plan_file: Path | None, aa: bool, words: dict[str, Any]) -> Plan:
    """The plan in the file, or else the one that `words` describe; with `aa` that of its baseline against itself."""
    return file.read(plan_file, CATALOGUE, aa=aa) if plan_file else from_words.plan(from_words.Words(**words), aa=aa)


def refuse_words(context: click.Context, place: str, besides: Collection[str] = ()) -> None:
    """A plan is in one place: options that would be ignored are an error. `besides` are those that are not the plan's."""
    typed = click.core.ParameterSource.COMMANDLINE
    options = (option for option in context.command.params if option.name and option.name not in (*NO_WORDS, *besides))
    given = ["/".join(option.opts) for option in options if context.get_parameter_source(option.name or "") == typed]
    if given:
        raise MisuseError(f"{', '.join(given)} would be ignored: the plan is in {place}", "leave it out")
