"""What the change of a benchmark is made of, as text for a mail: plain ASCII, no line wider than 78 columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from kdelta.model.profile import INSTRUCTIONS
from kdelta.profile.breakdown import Account, Breakdown, Item

WIDTH = 78
LONGEST_NAME = 48
BLANK = "\xa0"
"""At which no line is broken."""
DIGITS, MOST_DECIMALS = 3, 6

UNITS = (("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9))
ROUNDING = 1e-9
DEFINITION = "explained: 1 - (|within noise| + |outside the profile|) / |change|, or 0%"
NO_NOISE = "nothing is known of chance: every function that differs counts as changed"
NOTHING = "nothing beyond noise"


@dataclass(frozen=True)
class Scale:
    """A value times `factor` is in `unit`, written with so many `decimals`."""

    unit: str
    factor: float
    decimals: int

    def figure(self, value: float, sign: str = "+") -> str:
        """With its sign but where that is "", and commas between thousands; "-" for what has no bound."""
        scaled = value * self.factor
        if not math.isfinite(scaled):
            return "-"
        return f"{round(scaled, self.decimals) + 0.0:{sign},.{self.decimals}f}" if abs(scaled) < 1e12 else f"{scaled:{sign}.3g}"


def render(account: Account, benchmark: str, per: str = "operation", width: int = WIDTH) -> str:
    """The change of `benchmark` and what it is made of: `per` is what its work is per. But for rounding the parts add up to it.

    Contributions have their intervals where they are times.
    """
    return "\n".join(_wrapped(line, width) for line in _lines(account, _plain(benchmark), _ascii(per), _scale(account))) + "\n"


def _lines(account: Account, benchmark: str, per: str, scale: Scale) -> Iterator[str]:
    yield _heading(account, benchmark, per, scale)
    named = {"subsystem": account.subsystems, "function": account.functions}
    alike = len({_left(parts, scale, "function") for parts in named.values()}) == 1
    for name, parts in named.items():
        yield f"  by {name}: {_parts(parts, scale)}" + ("" if alike else f"; {_rest(account, parts, scale, name)}")
    if alike:
        yield f"  {_rest(account, account.functions, scale, 'function')}"
    if len(account.functions.items) > 1:
        grown, shrunk = scale.figure(account.functions.grown), scale.figure(account.functions.shrunk)
        yield f"  all functions that take more {grown}, less {shrunk}"
    if _share(account, account.functions):
        yield f"  {DEFINITION}"
    yield from () if account.judged else (f"  {NO_NOISE}",)
    yield from (f"  WARNING: {_ascii(doubt)}" for doubt in account.doubts)


def _heading(account: Account, benchmark: str, per: str, scale: Scale) -> str:
    percent = f" {_percent(100.0 * account.change / account.old)}" if account.old else ""
    ends = _interval(account.low, account.high, scale)
    old, new = (scale.figure(value, "") for value in (account.old, account.new))
    text = f"{benchmark}{percent}: {scale.figure(account.change)}{ends} {scale.unit} per {per} ({old} -> {new})"
    return f"{text}: within noise, so there is nothing to explain" if account.within_noise else text


def _parts(parts: Breakdown, scale: Scale) -> str:
    found = [_item(item, scale) for item in parts.items]
    if parts.rest.functions:
        found.append(_glued(f"{parts.rest.functions:,} more {scale.figure(parts.rest.amount)}"))
    return ", ".join(found) or NOTHING


def _rest(account: Account, parts: Breakdown, scale: Scale, what: str) -> str:
    return "; ".join(filter(None, (_left(parts, scale, what), _share(account, parts))))


def _left(parts: Breakdown, scale: Scale, what: str) -> str:
    """What is not explained, and the two parts that it has; `what` is within noise, a function or a subsystem."""
    noise = parts.within_noise
    within = f"within noise {scale.figure(noise.amount)} ({_many(noise, what)})" if noise.functions else ""
    both = ", ".join(filter(None, (_glued(within), _glued(f"outside the profile {scale.figure(parts.outside)}"))))
    return f"{_glued(f'unexplained {scale.figure(parts.unexplained)}')}: {both}"


def _share(account: Account, parts: Breakdown) -> str:
    """In whole percent, rounded down: 100 % is all of it. Empty where there is nothing to explain."""
    if account.within_noise or parts.share is None:
        return ""
    return _glued(f"{math.floor(100.0 * parts.share + ROUNDING)}% explained")


def _item(item: Item, scale: Scale) -> str:
    ends = _interval(item.low, item.high, scale) if scale.unit != INSTRUCTIONS else ""
    many = f" ({_many(item, 'function')})" if item.functions > 1 else ""
    return f"{_glued(_plain(item.name))} {_glued(scale.figure(item.amount) + ends)}{_glued(many)}"


def _many(item: Item, what: str) -> str:
    return f"{item.functions:,} {what}{'' if item.functions == 1 else 's'}"


def _interval(low: float, high: float, scale: Scale) -> str:
    if math.isnan(low) or math.isnan(high):
        return ""
    return f" [{scale.figure(low)}, {scale.figure(high)}]"


def _scale(account: Account) -> Scale:
    """Seconds in the unit in which the metric has a whole part; decimals so that the largest figure of change has three digits."""
    metric = max(abs(account.old), abs(account.new))
    unit, factor = account.unit, 1.0
    if unit == "s":
        unit, factor = next((one for one in UNITS if metric * one[1] >= 1.0), UNITS[-1] if metric else UNITS[0])
    largest = factor * max(abs(account.change), *(abs(item.amount) for item in account.functions.items[:1]), 0.0)
    decimals = DIGITS - 1 - math.floor(math.log10(largest)) if largest else 0
    return Scale(unit, factor, min(max(decimals, 0), MOST_DECIMALS))


def _percent(percent: float) -> str:
    return f"{percent:+.{1 if abs(percent) >= 1.0 else 2}f}%" if abs(percent) < 1e6 else f"{percent:+.3g}%"


def _plain(name: str) -> str:
    """Short enough for a line."""
    text = _ascii(name)
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 3]}..."


def _ascii(text: str) -> str:
    return "".join(one if " " <= one <= "~" else "?" for one in text)


def _glued(text: str) -> str:
    return text.replace(" ", BLANK)


def _wrapped(line: str, width: int) -> str:
    margin = len(line) - len(line.lstrip())
    indent = " " * (margin + 2)
    return textwrap.fill(line, width, subsequent_indent=indent, break_on_hyphens=False).replace(BLANK, " ")
