"""Columns of two runs, which have no rounds in common: what chance does, also where results decided how long a run was."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from tests.validation.noise import normal
from tests.validation.simulate import ALPHA, CAP, Array, Flags, Row, near, share, size

from kdelta.stats.blocks import fit
from kdelta.stats.contrast import estimates, unpaired
from kdelta.stats.sequential import Looks, two_sided

LOOKS = Looks(3, CAP)


def rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(8462)
    for boots in (3, 5, 10):
        p = _p(normal(rng, (size(40000, scale), boots, 2)))
        yield share(f"{boots} and {boots} boots of two runs: false positives", p[:, -1] <= ALPHA, 0.0, 0.052, scale)
    first, second = (_stopped(rng, size(40000, scale)) for _ in range(2))
    p = _p(np.stack([first, second], axis=-1))
    yield near("two runs that ended when decided, as if fixed: false positives", p[:, -1] <= ALPHA, 0.059, scale)
    both = np.minimum(*(np.isfinite(each).cumsum(1) for each in (first, second))) >= LOOKS.first
    least = np.nanmin(np.where(both, p, np.nan), axis=1)
    yield share("two runs that ended when decided, looked at: false positives", LOOKS.p(least) <= ALPHA, 0.0, 0.05, scale)


def _p(values: Array) -> Array:
    """After each boot of two columns, (runs, boots, 2)."""
    found = unpaired(values)
    return two_sided(found.estimate, found.se, found.df)[..., 1]


def _stopped(rng: np.random.Generator, runs: int) -> Array:
    """The second column of runs in which nothing differs and which end when it seems to, (runs, boots); NaN behind that."""
    values = normal(rng, (runs, CAP, 2))
    found = estimates(fit(values))
    seen: Flags = two_sided(found.estimate, found.se, found.df)[..., 1] <= LOOKS.level(ALPHA)
    seen[:, : LOOKS.first - 1] = False
    ended = np.where(seen.any(1), seen.argmax(1), CAP - 1)
    return np.where(np.arange(CAP) <= ended[:, None], values[..., 1], np.nan)
