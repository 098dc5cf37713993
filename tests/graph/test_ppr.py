"""The walk, against a plain matrix."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from growth import assert_linear
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.graph.ppr import personalised_pagerank, reached

NODES = 6
edges = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.floats(0.01, 3)), max_size=20)
starts = st.lists(st.floats(0, 1), min_size=NODES, max_size=NODES)


@settings(max_examples=60, deadline=None)
@given(edges, starts)
def test_it_solves_the_equation(listed: list[tuple[int, int, float]], start: list[float]) -> None:
    source, target, weight = (np.array([edge[at] for edge in listed]) for at in range(3))
    seeds = np.array(start)
    rank = personalised_pagerank(source.astype(np.int64), target.astype(np.int64), weight.astype(float), seeds)
    if seeds.sum() <= 0:
        assert not rank.any()
        return
    begin = seeds / seeds.sum()
    step = np.zeros((NODES, NODES))
    for one, other, value in listed:
        step[other, one] += value
    for node in range(NODES):
        step[:, node] = step[:, node] / step[:, node].sum() if step[:, node].any() else begin
    assert np.allclose(rank, np.linalg.solve(np.eye(NODES) - 0.5 * step, 0.5 * begin), atol=1e-5)
    assert np.isclose(rank.sum(), 1)


def test_a_seed_counts_as_far_as_others_lead_to_it() -> None:
    source, target = np.array([0, 1, 1, 2]), np.array([1, 0, 2, 1])
    near = reached(source, target, np.ones(4), np.array([1.0, 0, 0, 0]))
    assert near[1] > near[2] > 0
    assert near[0] < personalised_pagerank(source, target, np.ones(4), np.array([1.0, 0, 0, 0]))[0]


def test_many_edges_take_no_longer_than_their_number() -> None:
    def prepare(edges: int) -> Callable[[], object]:
        source, target = np.random.default_rng(1).integers(0, edges // 5, (2, edges))
        seeds = np.zeros(edges // 5)
        seeds[:5] = 1
        return partial(personalised_pagerank, source, target, np.ones(edges), seeds)

    assert_linear(prepare, 25_000)
