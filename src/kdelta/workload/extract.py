"""The metric in what a user's command printed."""

from __future__ import annotations

import json
import math
import re

import jsonpath

from kdelta.model.benchmark import Command
from kdelta.model.errors import MisuseError

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
MOST_SHOWN = 160


def check(name: str, command: Command) -> None:
    """Raises MisuseError for a regular expression or a JSON path that cannot find a metric."""
    if bool(command.regex) == bool(command.json):
        raise MisuseError(f"benchmark '{name}' has a command and so needs either `regex` or `json`", "say where its metric stands")
    try:
        groups = re.compile(command.regex).groups
        if command.json:
            jsonpath.compile(command.json)
    except (re.error, jsonpath.JSONPathError) as error:
        raise MisuseError(f"benchmark '{name}': {command.regex or command.json} cannot be read: {error}", "mend it") from error
    if command.regex and groups != 1:
        raise MisuseError(
            f"benchmark '{name}': the regular expression has {groups} groups",
            "put round brackets around the number, and only there",
        )


def metric(command: Command, text: str, errors: str = "") -> float:
    """The one number in `text`; a regular expression also looks into `errors`, where lmbench and GNU time print.

    Raises ValueError where it is absent, not a number, or there are several.
    """
    said = "\n".join(part for part in (text, errors) if part)
    found = re.findall(command.regex, said, re.MULTILINE) if command.regex else _by_path(command.json, text)
    if not found:
        raise ValueError(
            f"its metric is missing: nothing matches {command.regex or command.json}; it printed {text[-MOST_SHOWN:]!r}"
        )
    if len(found) > 1:
        raise ValueError(f"its metric is there {len(found)} times, the first {str(found[0])[:MOST_SHOWN]!r}")
    return _number(found[0])


def _by_path(path: str, text: str) -> list[object]:
    try:
        return list(jsonpath.findall(path, json.loads(text)))
    except json.JSONDecodeError as error:
        raise ValueError(f"it printed no JSON: {error}; {text[-MOST_SHOWN:]!r}") from error


def _number(found: object) -> float:
    """A number, or a text that is one and nothing else: `1,234` and `12ms` are neither 1 nor 12."""
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        raise ValueError(f"its metric is no number: {str(found)[:MOST_SHOWN]!r}")
    if isinstance(found, str) and not re.fullmatch(NUMBER, found.strip()):
        raise ValueError(f"its metric is no number: {found[:MOST_SHOWN]!r}")
    value = float(found)
    if not math.isfinite(value):
        raise ValueError(f"its metric is {value}")
    return value
