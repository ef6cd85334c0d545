"""kdelta profile: one profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from kdelta.cli import pictures
from kdelta.cli.diffprofile import FILE
from kdelta.cli.files import write
from kdelta.cli.options import box_option, json_option, print_json, run_option, store_option
from kdelta.cli.terminal import say, warn, width
from kdelta.inquiry.profiled import boots_of, of_files, of_run, read_files
from kdelta.inquiry.require import require_benchmark, require_box
from kdelta.model.errors import MisuseError
from kdelta.model.profile import INSTRUCTIONS, by_function
from kdelta.profile.change import Change, Difference, total
from kdelta.profile.charge import account
from kdelta.profile.clones import without_clones
from kdelta.profile.idle import is_idle
from kdelta.profile.leaves import leaves
from kdelta.profile.profiled import Profiled, charged
from kdelta.profile.readers.readout import Reading
from kdelta.report import charged as charged_text
from kdelta.report import flame
from kdelta.report.charged import Charged
from kdelta.report.diffprofile import MOST_ROWS, heading, render_difference, render_profile
from kdelta.report.diffprofile_json import to_json
from kdelta.report.text import counted
from kdelta.store.place import open_store

NOT_LISTED = "(functions that are not listed)"


@click.command()
@click.argument("variant", required=False)
@click.option("-b", "benchmark", metavar="NAME", help="The benchmark.")
@click.option("--file", "files", multiple=True, type=FILE, metavar="FILE", help="A profile of another tool; may be repeated.")
@click.option("--charge", metavar="WHAT", help="Give what leaf functions took to their callers: locks, or 'memcpy*,clear_page*'.")
@click.option("--all", "everything", is_flag=True, help="Every function, not only the largest.")
@click.option("--keep-clones", is_flag=True, help="Do not join .isra, .constprop, .part and .cold with their function.")
@click.option("--flame", "flame_file", type=FILE, metavar="FILE.svg", help="Write a flame graph.")
@pictures.export_option
@box_option
@run_option
@json_option
@store_option
def command(
    variant: str | None,
    benchmark: str | None,
    files: tuple[Path, ...],
    charge: str | None,
    everything: bool,
    keep_clones: bool,
    flame_file: Path | None,
    exports: tuple[str, ...],
    as_json: bool,
    **place: Any,
) -> None:
    """Print instructions per operation by function, for VARIANT (by default the baseline), as the mean of its boots.

    On a box that measures time these are ticks, of all its profiles together; so they are with --file, of a profile that another
    tool made: perf script, perf report, folded stacks, readprofile, opreport or a diffprofile.
    """
    wanted = pictures.parsed(exports)
    if files and (variant or benchmark or place["box"] or place["run_id"]):
        raise MisuseError("variants, benchmarks and boxes are of a run, and --file of another tool", "leave one of them out")
    readings = read_files(files, warn)
    if readings and not readings[0].stacks:
        if charge or flame_file or wanted:
            raise MisuseError(f"{files[0]} is a difference of two profiles, and has no call chains", "leave out what needs them")
        _print_difference(files[0], readings[0], as_json)
        return
    found, title = _of_files(files, readings) if files else _of_run(variant, benchmark, **place)
    leaf_functions = leaves(charge) if charge is not None else None
    callers = account(found.chains, leaf_functions) if leaf_functions and found.stacks else None
    found = charged(found, leaf_functions) if leaf_functions else found
    pictures.export(wanted, [found], title)
    if flame_file:
        picture = flame.render_one(_shown(found, found.counts), title=title, unit=found.side.unit, per=_per(found))
        write(flame_file, picture.encode())
    if as_json:
        print_json(_json(found, title))
        return
    say(_text(found, title, keep_clones, None if everything else MOST_ROWS))
    if charge and callers:
        say(f"\n{charged_text.render([Charged(callers, found.work if _is_counted(found) else 1.0)], charge, width())}")


def _print_difference(path: Path, found: Reading, as_json: bool) -> None:
    if not found.changes:
        raise MisuseError(
            f"{path} has differences of single blocks, and none of functions", "take it without -c cycles: perf diff OLD NEW"
        )
    changes = (*found.changes, *_not_listed(found))
    difference = Difference(old="old", new="new", changes=changes, unit=found.unit, per="profile")
    if as_json:
        print_json({"of": path.name, **to_json(difference)})
    else:
        say(f"{heading(path.name, difference)}\n{render_difference(difference, width=width())}")


def _not_listed(found: Reading) -> Iterator[Change]:
    """What the total that is printed has besides the functions that are."""
    whole, listed = found.total_change, total("", found.changes)
    if whole and whole.old is not None and whole.new is not None and listed.delta != whole.delta:
        yield Change(name=NOT_LISTED, old=whole.old - (listed.old or 0.0), new=whole.new - (listed.new or 0.0))


def _of_files(files: tuple[Path, ...], readings: Sequence[Reading]) -> tuple[Profiled, str]:
    return of_files(files, readings), f"{files[0].name}{f' and {len(files) - 1} more' if len(files) > 1 else ''}"


def _of_run(
    variant: str | None, benchmark: str | None, box: str | None, run_id: int | None, store: str | None
) -> tuple[Profiled, str]:
    opened = open_store(store)
    run = opened.run(run_id)
    if benchmark is None:
        raise MisuseError("no benchmark is named", f"name one: -b {run.plan.benchmarks[0].name}; or a file: --file FILE")
    chosen, place = variant or run.plan.baseline, box or run.plan.boxes[0].name
    require_box(run, place)
    require_benchmark(run, benchmark)
    return of_run(opened, run, boots_of(opened, run), run.plan.box(place), chosen, benchmark), f"{benchmark} on {chosen}"


def _is_counted(found: Profiled) -> bool:
    return found.side.unit == INSTRUCTIONS and bool(found.side.work)


def _shown(found: Profiled, counts: Mapping[str, int]) -> dict[str, float]:
    """`counts` of all profiles together as they are shown: instructions per operation, ticks as they are."""
    work = found.work if _is_counted(found) else 1.0
    return {name: count / work for name, count in counts.items()}


def _per(found: Profiled) -> str:
    return "operation" if _is_counted(found) else counted(len(found.side.counts), "profile")


def _text(found: Profiled, title: str, keep_clones: bool, most_rows: int | None) -> str:
    flat = by_function(found.counts)
    sums = _shown(found, flat if keep_clones else without_clones(flat))
    idle = {name: count for name, count in sums.items() if is_idle(name)}
    text = f"Profile of {title}, {_heading(found)}\n"
    text += render_profile({name: count for name, count in sums.items() if name not in idle}, most_rows)
    return text + (f"Idle, not in the total: {sum(idle.values()):.1f} ({', '.join(sorted(idle))})\n" if idle else "")


def _heading(found: Profiled) -> str:
    if _is_counted(found):
        return f"instructions per operation, {counted(len(found.side.counts), 'boot')}"
    often = f", {found.hertz:g} a second on each CPU" if found.hertz else ""
    return f"{found.side.unit}, {_per(found)}{often}"


def _json(found: Profiled, title: str) -> dict[str, object]:
    """Whole counts, as they were taken: one object of functions for each profile, and the chains of all together."""
    return {
        "of": title,
        "unit": found.side.unit,
        "hertz": found.hertz,
        "work": found.side.work,
        "profiles": found.side.counts,
        "chains": found.chains,
    }
