"""Vectors as they are stored and compared."""

from __future__ import annotations

import numpy as np
import pytest
from stored import direction

from everlore.stores.vector_math import (
    DIGITS,
    cosines,
    distances,
    encode,
    estimates,
    packed,
    products,
    turned_query,
    unit_rows,
    words_of,
)

CENTRE = np.zeros(128, np.float32)


@pytest.mark.parametrize(("dimension", "words"), [(1, 1), (64, 1), (65, 2), (384, 6)])
def test_codes_take_a_bit_a_dimension(dimension: int, words: int) -> None:
    assert words_of(dimension) == words
    codes = encode(np.ones((3, dimension), np.float32), np.zeros(dimension, np.float32))
    assert codes.signs.shape == (words, 3)
    assert codes.factors.shape == (2, 3)


def test_opposite_vectors_differ_in_every_bit() -> None:
    one = direction(1, 128)
    codes = encode(np.stack([one, -one]), CENTRE)
    assert distances(codes, turned_query(one * 7, CENTRE)).tolist() == [0, 128]


def test_codes_about_the_centre_tell_apart_what_lies_in_a_narrow_cone() -> None:
    """As embedders put all texts: the signs alone are nearly the same for all of them."""
    cone = np.stack([direction(9, 128) * 3 + direction(seed, 128) for seed in range(100, 1100)])
    cone /= np.linalg.norm(cone, axis=1, keepdims=True)

    def found(centre: np.typing.NDArray[np.float32]) -> int:
        codes, total = encode(cone, centre), 0
        for query in cone[:20]:
            exact = np.argsort(-products(cone, query))[:10]
            guess = np.argsort(-estimates(codes, np.arange(1000), turned_query(query, centre)))[:80]
            total += len(np.intersect1d(exact, guess))
        return total

    assert found(cone[:200].mean(axis=0)) >= 170
    assert found(CENTRE) <= 120


def test_estimates_are_products_with_the_signs() -> None:
    rows = np.stack([direction(seed, 100) for seed in range(50)])
    centre = rows.mean(axis=0)
    codes, wanted = encode(rows, centre), turned_query(direction(7, 100), centre)
    bits = np.unpackbits(np.ascontiguousarray(codes.signs.T).view(np.uint8), axis=1)
    plain = np.where(bits, 1.0, -1.0) @ wanted * codes.factors[0] - codes.factors[1]
    some = np.array([3, 7, 49])
    np.testing.assert_allclose(estimates(codes, some, wanted), plain[some], atol=1e-5)


def test_what_is_stored_comes_back_with_unit_length() -> None:
    [halves] = packed(direction(2, 96)[None, :])
    assert len(halves) == 2 * 96
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
