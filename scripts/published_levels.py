"""The constants of src/kdelta/stats/published.py, from simulated normal samples.

Usage: published_levels.py [SAMPLES]. Two samples of each size are drawn, a million times unless told otherwise. Printed as Python:
the mean of the range in standard deviations, the degrees of freedom of a standard deviation that is made of a range, and which
difference, in mean ranges, of means, of midranges and of minima is exceeded with chance .05 and .01. The source has the constants
of 20000000 samples, with a standard error of .01 for two values a side at .01, and of .002 or less elsewhere.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SIZES = (2, 3, 4, 5, 6, 8, 10)
LEVELS = (0.05, 0.01)
STATISTICS = ("MEANS", "MIDRANGES", "MINIMA")
CHUNK = 250_000
SEED = 1947


def chunks(samples: int) -> Iterator[int]:
    yield from (min(CHUNK, samples - start) for start in range(0, samples, CHUNK))


def differences(rng: np.random.Generator, n: int, count: int) -> tuple[Array, Array]:
    """The three differences in mean ranges, shaped (3, count), and the ranges of the first sample."""
    a, b = np.sort(rng.standard_normal((2, count, n)))
    ranges = a[:, -1] - a[:, 0], b[:, -1] - b[:, 0]
    apart = np.stack([a.mean(-1) - b.mean(-1), (a[:, 0] + a[:, -1] - b[:, 0] - b[:, -1]) / 2.0, a[:, 0] - b[:, 0]])
    return np.abs(apart) * 2.0 / (ranges[0] + ranges[1]), ranges[0]


def levels(n: int, samples: int) -> tuple[Array, float, float]:
    """Critical values, shaped (3, LEVELS); mean of the range, and degrees of freedom from its relative variance."""
    rng = np.random.default_rng((SEED, n))
    drawn = [differences(rng, n, count) for count in chunks(samples)]
    ranges = np.concatenate([one[1] for one in drawn])
    critical = np.quantile(np.concatenate([one[0] for one in drawn], axis=-1), [1.0 - level for level in LEVELS], axis=-1)
    return critical.T, float(ranges.mean()), float(ranges.mean() ** 2 / ranges.var() / 2.0)


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    found = {n: levels(n, samples) for n in SIZES}
    print("D2 =", {n: round(d2, 3) for n, (_, d2, _) in found.items()})
    print("RANGE_DF =", {n: round(df, 2) for n, (_, _, df) in found.items()})
    for number, name in enumerate(STATISTICS):
        print(name, "=", {n: tuple(round(float(one), 3) for one in critical[number]) for n, (critical, _, _) in found.items()})


if __name__ == "__main__":
    main()
