"""Vectors as they are stored and compared."""

from __future__ import annotations

import numpy as np
import pytest
from stored import direction

from everlore.index.vector_math import DIGITS, cosines, halves_of, packed, products, signs_of, unit_rows, words_of


@pytest.mark.parametrize(("dimension", "words"), [(1, 1), (64, 1), (65, 2), (384, 6)])
def test_signs_take_a_bit_a_dimension(dimension: int, words: int) -> None:
    assert words_of(dimension) == words
    assert signs_of(np.ones((3, dimension), np.float32)).shape == (3, words)
    assert int(np.bitwise_count(signs_of(np.ones((1, dimension), np.float32))).sum()) == dimension


def test_opposite_vectors_differ_in_every_sign() -> None:
    one = direction(1, 128)[None, :]
    assert int(np.bitwise_count(signs_of(one) ^ signs_of(-one)).sum()) == 128


def test_what_is_stored_comes_back_with_unit_length() -> None:
    [(signs, halves)] = packed(direction(2, 96)[None, :])
    assert len(signs) == 8 * words_of(96)
    assert halves_of(halves, 96).shape == (1, 96)
    [row] = unit_rows(halves, 96)
    assert float(np.linalg.norm(row)) == pytest.approx(1.0, abs=1e-6)
    assert row == pytest.approx(direction(2, 96), abs=1e-3)


def test_cosines_are_rounded_and_bounded() -> None:
    query = direction(3)
    rows = np.stack([query, -query, direction(4)])
    for found in (cosines(rows * 5, query), products(rows, query)):
        assert found[:2].tolist() == [1.0, -1.0]
        assert found[2] == round(float(found[2]), DIGITS)
    assert cosines(np.zeros((1, len(query)), np.float32), query).tolist() == [0.0]
