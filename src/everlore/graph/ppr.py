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
    source: Ints, target: Ints, weight: Floats, seeds: Floats, damping: float = DAMPING
) -> Floats:
    """The share of time spent at each node of a directed weighted graph.

    `source`, `target` and `weight` list the edges; `seeds` says how often a walk begins at each node. A walk that
    cannot go on begins again. The shares add up to 1; without any seed they are 0.
    """
    nodes, total = len(seeds), float(seeds.sum())
    if total <= 0:
        return np.zeros(nodes)
    begin = seeds / total
    leaving = np.bincount(source, weight, nodes)
    stuck = leaving <= 0
    share = weight / np.where(stuck, 1.0, leaving)[source]
    rank = begin.copy()
    for _ in range(ITERATIONS):
        walked = np.bincount(target, share * rank[source], nodes) + begin * rank[stuck].sum()
        fresh = (1 - damping) * begin + damping * walked
        change = float(np.abs(fresh - rank).sum())
        rank = fresh
        if change < TOLERANCE:
            break
    return rank


def reached(source: Ints, target: Ints, weight: Floats, seeds: Floats, damping: float = DAMPING) -> Floats:
    """The same without the time that walks spend where they begin: a seed counts as far as others lead to it."""
    rank = personalised_pagerank(source, target, weight, seeds, damping)
    total = float(seeds.sum())
    return np.maximum(rank - (1 - damping) * seeds / total, 0.0) if total > 0 else rank
