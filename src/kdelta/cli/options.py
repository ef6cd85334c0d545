"""Options and wiring that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
import msgspec

F = TypeVar("F", bound=Callable[..., Any])

STATISTICS = ("median", "min", "mean")


def store_option(function: F) -> F:
    return click.option("--store", metavar="PLACE", help="File or URL of the store (KDELTA_STORE).")(function)


def json_option(function: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def run_option(function: F) -> F:
    return click.option("--run", "run_id", type=int, metavar="N", help="The run; by default the newest.")(function)


def box_option(function: F) -> F:
    return click.option("--box", metavar="NAME", help="The box, where the run has several.")(function)


def print_json(value: object) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value, order="deterministic")).decode())
