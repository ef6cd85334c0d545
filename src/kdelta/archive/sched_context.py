"""What stands above tables of scheduler tests and says of what they are: section, test, configuration of the machine.

~~~~~~~~~~~~~                        ==================================================================
~ hackbench ~                        Test          : hackbench
~~~~~~~~~~~~~                        Units         : Normalized time in seconds
                                     Interpretation: Lower is better
o NPS1                               Statistic     : AMean
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from kdelta.archive.mmtests_names import slug
from kdelta.model.benchmark import Better

_FIELD = re.compile(
    r"\s*(?:(?P<test>Test|Benchmark)\s+:|(?P<name>Units?|Interpretation|Statistic|cmdline|Command)\s*:)\s*(?P<said>\S.{0,199})$",
    re.IGNORECASE,
)
_SECTION = re.compile(r"\s*(?:~ (?P<tilde>[^~|]{1,60}?) ~|={3,} (?P<ruled>[^=|]{1,60}?) ={3,}|- (?P<dash>[A-Z][^|:.]{1,40}?))\s*$")
_SUB = re.compile(r"\s*o (?P<name>[^|:.]{1,40}?):?\s*$")
_ALONE = re.compile(r"\s*(?P<name>[A-Za-z][\w -]{0,40}):?\s*$")
_RULE = re.compile(r"\s*[-=~*]{3,}\s*$")
_MACHINE = re.compile(r"(?:NPS|SNC)-?\d{1,2}$", re.IGNORECASE)
_MOST_WORDS = 3
_PROSE = 8
"""Words of a line behind which nobody knows whether the next table is of the same test."""
_FIGURES = {"amean": "mean", "hmean": "hmean", "gmean": "gmean", "mean": "mean", "median": "median", "min": "min", "max": "max"}
_DIRECTIONS = {"lower": Better.SMALLER, "smaller": Better.SMALLER, "higher": Better.LARGER, "larger": Better.LARGER}
_LOAD = re.compile(r"#?\s*(?P<number>\d{1,7})(?:[ -]?(?P<what>[a-z]{1,16}))?$", re.IGNORECASE)
_LOAD_LAST = re.compile(r"(?P<what>[a-z]{1,16})-(?P<number>\d{1,7})$", re.IGNORECASE)
UNITS = {
    "hackbench": ("time", "s", "s", 1.0),
    "schbench": ("latency", "us", "s", 1e-6),
    "tbench": ("throughput", "MB/s", "B/s", 1e6),
    "stream": ("throughput", "MB/s", "B/s", 1e6),
    "netperf": ("throughput", "", "", 1.0),
}
"""Metric, printed unit, base unit and factor of what these programs print."""


@dataclass(frozen=True)
class Context:
    """`fields` are by their names in small letters; `section` and `sub` are headings, `machine` a configuration of it."""

    section: str = ""
    sub: str = ""
    machine: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    above: str = ""
    """The line above, where it may turn out to be a heading: a rule below it says so."""

    @property
    def title(self) -> str:
        return " ".join(filter(None, (self.fields.get("test", "") or self.section, self.sub)))

    @property
    def test(self) -> str:
        return slug(self.title)

    @property
    def program(self) -> str:
        """The first word, where it is a program that is known."""
        first = self.test.split("-")[0]
        return first if first in UNITS else ""

    @property
    def better(self) -> Better | None:
        said = self.fields.get("interpretation", "").lower().split()
        return _DIRECTIONS.get(said[0]) if said else None

    @property
    def figure(self) -> str:
        return _FIGURES.get(self.fields.get("statistic", "").lower(), "value")

    @property
    def is_relative(self) -> bool:
        return "normali" in self.fields.get("units", "").lower()

    @property
    def metric(self) -> str:
        return UNITS[self.program][0] if self.program else "result"


def seen(context: Context, text: str) -> Context:
    """The context below a line that is no row and no header of a table."""
    if len(text) > 300 or not text.strip():
        return replace(context, above="") if context.above and not text.strip() else context
    if match := _FIELD.match(text):
        return _with_field(context, match)
    if match := _SECTION.match(text):
        return Context(section=next(filter(None, match.groups())).strip())
    if _RULE.match(text):
        return Context(section=context.above) if context.above else context
    if len(text.split()) > _PROSE:
        return Context(machine=context.machine)
    match = _SUB.match(text) or _ALONE.match(text)
    if match is None or len(match["name"].split()) > _MOST_WORDS:
        return replace(context, above="")
    name = match["name"].strip()
    if _MACHINE.match(name):
        return replace(context, machine=name, above="")
    if text.rstrip().endswith(":") or _SUB.match(text):
        return replace(context, sub=name, above=name)
    return replace(context, above=name)


def _with_field(context: Context, match: re.Match[str]) -> Context:
    if match["test"]:
        return Context(fields={"test": match["said"].strip()})
    return replace(
        context,
        fields=context.fields | {match["name"].lower().rstrip("s") + "s" * (match["name"][0] in "Uu"): match["said"].strip()},
    )


def benchmark(context: Context, label: str, kind: str) -> tuple[str, dict[str, str]]:
    """Its name and parameters: the number in a row's label is the load, `kind` what the header calls it ("#workers:")."""
    name = context.test or slug(kind) or "test"
    bare = label.strip().rstrip(":").strip()
    match = _LOAD.match(bare) or _LOAD_LAST.match(bare)
    if match is None:
        return f"{name}-{slug(bare)}" if slug(bare) else name, {}
    what = _plural(match["what"] or slug(kind))
    return f"{name}-{match['number']}", {what: match["number"]} if what not in ("", "case", "test", "load") else {}


def _plural(what: str) -> str:
    lower = what.lower()
    return lower if not lower or lower.endswith("s") or lower in ("case", "test", "load") else f"{lower}s"
