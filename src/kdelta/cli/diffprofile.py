"""kdelta diffprofile: which functions a change is in."""

from __future__ import annotations

import statistics

import click
import msgspec

from kdelta.cli.options import (
    box_option,
    good_boots,
    json_option,
    print_json,
    require_benchmark,
    require_box,
    require_profiles,
    require_variant,
    run_option,
    store_option,
)
from kdelta.judge.table import largest_change, measured, tables
from kdelta.model.errors import MisuseError
from kdelta.model.plan import Plan
from kdelta.model.record import BootRecord, RunRecord
from kdelta.profile.difference import difference, per_operation
from kdelta.report.diffprofile import MOST_ROWS, render_difference
from kdelta.store.place import open_store
from kdelta.store.store import Store

THE_REST = "(the rest: a block that a fault cuts short is counted whole, and the clock is read outside the profile)"


@click.command()
@click.argument("old", required=False, metavar="[A")
@click.argument("new", required=False, metavar="B]")
@click.option("-b", "benchmark", metavar="NAME", help="The benchmark; by default the one that changed most.")
@click.option("--rows", type=click.IntRange(min=1), default=MOST_ROWS, show_default=True, metavar="N", help="Functions shown.")
@click.option("--keep-clones", is_flag=True, help="Do not join .isra, .constprop, .part and .cold with their function.")
@box_option
@run_option
@json_option
@store_option
def command(
    old: str | None,
    new: str | None,
    benchmark: str | None,
    rows: int,
    keep_clones: bool,
    box: str | None,
    run_id: int | None,
    as_json: bool,
    store: str | None,
) -> None:
    """Print the difference of two variants' profiles, in instructions per operation and percent of the old count.

    A and B are variants of the run; without them the baseline, and the variant that changed most. All on one box, by
    default the first: counts of different boxes are not alike.
    """
    if old and not new:
        raise MisuseError("one variant has no difference", "name two: kdelta diffprofile A B")
    opened = open_store(store)
    run = opened.run(run_id)
    place = box or run.plan.boxes[0].name
    require_box(run, place)
    records = [record for record in opened.boots(run.id) if record.box == place]
    chosen, old, new = _choose(run, records, benchmark, old, new)
    require_benchmark(run, chosen)
    sides = [_Side(opened, run, good_boots(records, place, name, chosen), name, chosen, keep_clones) for name in (old, new)]
    changes = difference(sides[0].counts, sides[1].counts)
    if as_json:
        print_json([{"name": c.name, "old": c.old, "new": c.new, "delta": c.delta} for c in changes])
        return
    click.echo(f"Diffprofile for {chosen}, instructions per operation (-ve numbers better with {new})")
    click.echo(render_difference(changes, rows), nl=False)
    click.echo("".join(side.account() for side in sides) + THE_REST)


def _choose(
    run: RunRecord, records: list[BootRecord], benchmark: str | None, old: str | None, new: str | None
) -> tuple[str, str, str]:
    """What was not named: the benchmark, or the variant, with the largest change against the baseline."""
    if old and new and benchmark:
        return benchmark, old, new
    if benchmark:
        require_benchmark(run, benchmark)
    if old and new:
        require_variant(run, old)
        require_variant(run, new)
    change = largest_change(tables(_narrowed(run.plan, benchmark, old, new), records, "median"))
    if change is None:
        raise MisuseError(f"run {run.id} holds no two variants that can be compared", "`kdelta compare` shows what it holds")
    return change.benchmark.name, old or run.plan.baseline, new or change.entry.variant


def _narrowed(plan: Plan, benchmark: str | None, old: str | None, new: str | None) -> Plan:
    """The part of `plan` that is left to choose from, its baseline first."""
    pair = [variant for name in (old, new) for variant in plan.variants if variant.name == name]
    wanted = tuple(one for one in plan.benchmarks if benchmark in (None, one.name))
    return msgspec.structs.replace(plan, variants=tuple(pair) or plan.variants, benchmarks=wanted)


class _Side:
    """One variant's profile and the benchmark's own count, which the profile must agree with."""

    def __init__(self, store: Store, run: RunRecord, boots: list[BootRecord], name: str, benchmark: str, keep_clones: bool) -> None:
        require_variant(run, name)
        profiles = store.profiles([record.id for record in boots], benchmark)
        require_profiles(profiles, f"{benchmark} on {name}")
        self._name = name
        self._own = statistics.fmean(value for record in boots for value in measured(record, benchmark))
        self.counts = per_operation(profiles, keep_clones)

    def account(self) -> str:
        total = sum(self.counts.values())
        rest = 100.0 * (total - self._own) / self._own
        return f"{self._name}: profile {total:.1f}, the benchmark's own count {self._own:.1f} ({rest:+.2f}%)\n"
