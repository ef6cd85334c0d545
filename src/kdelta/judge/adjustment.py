"""How p is adjusted for all contrasts of one question."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from kdelta.stats.multiplicity import benjamini_hochberg, holm

Array = NDArray[np.float64]

ADJUSTMENTS: dict[str, Callable[[Array], Array]] = {"Benjamini-Hochberg": benjamini_hochberg, "Holm": holm}
USUAL = "Benjamini-Hochberg"
