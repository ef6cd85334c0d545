"""kdelta diffprofile: which functions a change is in."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec

from kdelta.cli import pictures
from kdelta.cli.files import write
from kdelta.cli.options import (
    box_option,
    json_option,
    print_json,
    run_option,
    store_option,
)
from kdelta.cli.terminal import say, warn, width
from kdelta.inquiry.explained import Asked, explain
from kdelta.inquiry.profiled import boots_of, differences, of_files, of_run, read_files
from kdelta.inquiry.require import require_benchmark, require_box, require_variant
from kdelta.judge.table import largest_change, tables
from kdelta.model.errors import MisuseError, unknown
from kdelta.model.plan import Plan, is_published
from kdelta.model.profile import INSTRUCTIONS
from kdelta.model.published import Listing
from kdelta.model.record import BootRecord, RunRecord
from kdelta.profile.explained import Explained
from kdelta.profile.leaves import leaves
from kdelta.profile.profiled import Profiled
from kdelta.report import accounting_text, bars, charged, flame, listing, migration_text
from kdelta.report.charged import Charged
from kdelta.report.diffprofile import MOST_ROWS, heading, multiple, render_difference
from kdelta.report.diffprofile_json import to_json
from kdelta.store.place import open_store

THE_REST = "(the rest: a block that a fault cuts short is counted whole, and the clock is read outside the profile)"
FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("old", required=False, metavar="[A")
@click.argument("new", required=False, metavar="B]")
@click.option("-b", "benchmark", metavar="NAME", help="The benchmark; by default the one that changed most.")
@click.option("--old", "old_files", multiple=True, type=FILE, metavar="FILE", help="A profile of the old side, of another tool.")
@click.option("--new", "new_files", multiple=True, type=FILE, metavar="FILE", help="One of the new side; both may be repeated.")
@click.option("--work", type=(float, float), metavar="OLD NEW", help="How much work each old and each new file stands for.")
@click.option("--charge", metavar="WHAT", help="Give what leaf functions took to their callers: locks, or 'memcpy*,clear_page*'.")
@click.option("--no-fold", is_flag=True, help="Do not join what a function that moved lost with what others gained.")
@click.option("--keep-clones", is_flag=True, help="Do not join .isra, .constprop, .part and .cold with their function.")
@click.option("--vmlinux", type=FILE, metavar="FILE", help="The new kernel with debug information: subsystems by source file.")
@click.option("--rows", type=click.IntRange(min=1), default=MOST_ROWS, show_default=True, metavar="N", help="Functions shown.")
@click.option("--plain", is_flag=True, help="The columns of the old tool, for a mail.")
@click.option("--flame", "flame_file", type=FILE, metavar="FILE.svg", help="Write a differential flame graph.")
@click.option("--bars", "bars_file", type=FILE, metavar="FILE.svg", help="Write the largest changes with their intervals.")
@pictures.export_option
@box_option
@run_option
@json_option
@store_option
def command(
    old: str | None,
    new: str | None,
    benchmark: str | None,
    old_files: tuple[Path, ...],
    new_files: tuple[Path, ...],
    work: tuple[float, float] | None,
    charge: str | None,
    no_fold: bool,
    keep_clones: bool,
    vmlinux: Path | None,
    rows: int,
    plain: bool,
    flame_file: Path | None,
    bars_file: Path | None,
    exports: tuple[str, ...],
    as_json: bool,
    **place: Any,
) -> None:
    """Print the difference of two variants' profiles, per operation and in percent of the old count, and what it adds up to.

    A and B are variants of the run; without them the baseline, and the variant that changed most. All on one box, by
    default the first: counts of different boxes are not alike. With --old and --new profiles that other tools made.

    \b
    kdelta diffprofile old new -b proc-fork --charge locks
    kdelta diffprofile --old perf-old.txt --new perf-new.txt
    """
    wanted = pictures.parsed(exports)
    leaf_functions = leaves(charge) if charge is not None else None
    of_others = [] if old_files or new_files or work or old else _published(benchmark, **place)
    if of_others:
        _require_nothing_drawn(charge, vmlinux, flame_file, bars_file, *exports)
        print_json(of_others) if as_json else say("\n".join(listing.render(one, rows, width()) for one in of_others))
        return
    if old_files or new_files:
        sides = _of_files(old_files, new_files, work, (old, new, benchmark, place["box"], place["run_id"]))
    else:
        sides = _of_run(old, new, benchmark, work, **place)
    asked = Asked(sides.per, keep_clones, not no_fold, leaf_functions, vmlinux)
    found = explain(sides.old, sides.new, asked)
    pictures.export(wanted, (found.old, found.new), sides.title)
    for path, picture in ((flame_file, _flame), (bars_file, _bars)):
        if path:
            write(path, picture(found, sides.title).encode())
    if as_json:
        print_json(_json(found, sides.title))
    else:
        say(_text(found, sides, rows, plain, charge))


@dataclass(frozen=True)
class _Sides:
    """What is compared, `title` with which name, and the unit of work of both."""

    old: Profiled
    new: Profiled
    title: str
    per: str = "operation"


# ---- which two ----


def _published(benchmark: str | None, box: str | None, run_id: int | None, store: str | None) -> list[Listing]:
    """The differences that a run of others has already; none of one that was measured."""
    opened = open_store(store)
    run = opened.run(run_id)
    if not is_published(run.plan):
        return []
    found = differences(opened.boots(run.id), box, benchmark)
    known = differences(opened.boots(run.id))
    if benchmark and not found and known:
        raise unknown("benchmark", benchmark, {one.benchmark for one in known}, f"with a difference of profiles in run {run.id}")
    return found


def _require_nothing_drawn(*asked: object) -> None:
    if any(asked):
        raise MisuseError("the run has a difference and no profiles", "leave --charge, --vmlinux, --flame, --bars and --export out")


def _of_files(
    old: tuple[Path, ...], new: tuple[Path, ...], work: tuple[float, float] | None, named: tuple[str | int | None, ...]
) -> _Sides:
    if not old or not new:
        raise MisuseError("one side has no file", "name files of both: --old FILE --new FILE")
    if any(named):
        raise MisuseError("variants, benchmarks and boxes are of a run, and --old and --new of files", "leave one of them out")
    if work and min(work) <= 0.0:
        raise MisuseError(f"--work {work[0]:g} {work[1]:g}", "work is more than 0, in the same unit for both sides")
    each = work or (None, None)
    before = of_files(old, read_files(old, warn), each[0], old=True)
    after = of_files(new, read_files(new, warn), each[1])
    return _Sides(before, after, f"{old[0].name} and {new[0].name}", "unit of work")


def _of_run(
    old: str | None,
    new: str | None,
    benchmark: str | None,
    work: tuple[float, float] | None,
    box: str | None,
    run_id: int | None,
    store: str | None,
) -> _Sides:
    if work:
        raise MisuseError("--work is of files: a run knows how much work was done", "leave it out, or give --old and --new")
    if old and not new:
        raise MisuseError("one variant has no difference", "name two: kdelta diffprofile A B")
    opened = open_store(store)
    run = opened.run(run_id)
    place = box or run.plan.boxes[0].name
    require_box(run, place)
    records = [record for record in opened.boots(run.id) if record.box == place]
    chosen, old, new = _choose(run, records, benchmark, old, new)
    require_benchmark(run, chosen)
    found = boots_of(opened, run)
    sides = [of_run(opened, run, found, run.plan.box(place), name, chosen) for name in (old, new)]
    return _Sides(sides[0], sides[1], chosen)


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


# ---- what is shown ----


def _text(found: Explained, sides: _Sides, rows: int, plain: bool, charge: str | None) -> str:
    parts = [f"{heading(sides.title, found.difference)}\n{render_difference(found.difference, rows, plain=plain, width=width())}"]
    parts.append("".join(map(_own_count, (found.old, found.new))) + (f"{THE_REST}\n" if _is_exact(found.old) else ""))
    if charge:
        unit = multiple(found.difference)
        both = zip(found.callers, (found.old, found.new), strict=True)
        parts.append(charged.render([Charged(account, side.work / unit) for account, side in both], charge, width()))
    parts.append(migration_text.render(found.moves, found.difference, width()))
    if found.account:
        # What is doubtful stands below the table already.
        account = msgspec.structs.replace(found.account, doubts=())
        parts.append(accounting_text.render(account, f"{sides.title}{found.accounted}", sides.per, width()))
    return "\n".join(filter(None, parts))


def _is_exact(side: Profiled) -> bool:
    return side.side.unit == INSTRUCTIONS and bool(side.metric)


def _own_count(side: Profiled) -> str:
    """Of the exact lab: the benchmark's own count, which the profile must agree with."""
    if not _is_exact(side):
        return ""
    total, own = sum(side.per_work().values()), statistics.fmean(side.metric)
    return f"{side.side.name}: profile {total:.1f}, the benchmark's own count {own:.1f} ({100.0 * (total - own) / own:+.2f}%)\n"


def _flame(found: Explained, title: str) -> str:
    plain = found.difference
    named = f"{title}: {plain.new} against {plain.old}"
    return flame.render(found.old.per_work(), found.new.per_work(), plain, title=named, unit=plain.unit, per=plain.per)


def _bars(found: Explained, title: str) -> str:
    return bars.render(found.difference)


def _json(found: Explained, title: str) -> dict[str, object]:
    return {"of": title, **to_json(found.difference), "moves": found.moves, "account": found.account}
