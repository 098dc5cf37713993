"""The weights are read once, as small numbers."""

from __future__ import annotations

import numpy as np

from everlore.extract.learned import weights


def test_weights_are_finite_numbers_of_one_kind() -> None:
    assert weights()
    assert {held.dtype for held in weights().values()} == {np.dtype(np.float32)}
    assert all(np.isfinite(held).all() for held in weights().values())
    assert "model" not in weights()


def test_they_are_read_once() -> None:
    assert weights() is weights()
