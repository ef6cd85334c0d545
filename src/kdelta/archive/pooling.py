"""Means and deviations that were pooled over earlier runs, taken apart again by their moments.

Let earlier runs, a of them, have the mean P and the deviation R, and all N = a + b the printed mean M and deviation S. Then

    m = (N M - a P) / b,    (b - 1) s^2 = (N - 1) S^2 - (a - 1) R^2 - (a N / b) (M - P)^2

are the mean and the variance of the later b alone. Every figure was rounded when it was printed: s is known within bounds only, and
where even the upper one is negative, the runs were not these.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from kdelta.model.published import Number

USUAL = (5, 3)
"""Runs of a load: what the script does, and what it does with -f."""
_OTHERS = (4, 2, 6, 7, 8, 9, 10)
_DIGITS = 6
"""Significant ones that awk prints, without zeros at the end."""


@dataclass(frozen=True)
class Figure:
    """A printed number, which was within `half` of its value before it was rounded."""

    value: float
    half: float


@dataclass(frozen=True)
class Moments:
    mean: Figure
    sd: Figure | None


@dataclass(frozen=True)
class Own:
    """Of the later runs alone. The mean is within `error`; the deviation is between `least` and `most`, and `sd` the likeliest.

    `most` is negative where no such runs can be. `sd` is None where it is lost in the rounding; all three are where no deviation is
    printed, or there is but one run.
    """

    mean: float
    error: float
    sd: float | None
    least: float | None
    most: float | None

    @property
    def possible(self) -> bool:
        return self.most is None or self.most >= 0.0

    @property
    def relative(self) -> float | None:
        """The deviation as a share of the mean."""
        return None if self.sd is None or not self.mean else self.sd / abs(self.mean)


def taken_apart(pooled: Moments, before: Moments, earlier: int, own: int) -> Own:
    """The runs that `pooled` has beside the `earlier` ones. Both numbers are at least 1."""
    every = earlier + own
    mean = (every * pooled.mean.value - earlier * before.mean.value) / own
    error = (every * pooled.mean.half + earlier * before.mean.half) / own
    if pooled.sd is None or (before.sd is None and earlier > 1):
        return Own(mean, error, None, None, None)
    gap, width = abs(pooled.mean.value - before.mean.value), pooled.mean.half + before.mean.half
    inner = before.sd or Figure(0.0, 0.0)

    def squares(outer: float, first: float, apart: float) -> float:
        total: float = (every - 1) * outer**2 - (earlier - 1) * first**2 - earlier * every / own * apart**2
        return total

    middle = squares(pooled.sd.value, inner.value, gap)
    low = squares(max(0.0, pooled.sd.value - pooled.sd.half), inner.value + inner.half, gap + width)
    high = squares(pooled.sd.value + pooled.sd.half, max(0.0, inner.value - inner.half), max(0.0, gap - width))
    if own == 1:
        return Own(mean, error, None, None, None if high >= 0.0 else -1.0)
    sd = _root(middle, own) if middle > 0.0 else None
    return Own(mean, error, sd, _root(max(0.0, low), own), _root(high, own))


def _root(squares: float, own: int) -> float:
    return math.copysign(math.sqrt(abs(squares) / (own - 1)), squares)


def too_small(pooled: Moments, before: Moments, earlier: int, own: int) -> bool:
    """Whether the deviation is not half of what two means so far apart make it: then nothing was pooled."""
    if pooled.sd is None:
        return False
    every = earlier + own
    least = earlier * every / own * (pooled.mean.value - before.mean.value) ** 2 / (every - 1)
    return pooled.sd.value**2 < least / 4.0


def figure(number: Number, *, shortest: bool) -> Figure:
    """With `shortest` it is one of awk's, of six digits, of which zeros at the end are not printed; a whole one has all of them."""
    if not shortest or not number.value:
        return Figure(number.value, number.step / 2.0)
    last = math.floor(math.log10(abs(number.value))) + 1 - _DIGITS
    if last > 0 and number.step <= 1.0:
        return Figure(number.value, 0.0)
    return Figure(number.value, 10.0**last / 2.0)


def significant(text: str) -> int:
    """Digits that are printed from the first that is not 0 on."""
    digits = text.lower().partition("e")[0].lstrip("+-").replace(",", "").replace(" ", "")
    return len(digits.replace(".", "").lstrip("0"))


def counts(stated: Sequence[int | None]) -> Iterator[list[tuple[int, ...]]]:
    """How many runs each load may have had: groups, the likeliest first. What is stated is not varied."""
    if None not in stated:
        yield [tuple(one for one in stated if one is not None)]
        return
    alike = [_filled(stated, number) for number in USUAL]
    yield list(dict.fromkeys(alike))
    mixed = product(*((one,) if one is not None else USUAL for one in stated))
    yield [one for one in dict.fromkeys(mixed) if one not in alike]
    yield list(dict.fromkeys(_filled(stated, number) for number in _OTHERS))


def _filled(stated: Sequence[int | None], number: int) -> tuple[int, ...]:
    return tuple(number if one is None else one for one in stated)
