"""Where the nodes of a graph stand. Computed here, once, so that a browser has only to draw, however many there are."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

ROUNDS = 60
FEW_ROUNDS = 18
MANY = 600
"""Nodes from which fewer rounds must do."""
GOLDEN = np.pi * (3 - np.sqrt(5))


@lru_cache(8)
def layout(count: int, edges: tuple[tuple[int, int, float], ...], size: float = 1000.0) -> NDArray[np.float32]:
    """(count, 2): linked nodes near each other, all apart; the same for the same graph. Nodes come weightiest first."""
    if count == 0:
        return np.zeros((0, 2), np.float32)
    order = np.arange(count, dtype=np.float32)
    radius, angle = np.sqrt((order + 0.5) / count), order * np.float32(GOLDEN)
    places = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).astype(np.float32)
    if edges and count > 2:
        ends = np.array([edge[:2] for edge in edges], np.int64)
        weight = np.array([edge[2] for edge in edges], np.float32)
        linked = np.unique(ends)
        number = np.full(count, -1)
        number[linked] = np.arange(len(linked))
        places[linked] = _settled(places[linked], number[ends], weight / weight.max())
    return places * size


def _settled(places: NDArray[np.float32], ends: NDArray[np.int64], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """Fruchterman and Reingold: all push each other away, links pull, and the steps become smaller."""
    count = len(places)
    ideal = np.float32(1.4 / np.sqrt(count))
    rounds = ROUNDS if count < MANY else FEW_ROUNDS
    a, b = ends[:, 0], ends[:, 1]
    pull = (0.4 + 0.6 * weight)[:, None]
    for step in range(rounds):
        lengths = np.einsum("ij,ij->i", places, places)
        push = lengths[:, None] + lengths[None, :] - 2 * (places @ places.T)  # squared distances
        np.maximum(push, np.float32(1e-5), out=push)
        np.divide(ideal * ideal, push, out=push)
        move = places * push.sum(axis=1)[:, None] - push @ places
        along = places[a] - places[b]
        force = along * (np.linalg.norm(along, axis=1)[:, None] / ideal) * pull
        np.add.at(move, a, -force)
        np.add.at(move, b, force)
        move -= 0.4 * places  # nothing drifts away
        length = np.linalg.norm(move, axis=1)[:, None] + np.float32(1e-9)
        places = places + move / length * np.minimum(length, 0.12 * (1 - step / rounds))
    return places / max(1e-6, float(np.abs(places).max()))
