"""BM25, for choosing candidates and for scoring them: one formula, one set of constants. Pure.

`B` is low: long turns are not punished for being long, since they are cut into pieces anyway.
"""

from __future__ import annotations

from collections.abc import Sequence

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


def in_texts(terms: Sequence[str], texts: Sequence[str]) -> NDArray[np.float32]:
    """(terms, texts): how often each term stands in each text. Every token of a text has a blank on each side.

    The texts are searched as one, so that a term costs as much as it is found, not as many texts as there are.
    """
    counts = np.zeros((len(terms), len(texts)), np.float32)
    joined = "\n".join(texts)
    ends = np.cumsum([len(text) + 1 for text in texts])
    for row, term in zip(counts, terms, strict=True):
        places = []
        at = joined.find(term)
        while at >= 0:
            end = at + len(term)
            # looked for without its blanks, because blanks are everywhere and slow a search down
            if joined[at - 1] == " " == joined[end]:
                places.append(at)
            at = joined.find(term, end)
        if places:
            np.add.at(row, np.searchsorted(ends, places, side="right"), 1)
    return counts
