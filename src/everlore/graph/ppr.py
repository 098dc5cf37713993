"""Personalised PageRank by power iteration: where a walk from the seeds spends its time. Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

DAMPING = 0.5
"""The chance to walk on; else the walk begins again at a seed. Low, so that it stays near what was asked for."""
ITERATIONS = 30
TOLERANCE = 1e-6

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def personalised_pagerank(
    nodes: int, one: Ints, other: Ints, weight: Floats, seeds: Floats, damping: float = DAMPING
) -> Floats:
    """The share of time spent at each node of an undirected weighted graph.

    `one`, `other` and `weight` list its edges; `seeds` says how much a walk begins at each node. A walk that cannot go
    on begins again. The shares add up to 1; without any seed they are 0.
    """
    total = float(seeds.sum())
    if total <= 0:
        return np.zeros(nodes)
    begin = seeds / total
    source, target = np.concatenate([one, other]), np.concatenate([other, one])
    both = np.concatenate([weight, weight])
    leaving = np.bincount(source, both, nodes)
    share = both / leaving[source]
    stuck = leaving <= 0
    rank = begin.copy()
    for _ in range(ITERATIONS):
        walked = np.bincount(target, share * rank[source], nodes) + begin * rank[stuck].sum()
        fresh = (1 - damping) * begin + damping * walked
        change = float(np.abs(fresh - rank).sum())
        rank = fresh
        if change < TOLERANCE:
            break
    return rank
