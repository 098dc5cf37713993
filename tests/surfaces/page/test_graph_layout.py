"""Where the nodes of a graph stand."""

from __future__ import annotations

import numpy as np
import pytest

from everlore.surfaces.page.graph_layout import layout


@pytest.mark.parametrize("count", [0, 1, 2, 3, 40])
def test_every_node_has_a_place_and_none_is_lost(count: int) -> None:
    edges = tuple((one, one + 1, 1.0) for one in range(count - 1))
    places = layout(count, edges)
    assert places.shape == (count, 2)
    assert np.isfinite(places).all()
    assert np.abs(places).max(initial=0.0) <= 1000.0 + 1e-3


def test_what_is_linked_stands_nearer_than_what_is_not() -> None:
    halves = [range(20), range(20, 40)]
    edges = tuple((one, other, 1.0) for half in halves for one in half for other in half if one < other)
    places = layout(40, edges)
    within = np.linalg.norm(places[:20] - places[:20].mean(0), axis=1).mean()
    assert np.linalg.norm(places[:20].mean(0) - places[20:].mean(0)) > within
    assert (layout(40, edges) == places).all()
