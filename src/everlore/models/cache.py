"""Embeddings kept on disk by model and text, so that nothing is embedded twice, not even by another process.

The cache is a convenience: when it cannot be read or written, texts are embedded as if it were not there.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everlore.database import Connection, Database, Schema
from everlore.errors import Damaged, Unavailable
from everlore.models.around import EmbedderAround
from everlore.models.base import Embedder, Vectors
from everlore.models.unrelated import measured

SLICE = 256
"""Texts embedded before they are stored: what a kill loses at most."""
MEASURED_AGAIN_SECONDS = 30.0
"""How long nobody waits again for a measurement that an endpoint was too slow for."""


def _upgrade(connection: Connection, found: int) -> None:
    if found:
        connection.execute("DROP TABLE IF EXISTS vectors; DROP TABLE IF EXISTS models")
    connection.execute(
        "CREATE TABLE models(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
        "CREATE TABLE vectors(model INTEGER NOT NULL, text BLOB NOT NULL, vector BLOB NOT NULL,"
        " PRIMARY KEY(model, text)) WITHOUT ROWID"
    )


@dataclass(frozen=True, slots=True)
class CacheStats:
    hits: int
    misses: int
    size: int


class Cache(ABC):
    """Vectors by model and text, and a count of what was found since this process began."""

    def __init__(self) -> None:
        self._counting = threading.Lock()
        self._hits = self._misses = 0

    def get(self, model: str, texts: Sequence[str], pieces: Sequence[int] = ()) -> dict[int, NDArray[np.float32]]:
        """The vectors that are known, by their place in `texts`. `pieces`: the units whose texts they are, if any."""
        found = self._known(model, texts, pieces)
        with self._counting:
            self._hits += len(found)
            self._misses += len(texts) - len(found)
        return found

    def stats(self, model: str) -> CacheStats:
        """What was found and what was not, and how many vectors of the model are kept."""
        size = self._size(model)
        with self._counting:
            return CacheStats(self._hits, self._misses, size)

    @abstractmethod
    def put(self, model: str, texts: Sequence[str], vectors: Vectors, pieces: Sequence[int] = ()) -> None: ...

    @abstractmethod
    def keep(self, model: str, texts: Mapping[str, int]) -> None:
        """What this process embedded a moment ago has become units, each text with the number of one: a shared cache
        keeps their vectors beside them."""

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def _known(self, model: str, texts: Sequence[str], pieces: Sequence[int]) -> dict[int, NDArray[np.float32]]: ...

    @abstractmethod
    def _size(self, model: str) -> int: ...


class EmbeddingCache(Cache):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self._db = Database(
            path, Schema(1, _upgrade), durable=False, derived=True, remedy="delete it; it fills again by itself"
        )

    def _known(self, model: str, texts: Sequence[str], pieces: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        del pieces  # a text has one vector, whosever it is
        select = (
            "SELECT j.key, v.vector FROM json_each(?) j CROSS JOIN vectors v"
            " ON v.model = (SELECT id FROM models WHERE name = ?) AND v.text = unhex(j.value)"
        )
        keys = json.dumps([_key(text).hex() for text in texts])
        with self._db.reading() as connection:
            return {place: unpacked(data) for place, data in connection.rows(select, (keys, model))}

    def put(self, model: str, texts: Sequence[str], vectors: Vectors, pieces: Sequence[int] = ()) -> None:
        del pieces
        with self._db.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO models(name) VALUES(?)", (model,))
            number = connection.value("SELECT id FROM models WHERE name = ?", (model,))
            connection.executemany(
                "INSERT OR REPLACE INTO vectors(model, text, vector) VALUES(?, ?, ?)",
                [(number, _key(text), packed(vector)) for text, vector in zip(texts, vectors, strict=True)],
            )

    def keep(self, model: str, texts: Mapping[str, int]) -> None:
        """They are kept already."""

    def _size(self, model: str) -> int:
        select = "SELECT count(*) FROM vectors WHERE model = (SELECT id FROM models WHERE name = ?)"
        with self._db.reading() as connection:
            return int(connection.value(select, (model,)))

    def close(self) -> None:
        self._db.close()


class CachedEmbedder(EmbedderAround):
    """An embedder that asks the cache first."""

    def __init__(self, embedder: Embedder, cache: Cache) -> None:
        super().__init__(embedder)
        self._cache = cache
        self._unrelated: float | None = None
        self._measured_again = 0.0

    @property
    def unrelated(self) -> float:
        if self._unrelated is None:
            known = self._embedder.unrelated
            self._unrelated = self._measured() if known is None else known
        return self._unrelated

    def _measured(self) -> float:
        """Searches ask for it, several times each: one that fails must not hold up all that follow."""
        if time.monotonic() < self._measured_again:
            raise Unavailable(f"what cosines of {self.name} mean could not be measured a moment ago")
        try:
            return measured(partial(self.encode, patient=False))
        except Unavailable:
            self._measured_again = time.monotonic() + MEASURED_AGAIN_SECONDS
            raise

    def encode(self, texts: Sequence[str], *, patient: bool = True, pieces: Sequence[int] = ()) -> Vectors:
        if not texts:
            return self._embedder.encode(texts)
        place_of = dict(zip(texts, pieces, strict=True)) if pieces else {}
        found: dict[int, NDArray[np.float32]] = {}
        with contextlib.suppress(Unavailable, Damaged):
            # an endpoint may have another model by now under the same name
            size = self.dimension
            found = {
                at: vector for at, vector in self._cache.get(self.name, texts, pieces).items() if len(vector) == size
            }
        missing: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            if place not in found:
                missing.setdefault(text, []).append(place)
        wanted = list(missing)
        for start in range(0, len(wanted), SLICE):
            some = wanted[start : start + SLICE]
            fresh = self._embedder.encode(some, patient=patient)
            with contextlib.suppress(Unavailable, Damaged):
                self._cache.put(self.name, some, fresh, [place_of[text] for text in some if place_of])
            for text, vector in zip(some, fresh, strict=True):
                # as it will be read from the cache, so that the same text always gives the same vector
                found.update(dict.fromkeys(missing[text], unpacked(packed(vector))))
        return np.stack([found[place] for place in range(len(texts))])

    def close(self) -> None:
        self._embedder.close()
        self._cache.close()


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def packed(vector: NDArray[np.float32]) -> bytes:
    return vector.astype(np.float16).tobytes()


def unpacked(data: bytes) -> NDArray[np.float32]:
    """Of unit length again: half precision has changed the length a little."""
    vector = np.frombuffer(data, np.float16).astype(np.float32)
    unit: NDArray[np.float32] = vector / max(float(np.linalg.norm(vector)), 1e-12)
    return unit.astype(np.float32)
