"""BM25, for choosing candidates and for scoring them: one formula, one set of constants. Pure.

`B` is low: long turns are not punished for being long, since they are cut into pieces anyway.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.4

Numbers = NDArray[np.floating]


def telling(units: int, frequency: Numbers) -> Numbers:
    """How much terms tell that stand in so many of `units` units."""
    weights: Numbers = np.log1p((units - frequency + 0.5) / (frequency + 0.5))
    return weights


def worth(count: Numbers, length: Numbers, mean_length: float) -> Numbers:
    """What `count` occurrences in units of this length are worth, before the term's own weight."""
    value: Numbers = (K1 + 1) * count / (count + K1 * (1 - B + B * length / max(mean_length, 1.0)))
    return value
