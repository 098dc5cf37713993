"""Vectors as they are stored and compared: signs (one bit for each dimension), halves (16 bits), cosines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from everlore.errors import InvalidInput
from everlore.index.base import Vector
from everlore.index.hits import Floats

DIGITS = 6
"""Cosines are rounded, so that the order of additions inside a matrix product cannot swap equal units."""

Words = NDArray[np.uint64]
Halves = NDArray[np.float16]


def require_shape(vectors: NDArray[np.float32], count: int, dimension: int) -> None:
    if vectors.shape != (count, dimension):
        raise InvalidInput(f"{count} vectors of dimension {dimension} are wanted, not {vectors.shape}")


def cosines(vectors: NDArray[np.floating], query: Vector) -> Floats:
    """In double precision: halves reach it far quicker than they reach single precision."""
    exact = vectors.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", exact, exact))
    return _rounded(exact @ query.astype(np.float64) / np.maximum(lengths, 1e-12))


def products(vectors: NDArray[np.float32], query: Vector) -> Floats:
    """The cosines of rows of unit length."""
    return _rounded(vectors.astype(np.float64) @ query.astype(np.float64))


def _rounded(scores: Floats) -> Floats:
    return np.clip(scores.round(DIGITS), -1.0, 1.0)


def packed(vectors: NDArray[np.float32]) -> list[tuple[bytes, bytes]]:
    """The signs and the half-precision values of each row, as they are stored."""
    halves = vectors.astype(np.float16)
    return [(s.tobytes(), h.tobytes()) for s, h in zip(signs_of(vectors), halves, strict=True)]


def words_of(dimension: int) -> int:
    return -(-dimension // 64)


def signs_of(vectors: NDArray[np.float32]) -> Words:
    count, dimension = vectors.shape
    padded = np.zeros((count, words_of(dimension) * 8), np.uint8)
    bits = np.packbits(vectors > 0, axis=1)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64)


def halves_of(data: bytes, dimension: int) -> Halves:
    return np.frombuffer(data, np.float16).reshape(-1, dimension)


def unit_rows(data: bytes, dimension: int) -> NDArray[np.float32]:
    """Unit-length rows again: half precision has changed their length a little."""
    vectors = halves_of(data, dimension).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    vectors /= np.maximum(lengths, np.float32(1e-12))[:, None]
    return vectors
