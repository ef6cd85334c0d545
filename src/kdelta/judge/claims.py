"""Claims of published texts, computed again from the numbers printed beside them.

A printed number stands for all that it may have been before it was rounded, and a claim for all that it may have been before it was
rounded, or cut: it holds where both can be at once. So a percentage is off only where no figures behind the printed ones give it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from kdelta.model.benchmark import Better
from kdelta.model.checked import Checked, CheckedBlock, Standing
from kdelta.model.published import Block, Claim, Number

CPU_SHARE = 0.005
"""How far a mean of percentages of CPU may lie from that of the means: each is cut to a whole percent, and runs differ."""

Values = Sequence[float]
Rule = Callable[[Values], float]
Span = tuple[float, float]


@dataclass(frozen=True)
class Kind:
    """How a claim follows. `rules` are the ways in which it may be computed, the usual one first. `needs` is how many numbers it
    takes, None for a list of any length. `slack` is a share by which it may be off and still hold, with the reason.
    """

    rules: dict[str, Rule]
    needs: int | None
    slack: float = 0.0
    why: str = ""


@dataclass(frozen=True)
class Reading:
    """How a percentage of change may be meant: `sign` is what an increase has, for a metric of that direction."""

    words: str
    of_new: bool
    sign: Callable[[Better | None], float]


def _growth(better: Better | None) -> float:
    return 1.0


def _gain(better: Better | None) -> float:
    return -1.0 if better is Better.SMALLER else 1.0


def _turned(better: Better | None) -> float:
    return -1.0


READINGS = (
    Reading("plus is more, in percent of the base", False, _growth),
    Reading("plus is better, in percent of the base", False, _gain),
    Reading("plus is less, in percent of the base", False, _turned),
    Reading("plus is more, in percent of the new value", True, _growth),
    Reading("plus is better, in percent of the new value", True, _gain),
    Reading("plus is less, in percent of the new value", True, _turned),
)
"""All claims of one block are meant in the same one."""


def _sd(ddof: int) -> Rule:
    def rule(values: Values) -> float:
        return math.sqrt(sum((value - statistics.fmean(values)) ** 2 for value in values) / (len(values) - ddof))

    return rule


def _cv(ddof: int) -> Rule:
    return lambda values: 100.0 * _sd(ddof)(values) / abs(statistics.fmean(values))


RULES: dict[str, Kind] = {
    "points": Kind({"": lambda v: v[1] - v[0]}, 2),
    "quotient": Kind({"": lambda v: v[0] / v[1]}, 2),
    "share": Kind({"": lambda v: 100.0 * v[0] / v[1]}, 2),
    "cpu": Kind({"": lambda v: 100.0 * (v[0] + v[1]) / v[2]}, 3, CPU_SHARE, "a mean of ratios is not the ratio of the means"),
    "mean": Kind({"": statistics.fmean}, None),
    "hmean": Kind({"": statistics.harmonic_mean}, None),
    "gmean": Kind({"": statistics.geometric_mean}, None),
    "median": Kind({"": statistics.median}, None),
    "min": Kind({"": min}, None),
    "max": Kind({"": max}, None),
    "sum": Kind({"": math.fsum}, None),
    "sd": Kind({"": _sd(1), "with n in its denominator": _sd(0)}, None),
    "cv": Kind({"": _cv(1), "with n in its denominator": _cv(0)}, None),
}
CHANGE, SIGNIFICANT = "change", "significant"
SPREADS = ("sd", "cv")
"""They do not grow with each of their numbers."""


def check(block: Block) -> CheckedBlock:
    """Every claim of `block`, in its order."""
    reading = _reading([claim for claim in block.claims if claim.kind == CHANGE])
    found = [_checked(claim, reading) for claim in block.claims]
    meant = any(one.claim.kind == CHANGE and one.standing is Standing.HOLDS for one in found)
    return CheckedBlock(
        title=block.title,
        format=block.format,
        first=block.first,
        last=block.last,
        claims=tuple(found),
        reading=reading.words if meant else "",
    )


def _reading(claims: Sequence[Claim]) -> Reading:
    """The one in which most of them hold, the first of several."""
    held = {reading: sum(_change(claim, reading).standing is Standing.HOLDS for claim in claims) for reading in READINGS}
    return max(READINGS, key=held.__getitem__)


def _checked(claim: Claim, reading: Reading) -> Checked:
    if claim.kind == SIGNIFICANT:
        return _significant(claim)
    if not claim.of:
        return _unchecked(claim, claim.missing or "what it follows from is not in the text")
    if claim.kind == CHANGE:
        return _change(claim, reading)
    kind = RULES.get(claim.kind)
    if kind is None:
        return _unchecked(claim, f"it is a {claim.kind}, for which there is no rule")
    return _by(claim, kind)


def _change(claim: Claim, reading: Reading) -> Checked:
    if len(claim.of) != 2:
        return _unchecked(claim, claim.missing or "it needs a base and a new value")
    sign, place = reading.sign(claim.better), 1 if reading.of_new else 0
    if claim.of[place].value == 0.0:
        return _unchecked(claim, "what it is a percentage of is 0")
    rule = Kind({"": lambda v: 100.0 * sign * (v[1] - v[0]) / abs(v[place])}, 2)
    return _by(claim, rule)


def _by(claim: Claim, kind: Kind) -> Checked:
    if kind.needs is not None and len(claim.of) != kind.needs:
        return _unchecked(claim, f"it follows from {kind.needs} numbers, and {len(claim.of)} are there")
    tried = [_with(claim, kind, rule, how) for how, rule in kind.rules.items()]
    return next((one for one in tried if one.standing is Standing.HOLDS), tried[0])


def _with(claim: Claim, kind: Kind, rule: Rule, how: str) -> Checked:
    try:
        again = claim.factor * rule([one.value for one in claim.of])
        span = _span(claim, rule)
    except (ZeroDivisionError, ValueError, OverflowError, statistics.StatisticsError):
        return _unchecked(claim, "the numbers that it follows from give no value")
    if not math.isfinite(again):
        return _unchecked(claim, "the numbers that it follows from give no value")
    said = _how(claim.printed, again, span)
    if said is None and abs(again - claim.printed.value) <= kind.slack * abs(again):
        said = kind.why
    if said is None:
        return Checked(claim=claim, standing=Standing.OFF, again=again)
    return Checked(claim=claim, standing=Standing.HOLDS, again=again, how=", ".join(filter(None, (said, how))))


def _how(printed: Number, again: float, span: Span) -> str | None:
    """How `again`, which lies somewhere in `span`, can have been printed so; None where it cannot."""
    rounded, cut = _rounded(printed), _cut(printed)
    tiny = 1e-9 * max(abs(again), abs(printed.value))
    if rounded[0] - tiny <= again <= rounded[1] + tiny:
        return ""
    if cut[0] - tiny <= again <= cut[1] + tiny:
        return "truncated"
    least, most = min(rounded[0], cut[0]), max(rounded[1], cut[1])
    return "from figures before they were rounded" if span[0] <= most + tiny and span[1] >= least - tiny else None


def _rounded(one: Number) -> Span:
    return one.value - one.step / 2.0, one.value + one.step / 2.0


def _cut(one: Number) -> Span:
    """Towards zero: of 0 both signs."""
    if one.value == 0.0:
        return -one.step, one.step
    return (one.value, one.value + one.step) if one.value > 0.0 else (one.value - one.step, one.value)


def _span(claim: Claim, rule: Rule) -> Span:
    """All that the numbers can give, each within its rounding."""
    ends = [_rounded(one) for one in claim.of]
    if claim.kind in SPREADS:
        # Each deviation changes by no more than the rounding, and so does their root mean square.
        again = rule([one.value for one in claim.of])
        width = max(one.step for one in claim.of) / 2.0 * math.sqrt(len(ends) / max(1, len(ends) - 1))
        width *= 100.0 / abs(statistics.fmean(one.value for one in claim.of)) if claim.kind == "cv" else 1.0
        return claim.factor * (again - width), claim.factor * (again + width)
    corners: Iterable[Values] = product(*ends) if len(ends) <= 3 else ([end[0] for end in ends], [end[1] for end in ends])
    found = [claim.factor * rule(corner) for corner in corners]
    return min(found), max(found)


def _significant(claim: Claim) -> Checked:
    """A star is of a test that nobody can repeat without the samples; of one sample there is none."""
    if claim.count == 1:
        return Checked(claim=claim, standing=Standing.OFF, how="one sample a side: there is nothing to test")
    said = "how many samples there are is not stated" if claim.count is None else "the samples are not in the text"
    return _unchecked(claim, claim.missing or said)


def _unchecked(claim: Claim, why: str) -> Checked:
    return Checked(claim=claim, standing=Standing.UNCHECKED, how=why)
