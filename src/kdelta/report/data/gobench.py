"""Boots in the Go benchmark format, which benchstat reads: golang.org/design/14313-benchmark-format."""

from __future__ import annotations

import hashlib
import math
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote

from kdelta.model.benchmark import TIME_PER_OPERATION, Better
from kdelta.model.dossier import Dossier
from kdelta.model.plan import EXACT, BoxSpec
from kdelta.report.data.measured import Metrics, Taken, metrics, taken
from kdelta.report.settings import settings

MOST, MOST_LINE = 400, 4000
"""Characters of an escaped name, and of a line on top: a reader of this format ends at a line of more than 64 KiB."""
MARK = 12
"""Digits of the checksum of a name that was cut."""
UNFIT = r"\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff"
"""Characters that act, hide or have no UTF-8."""
LIKE_ESCAPE = "%(?=[0-9A-Fa-f]{2})"
WORD = re.compile(rf"[\s{UNFIT}]|{LIKE_ESCAPE}")
PART = re.compile(rf"[/\s{UNFIT}]|{LIKE_ESCAPE}")
"""In a name a slash parts it."""
VALUE = re.compile(rf"(?! )[\s{UNFIT}]|\A | \Z|{LIKE_ESCAPE}")
OTHERS = "Named/"
"""Before names of benchmarks that do not begin with a small letter from a to z."""
UNNAMED = "value"
BETTER = {Better.SMALLER: "lower", Better.LARGER: "higher"}
STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    "median": statistics.median,
    "mean": statistics.fmean,
    "min": min,
    "max": max,
}
COUNTED = "instructions, 1 ns is one"

Units = dict[tuple[str, str, Better | None], str]
"""Name, unit and direction of a metric -> the unit that stands for it in this format, which knows units alone."""


def render(dossier: Dossier) -> str:
    """A line for each benchmark of each boot with its judged value, the boot being what is repeated: `-col variant` compares.

    What does not vary stands on top, also the kernels: as a setting of each line they would part the columns that are compared.
    A benchmark without a judged result has no line.
    """
    known = metrics(dossier)
    units = _units(known)
    return "".join(f"{line}\n" for part in (_head(dossier), _directions(units), _results(dossier, known, units)) for line in part)


def _head(dossier: Dossier) -> Iterator[str]:
    run = dossier.run
    yield f"kdelta-run: {value(run.uuid)}"
    yield f"kdelta-version: {value(run.kdelta_version)}"
    yield f"statistic: {value(_statistic(dossier))}"
    for place, variant in enumerate(run.plan.variants, start=1):
        kernel = run.kernels[variant.name]
        words = (variant.name, kernel.release, f"build-id={kernel.build_id or '-'}", *settings(variant))
        yield _short(" ".join((f"variant-{place}:", *map(word, words))), MOST_LINE)


def _directions(units: Units) -> Iterator[str]:
    for (_, _, better), unit in units.items():
        if better:
            yield f"Unit {unit} better={BETTER[better]}"


def _units(known: dict[str, Metrics]) -> Units:
    """Each its own: a value of this format has no other name, and a unit has one direction."""
    found: Units = {}
    for name, unit, better in ((*key, better) for each in known.values() for key, better in each.items()):
        found.setdefault((name, unit, better), _unused(_unit(name, unit), set(found.values())))
    return found


def _unit(name: str, unit: str) -> str:
    """`ns/op` for time per operation; else the metric's name with its unit behind, where the name does not end with it."""
    if (name, unit) == (TIME_PER_OPERATION.name, TIME_PER_OPERATION.unit):
        return unit
    return UNNAMED if not name + unit else word(name if name == unit or name.endswith(f"_{unit}") else f"{name}-{unit}")


def _unused(text: str, used: set[str]) -> str:
    candidates = (text, *(f"{text}%{number}" for number in range(2, len(used) + 2)))
    return next(one for one in candidates if one not in used)


def _results(dossier: Dossier, known: dict[str, Metrics], units: Units) -> Iterator[str]:
    """By box and variant, in the plan's order: what comes first is what benchstat compares with."""
    plan, boots = dossier.run.plan, list(taken(dossier))
    for box in plan.boxes:
        yield f"box: {value(box.name)}"
        if any(one.kind == EXACT for one in plan.boxes):
            # A key without a value is no longer set.
            yield f"counted: {COUNTED}" if box.kind == EXACT else "counted:"
        for variant in plan.variants:
            yield f"variant: {value(variant.name)}"
            for one in boots:
                if (one.record.box, one.record.variant) == (box.name, variant.name):
                    yield from _lines(dossier, box, one, known, units)


def _lines(dossier: Dossier, box: BoxSpec, one: Taken, known: dict[str, Metrics], units: Units) -> Iterator[str]:
    """Behind each name stand the CPUs, as Go has it: without them the end of `ctx-2` would be taken for that."""
    results: dict[str, dict[tuple[str, str], list[float]]] = {}
    for sample, judged in zip(one.record.boot.samples, one.judged, strict=True):
        if judged and math.isfinite(sample.value):
            results.setdefault(sample.benchmark, {}).setdefault((sample.metric, sample.unit), []).append(sample.value)
    for name, each in results.items():
        pairs = [_pair(dossier, key, known[name][key], each[key], units) for key in known[name] if key in each]
        yield f"Benchmark{benchmark(name)}-{box.cpus} {max(map(len, each.values()))} {' '.join(pairs)}"


def _pair(dossier: Dossier, key: tuple[str, str], better: Better | None, values: Sequence[float], units: Units) -> str:
    own = _statistic(dossier)
    best = "max" if own == "min" and better is Better.LARGER else own
    return f"{float(STATISTICS[best](values))!r} {units[*key, better]}"


def _statistic(dossier: Dossier) -> str:
    """The tables' own, of which each box has the same."""
    return dossier.tables[0].statistic


def benchmark(name: str) -> str:
    """A name as this format has it, beginning with a capital letter; no two become one."""
    text = _short(PART.sub(_escape, name))
    return text[0].upper() + text[1:] if "a" <= text[:1] <= "z" else OTHERS + text


def word(text: str) -> str:
    """`text` without blanks: they and what cannot be printed are %20 and so on, and so is a % that looks like one of those."""
    return _short(WORD.sub(_escape, text))


def value(text: str) -> str:
    """`text` on one line, for a key; blanks inside are kept."""
    return _short(VALUE.sub(_escape, text))


def _escape(found: re.Match[str]) -> str:
    return quote(found[0], safe="", errors="surrogatepass")


def _short(text: str, most: int = MOST) -> str:
    """Cut where it is too long, with the checksum of all of it."""
    return text if len(text) <= most else f"{text[: most - MARK - 1]}~{hashlib.sha256(text.encode()).hexdigest()[:MARK]}"
