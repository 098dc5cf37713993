"""BM25 by its properties: rare terms tell more, repeats ever less, and length counts only a little."""

from __future__ import annotations

import numpy as np
import pytest

from everlore.stores.bm25 import K1, B, in_texts, telling, worth


def test_rare_terms_tell_more() -> None:
    weights = telling(100, np.array([1.0, 10.0, 100.0]))
    assert weights[0] > weights[1] > weights[2] > 0


def test_repeats_are_worth_ever_less_and_have_a_bound() -> None:
    counts = worth(np.array([1.0, 2.0, 3.0, 1e9]), np.full(4, 10.0), 10.0)
    steps = np.diff(counts)
    assert steps[0] > steps[1] > 0
    assert counts[0] == pytest.approx(1.0)
    assert counts[3] == pytest.approx(K1 + 1)


def test_a_long_unit_loses_little() -> None:
    short, long = worth(np.ones(2), np.array([10.0, 100.0]), 10.0)
    assert (K1, B) == (1.2, 0.4), "figures that the benchmark chose"
    assert short > long > short / 3


def test_only_whole_tokens_are_counted() -> None:
    texts = [" tea time tea ", " teapot ", " time "]
    assert in_texts(["tea", "time", "none"], texts).tolist() == [[2, 0, 0], [1, 0, 1], [0, 0, 0]]
