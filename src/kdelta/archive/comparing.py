"""Words by which people name what they compare, and columns that say by how much: shared by tables that were made by hand."""

from __future__ import annotations

import re

from kdelta.archive.mmtests_names import slug
from kdelta.archive.units import base

_BASE = (
    r"base(?:line)?|vanilla|before|orig(?:inal)?|mainline|upstream|stock|unpatched|old|without|w/o|tip|off|disabled|clean|parent"
    r"|ref(?:erence)?"
)
_NEW = r"patch(?:ed)?|after|dirty|new|with|w/|on|enabled|modified|this|opt(?:imi[sz]ed)?|fixed|proposed|improved"
_BASE_WORD = re.compile(rf"(?:{_BASE})(?![A-Za-z])", re.IGNORECASE)
_NEW_WORD = re.compile(rf"(?:[+]|(?:{_NEW})(?![A-Za-z]))|.*\b(?:patch(?:ed|set|es)?|series|v\d+)$", re.IGNORECASE)
_MORE = r"diff(?:erence)?|changed?|changes|chg|delta|gain|improv\w{0,8}|imp|reduc\w{0,6}|speed-?up|regression|increase|decrease"
_CHANGE = re.compile(
    rf"(?:%|pct|percent)$|[%(]?\s*(?:%|pct|percent|rel(?:ative)?)?\s*[_ ]?(?:{_MORE})\b\s*\(?\s*(?:%|pct|in %|percent)?\s*\)?$",
    re.IGNORECASE,
)
_RATIO = re.compile(r"speed-?up$|ratio$", re.IGNORECASE)
_SPREAD = re.compile(
    r"(?:\+/?-|\u00b1)?\s*(?P<what>std\.?\s?dev\.?|stddev|stdev|std|sd|cv)\s*\(?(?P<percent>%)?\)?$", re.IGNORECASE
)
_UNIT = re.compile(r"\s*[(\[](?P<unit>[A-Za-z%/\u00b5\u03bc ]{1,16})[)\]]$")
FAILED = re.compile(r"(?:fail\w*|crash\w*|oom|error|hang|hung|panic\w*|dnf|time-?out|killed)\b", re.IGNORECASE)
MISSING = frozenset({"", "-", "--", "---", "n/a", "na", "none", "nan", "?", "x", "<not supported>", "<not counted>"})
"""What a cell says where there is no value."""


def compares(names: list[str]) -> bool:
    """Whether one of the names is that of a base and a later one that of what is compared with it."""
    at = next((place for place, name in enumerate(names) if _BASE_WORD.match(name)), None)
    return at is not None and any(_NEW_WORD.match(name) for name in names[at + 1 :])


def is_change(name: str) -> bool:
    return bool(_CHANGE.match(name.strip())) and not is_ratio(name)


def is_ratio(name: str) -> bool:
    return bool(_RATIO.match(name.strip()))


def spread(name: str) -> str:
    """Which figure a column of that name is: "sd", "cv", or none."""
    match = _SPREAD.match(name.strip())
    if match is None:
        return ""
    return "cv" if match["percent"] or match["what"].lower() == "cv" else "sd"


def unit(name: str) -> tuple[str, str, str, float]:
    """The name without the unit in brackets behind it; the unit as printed, its base unit, and the factor."""
    match = _UNIT.search(name)
    if match is None:
        return name, "", "", 1.0
    printed = match["unit"].strip()
    known, factor = base(printed)
    if known == printed and "/" not in printed and printed not in ("s", "B"):
        return name, "", "", 1.0
    return name[: match.start()].strip(), printed, known, factor


def benchmark(title: str, kind: str, label: str) -> tuple[str, dict[str, str]]:
    """Its name and parameters: a label that is a number is a load, of what the header says above the labels ("# tasks")."""
    what = slug(kind)
    if label.isdecimal():
        name = "-".join(filter(None, (slug(title) or what or "test", label)))
        return name, {what: label} if what else {}
    return "-".join(filter(None, (slug(title), slug(label)))) or "test", {}
