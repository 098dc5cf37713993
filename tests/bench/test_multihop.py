"""The ruler of the multi-hop questions."""

from __future__ import annotations

from bench.measure import Figures
from bench.multihop import judge


def test_passages_are_counted_by_depth() -> None:
    figures = Figures()
    judge(figures, {1, 2}, [1, 5, 6, 7, 8, 2])
    judge(figures, {1, 2}, [2, 1])
    assert (figures.mean("recall@5"), figures.mean("all@5"), figures.mean("all@10")) == (0.75, 0.5, 1.0)
