"""The rules that every plan keeps, wherever it came from; checked before anything is fetched or booted."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kdelta.model.errors import MisuseError, unknown
from kdelta.model.plan import Plan

KINDS = ("exact",)
MOST_NAME = 60

# (what, its value in a box, least, most)
BOX_BOUNDS = (("cpus", 1, 64), ("memory", 128, 1 << 20))
MOST_SEEDS = 1000


def check(plan: Plan) -> Plan:
    """`plan` with its baseline first. Raises MisuseError for the first rule that it breaks."""
    if not plan.variants:
        raise MisuseError("the plan has no variant", "name a kernel: -k apt:6.12, or a [[variant]] with kernel = ...")
    _unique("variant", [variant.name for variant in plan.variants])
    _unique("box", [box.name for box in plan.boxes])
    for variant in plan.variants:
        _printable(variant.name, (*variant.cmdline, *variant.sysctl, *variant.sysctl.values()))
    if plan.baseline not in [variant.name for variant in plan.variants]:
        raise unknown("variant", plan.baseline, [variant.name for variant in plan.variants], "for the baseline")
    _within("seeds", plan.seeds, 1, MOST_SEEDS)
    for box in plan.boxes:
        if box.kind not in KINDS:
            raise unknown("kind of box", box.kind, KINDS)
        for key, least, most in BOX_BOUNDS:
            _within(f"{key} of box '{box.name}'", getattr(box, key), least, most)
    baseline_first = sorted(plan.variants, key=lambda variant: variant.name != plan.baseline)
    return msgspec.structs.replace(plan, variants=tuple(baseline_first))


def _printable(name: str, words: Sequence[str]) -> None:
    """The guest's job and the kernel's command line are texts of words."""
    for word in words:
        if not word.isprintable():
            raise MisuseError(f"{word!r} of variant '{name}' holds a tab, a line break or the like", "write it without")


def _within(what: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise MisuseError(f"{what} is {value}", f"a whole number from {least} to {most} is needed")


def _unique(what: str, names: Sequence[str]) -> None:
    for name in names:
        if not name.strip() or len(name) > MOST_NAME or not name.isprintable():
            raise MisuseError(f"'{name[:MOST_NAME]}' is no name for a {what}", f"1 to {MOST_NAME} printable characters")
        if names.count(name) > 1:
            raise MisuseError(f"two of the kind '{what}' are called '{name}'", "give each a name of its own")
