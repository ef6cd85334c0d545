"""Regenerate src/kdelta/stats/levels.py: nominal levels of a t test that is looked at after every round.

    python scripts/levels.py [SIMULATIONS] > src/kdelta/stats/levels.py

For two columns in rounds (a paired t test) whose true difference is 0: the distribution of the least two-sided p over the
looks after round FIRST, FIRST + 1, ... CAP. The level that the least p falls below with probability alpha is what each look may
use. More columns allow slightly more, so that these are on the safe side for them. 4 million simulations take some minutes, and
give the levels to 1 % of their value at .0005, and to 0.2 % at .05.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

FIRST, MOST = 3, 60
ALPHAS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005)
CHUNK = 100_000
BINS = 200_000
LEAST_LOG = -18.0
SEED = 20060217

HEAD = '''"""Nominal levels of a t test that is looked at after every round; made by scripts/levels.py, see there.

Of {simulations} simulations, seed {seed}. By the last round at which may be looked, the first being round {first}: the level of
each look for every overall level in ALPHAS.
"""

FIRST = {first}
ALPHAS = {alphas}
LEVELS: dict[int, tuple[float, ...]] = {{'''


def least_p(simulations: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The least p so far at each look, (simulations, looks)."""
    difference = rng.standard_normal((simulations, MOST))
    rounds = np.arange(1, MOST + 1)
    mean = np.cumsum(difference, 1) / rounds
    squares = np.cumsum(difference**2, 1)
    looks = slice(FIRST - 1, None)
    n = rounds[looks]
    variance = (squares[:, looks] - n * mean[:, looks] ** 2) / (n - 1)
    t = mean[:, looks] / np.sqrt(variance / n)
    return np.minimum.accumulate(2.0 * stdtr(n - 1.0, -np.abs(t)), axis=1)


def main() -> None:
    """Count the logarithms of least p in narrow bins, and read the quantiles off."""
    simulations = int(sys.argv[1]) if len(sys.argv) > 1 else 4_000_000
    rng = np.random.default_rng(SEED)
    edges = np.linspace(LEAST_LOG, 0.0, BINS + 1)
    counts = np.zeros((MOST - FIRST + 1, BINS), dtype=np.int64)
    for _ in range(simulations // CHUNK):
        place = np.log(least_p(CHUNK, rng))
        for look in range(counts.shape[0]):
            counts[look] += np.histogram(np.maximum(place[:, look], LEAST_LOG), edges)[0]
    shares = counts.cumsum(1) / counts.sum(1, keepdims=True)
    print(HEAD.format(simulations=simulations, seed=SEED, first=FIRST, alphas=ALPHAS))
    for look, cap in enumerate(range(FIRST, MOST + 1)):
        levels = np.exp(edges[1:][np.searchsorted(shares[look], ALPHAS)]) if cap > FIRST else np.array(ALPHAS)
        print(f"    {cap}: ({', '.join(f'{level:.4g}' for level in levels)}),")
    print("}")


if __name__ == "__main__":
    main()
