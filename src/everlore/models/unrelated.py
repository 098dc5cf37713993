"""What a model's cosine is between texts that have nothing to do with each other: for one it is 0.1, for another 0.7.

Scores and thresholds are made for the built-in model; another one is measured, once, so that they mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from everlore.errors import Misconfigured, Unavailable
from everlore.models.base import Embedder, Vectors

OFFLINE = 0.54
"""Of the built-in model, on the texts below."""
MOST = 0.95
"""A model that finds everything alike says nothing, but divides by nothing either."""

TEXTS = (
    "I bought a red bicycle for my daughter.",
    "The meeting with the bank was moved to Thursday.",
    "What is the capital of Peru?",
    "My grandmother bakes bread with rye flour.",
    "The printer on the second floor is out of paper.",
    "Which medicine helps against hay fever?",
    "We watched whales from the boat last summer.",
    "Please send the invoice to the new address.",
    "He plays chess every Sunday in the park.",
    "The function returns an empty list when the file is missing.",
    "How long does the train to Vienna take?",
    "Her violin teacher lives next to the church.",
)


def measured(encode: Callable[[Sequence[str]], Vectors]) -> float:
    """The mean cosine of these texts with each other."""
    vectors = encode(TEXTS)
    pairs = (vectors @ vectors.T)[~np.eye(len(TEXTS), dtype=bool)]
    return float(np.clip(pairs.mean(), 0.0, MOST))


def scaled(embedder: Embedder, cosine: float) -> float:
    """The cosine that means for this model what `cosine` means for the built-in one."""
    try:
        found = embedder.unrelated
    except (Unavailable, Misconfigured):  # out of reach just now
        found = None
    return 1 - (1 - cosine) * (1 - (OFFLINE if found is None else found)) / (1 - OFFLINE)
