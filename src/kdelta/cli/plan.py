"""kdelta plan: what a run would measure, how long that would take, and what change it could see."""

from __future__ import annotations

import os
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import msgspec

from kdelta.box import observe, qemu
from kdelta.cli.options import json_option, print_json, store_option
from kdelta.cli.plan_options import plan_options, read_plan, refuse_words
from kdelta.cli.terminal import say, width
from kdelta.judge.noise import floor, residual, sights
from kdelta.model.errors import MisuseError
from kdelta.model.noise import machine
from kdelta.model.plan import EXACT, BoxSpec, Plan
from kdelta.plan.estimate import estimate
from kdelta.plan.order import slots
from kdelta.report import plan_text
from kdelta.store.place import open_store

NOT_PLAN = ("jobs", "as_json", "store")
"""Options that do not make a plan."""


@click.command()
@plan_options
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Guests side by side; by default one per CPU here.")
@json_option
@store_option
@click.pass_context
def command(
    context: click.Context,
    /,
    plan_file: Path | None,
    aa: bool,
    jobs: int | None,
    as_json: bool,
    store: str | None,
    **words: Any,
) -> None:
    """Say what `kdelta run` would do with the same words: nothing is booted, fetched or set.

    \b
    kdelta plan -k apt:6.1 -k apt:6.12 -b quick --exact --rule verdict
    kdelta plan PLAN.toml
    """
    if plan_file:
        refuse_words(context, "the plan file", NOT_PLAN)
    plan = _counted(read_plan(plan_file, aa, words))
    opened = open_store(store)
    machines = {box.name: machine(box, _environment(plan, box)) for box in plan.boxes}
    known = {name for name in machines.values() if name}
    history = opened.history(known, {benchmark.name for benchmark in plan.benchmarks})
    cost = estimate(plan, machines, history, jobs or os.cpu_count() or 1)
    seen = sights(plan, machines, {**residual(history), **floor(opened.noise(known))})
    if as_json:
        print_json({"plan": plan, "machines": machines, "rounds": _rounds(plan), "cost": cost, "sights": seen})
    else:
        say(plan_text.render(plan, slots(plan), cost, seen, width()))


def _counted(plan: Plan) -> Plan:
    """With the CPUs of this machine."""
    here = os.cpu_count() or 1
    boxes = tuple(box if box.kind == EXACT else msgspec.structs.replace(box, cpus=here) for box in plan.boxes)
    return msgspec.structs.replace(plan, boxes=boxes)


def _environment(plan: Plan, box: BoxSpec) -> dict[str, str]:
    """What a boot of the baseline on `box` would record of the machine; nothing where there is no QEMU."""
    if box.kind == EXACT:
        try:
            return {"qemu": qemu.find().version, "qemu options": " ".join(qemu.options(box))}
        except MisuseError:
            return {}
    online = next(variant.online for variant in plan.variants if variant.name == plan.baseline)
    return {**observe.facts(), **({"online CPUs": online} if online else {})}


def _rounds(plan: Plan) -> list[dict[str, object]]:
    """The whole order of what is timed."""
    timed = (slot for slot in slots(plan) if not slot.profiled)
    return [
        {
            "seed": seed,
            "boots": [{"box": slot.box, "variant": slot.variant} for slot in found],
            "benchmarks": [benchmark.name for benchmark in found[0].benchmarks],
        }
        for seed, found in ((seed, list(of)) for seed, of in groupby(timed, key=lambda slot: slot.seed))
    ]
