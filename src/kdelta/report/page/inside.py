"""What a page carries beside what is seen: the data, what its scripts must know, and the checksums that let them run."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Sequence

import msgspec

from kdelta.model.dossier import Dossier
from kdelta.model.words import WORDS
from kdelta.report.marks import shape_of
from kdelta.report.page.drawn import largest
from kdelta.report.page.grid import Cell
from kdelta.report.page.names import file_name, isolated
from kdelta.report.scale import scale

MOST_DATA = 2_000_000
"""Characters of data that a page carries: about four times what 1440 boots of 12 benchmarks take."""


def packed(data: bytes) -> str:
    """`data` in gzip and base64, the same for the same data."""
    return base64.b64encode(gzip.compress(data, 6, mtime=0)).decode()


def view(dossier: Dossier, cells: Sequence[Cell], *, is_whole: bool) -> str:
    """What the scripts show that is not in the data: names as they are shown, units, and all that is said of a cell.

    Boxes, columns and benchmarks are by their places in the plan, as they are in the data. Where that is not inside, `boots` has
    the value of each boot instead.
    """
    plan = dossier.run.plan
    first = largest(cells)
    found = {
        "run": dossier.run.id,
        "files": {kind: file_name(dossier.run.id, end) for kind, end in FILES.items()},
        "boxes": [one.name for one in plan.boxes],
        "words": [msgspec.to_builtins(WORDS[one.kind]) for one in plan.boxes],
        "variants": [{"name": isolated(one.name), "shape": shape_of(place)} for place, one in enumerate(plan.variants)],
        "benchmarks": [
            {"name": one.name, "metrics": [{"name": each.name, "unit": each.unit} for each in one.metrics]}
            for one in plan.benchmarks
        ],
        "scales": [
            [{"unit": one.unit, "factor": one.factor} for one in (scale(each, box) for each in plan.benchmarks)]
            for box in plan.boxes
        ],
        "cells": [
            {
                "title": isolated(one.title),
                "facts": [(label, isolated(value)) for label, value in one.facts],
                "box": one.box,
                "benchmark": one.benchmark,
                "variants": one.variants,
            }
            for one in cells
        ],
        "first": first[0].place if first else None,
        "boots": None if is_whole else [[[entry.boots for entry in row.entries] for row in table.rows] for table in dossier.tables],
    }
    return for_script(found)


FILES = {"json": ".json", "csv": ".csv", "mail": ".txt", "picture": "-picture-"}
"""Kinds of downloads, with what ends their name."""

# In a script element nothing is escaped, and these could end it or begin what hides its end; the last two end a line of JavaScript.
UNSAFE = {ord(one): f"\\u{ord(one):04x}" for one in "<>&\u2028\u2029"}


def for_script(value: object) -> str:
    """`value` as JSON that can stand in a script element."""
    return msgspec.json.encode(value).decode().translate(UNSAFE)


def checksum(script: str) -> str:
    """As a Content-Security-Policy names a script that may run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
