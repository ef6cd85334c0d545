"""A run that measures the noise: the baseline against itself, under another name."""

from __future__ import annotations

import msgspec

from kdelta.model.plan import Plan

AGAIN = "again"
SEED_SHIFT = 2_000_000
"""Beyond every seed that a plan can have: with the same one the exact lab would give the same numbers, and no noise."""


def against_itself(plan: Plan) -> Plan:
    """`plan` with two columns, its baseline and the same again: what differs between them is noise."""
    base = next(variant for variant in plan.variants if variant.name == plan.baseline)
    name = AGAIN if base.name != AGAIN else f"{AGAIN} {AGAIN}"
    twin = msgspec.structs.replace(base, name=name, seed_shift=SEED_SHIFT)
    return msgspec.structs.replace(plan, variants=(base, twin), twin=name)
