"""Vectors as they are stored and compared: halves (16 bits), cosines, and codes, which are a bit for each dimension.

A code is made of what a vector differs in from the centre of all, since embedders put every text into a narrow cone,
where the plain signs are nearly the same for all. It is turned first, so that each bit tells about as much.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from everlore.errors import InvalidInput
from everlore.stores.base import Vector
from everlore.stores.sqlite.hits import Floats, Ints

DIGITS = 6
"""Cosines are rounded, so that the order of additions inside a matrix product cannot swap equal units."""
BITS = 64

Words = NDArray[np.uint64]
Rows = NDArray[np.float32]


def require_shape(vectors: Rows, count: int, dimension: int) -> None:
    if vectors.shape != (count, dimension):
        raise InvalidInput(f"{count} vectors of dimension {dimension} are wanted, not {vectors.shape}")


def cosines(vectors: NDArray[np.floating], query: Vector) -> Floats:
    """In double precision: halves reach it far quicker than they reach single precision."""
    exact = vectors.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", exact, exact))
    return _rounded(exact @ query.astype(np.float64) / np.maximum(lengths, 1e-12))


def products(vectors: Rows, query: Vector) -> Floats:
    """The cosines of rows of unit length."""
    return _rounded(vectors.astype(np.float64) @ query.astype(np.float64))


def _rounded(scores: Floats) -> Floats:
    return np.clip(scores.round(DIGITS), -1.0, 1.0)


def packed(vectors: Rows) -> list[bytes]:
    """Each row in half precision, as it is stored."""
    return [row.tobytes() for row in vectors.astype(np.float16)]


def unit_rows(data: bytes, dimension: int) -> Rows:
    """Stored vectors with unit length again: half precision has changed it a little."""
    return _of_unit_length(np.frombuffer(data, np.float16).reshape(-1, dimension).astype(np.float32))


def _of_unit_length(vectors: Rows) -> Rows:
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    vectors /= np.maximum(lengths, np.float32(1e-12))[:, None]
    return vectors


class Codes(NamedTuple):
    """The last axis of both arrays runs over the vectors."""

    signs: Words
    """64 bits to the word, the first word of all vectors first."""
    factors: Rows
    """What turns the sum of a query's parts, each with its sign, into an estimate: `sum * factors[0] - factors[1]`."""


def words_of(dimension: int) -> int:
    return -(-dimension // BITS)


def encode(vectors: Rows, centre: Vector) -> Codes:
    """Of rows of unit length."""
    turned = _turned(vectors, centre)
    squares = np.einsum("ij,ij->i", turned, turned)
    sums = np.maximum(np.abs(turned).sum(axis=1), np.float32(1e-12))
    return Codes(np.ascontiguousarray(_signs(turned).T), np.stack([squares / sums, squares / 2]))


def turned_query(query: Vector, centre: Vector) -> Vector:
    """The query as codes are compared with it."""
    wanted: Vector = _turned(_of_unit_length(query[None, :].copy()), centre)[0]
    return wanted


def distances(codes: Codes, wanted: Vector) -> NDArray[np.uint16]:
    """How many bits differ from those of a turned query: rough, but quick for very many."""
    found = np.zeros(codes.signs.shape[1], np.uint16)
    for word, bits in zip(codes.signs, _signs(wanted[None, :])[0], strict=True):
        found += np.bitwise_count(word ^ bits)
    return found


def estimates(codes: Codes, positions: Ints, wanted: Vector) -> Rows:
    """Rise with the cosines of these vectors and a turned query: the bits of the vectors are compared with all that is
    known of the query, as RaBitQ does (Gao and Long, 2024)."""
    signs = np.ascontiguousarray(codes.signs[:, positions].T).view(np.uint8)
    # what each of the 256 bytes is worth in each place: looking that up is far quicker than to multiply bit by bit
    worth = (wanted.reshape(-1, 8) @ _BYTES.T).ravel()
    places = np.add(signs, np.arange(0, len(worth), 256), dtype=np.int32)
    agreed = worth.take(places).sum(axis=1)
    factors = codes.factors[:, positions]
    scores: Rows = (2 * agreed - wanted.sum()) * factors[0] - factors[1]
    return scores


def _turned(vectors: Rows, centre: Vector) -> Rows:
    """What differs from the centre, turned in blocks of 64 dimensions."""
    count, dimension = vectors.shape
    padded = np.zeros((count, words_of(dimension) * BITS), np.float32)
    np.subtract(vectors, centre, out=padded[:, :dimension])
    return (padded.reshape(-1, BITS) @ _TURN).reshape(padded.shape)


def _signs(turned: Rows) -> Words:
    return np.packbits(turned > 0, axis=1).view(np.uint64)


def _hadamard(size: int) -> Rows:
    half = np.ones((1, 1), np.float32) if size == 2 else _hadamard(size // 2)
    return np.block([[half, half], [half, -half]])


_BYTES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)
_TURN = _hadamard(BITS) / np.float32(BITS**0.5)
