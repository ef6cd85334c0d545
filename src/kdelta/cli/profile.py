"""kdelta profile: one exact profile."""

from __future__ import annotations

import click

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
from kdelta.profile.difference import per_operation
from kdelta.report.diffprofile import render_profile
from kdelta.store.place import open_store


@click.command()
@click.argument("variant", required=False)
@click.option("-b", "benchmark", required=True, metavar="NAME", help="The benchmark.")
@click.option("--all", "everything", is_flag=True, help="Every function, not only the largest.")
@click.option("--keep-clones", is_flag=True, help="Do not join .isra, .constprop, .part and .cold with their function.")
@box_option
@run_option
@json_option
@store_option
def command(
    variant: str | None,
    benchmark: str,
    everything: bool,
    keep_clones: bool,
    box: str | None,
    run_id: int | None,
    as_json: bool,
    store: str | None,
) -> None:
    """Print instructions per operation by function, for VARIANT (by default the baseline), as the mean of its boots."""
    opened = open_store(store)
    run = opened.run(run_id)
    chosen = variant or run.plan.baseline
    place = box or run.plan.boxes[0].name
    require_box(run, place)
    require_variant(run, chosen)
    require_benchmark(run, benchmark)
    boots = good_boots(opened.boots(run.id), place, chosen, benchmark)
    profiles = opened.profiles([record.id for record in boots], benchmark)
    if as_json:
        print_json(profiles)
        return
    require_profiles(profiles, f"{benchmark} on {chosen}")
    click.echo(f"Profile of {benchmark} on {chosen}, instructions per operation, {len(boots)} boots")
    click.echo(render_profile(per_operation(profiles, keep_clones), None if everything else 40), nl=False)
