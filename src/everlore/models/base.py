"""What Everlore asks of an embedding model, and of the cache that no embedder needs but every engine has.

The cache is a convenience: when it cannot be read or written, texts are embedded as if it were not there.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from everlore.errors import Damaged, Misconfigured, Unavailable

Vectors = NDArray[np.float32]
State: TypeAlias = Literal["loading", "ready", "error"]

SLICE = 256
"""Texts embedded before they are stored: what a kill loses at most."""
MEASURED_AGAIN_SECONDS = 30.0
"""How long nobody waits again for a measurement that an endpoint was too slow for."""
OFFLINE = 0.54
"""The cosine of the built-in model for texts that have nothing to do with each other: those below."""
MOST = 0.95
"""A model that finds everything alike says nothing, but divides by nothing either."""
TEXTS = (
    "I bought a red bicycle for my daughter.",
    "The meeting with the bank was moved to Thursday.",
    "What is the capital of Peru?",
    "My grandmother bakes bread with rye flour.",
    "The printer on the second floor is out of paper.",
    "Which medicine helps against hay fever?",
    "We watched whales from the boat last summer.",
    "Please send the invoice to the new address.",
    "He plays chess every Sunday in the park.",
    "The function returns an empty list when the file is missing.",
    "How long does the train to Vienna take?",
    "Her violin teacher lives next to the church.",
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

    def get(self, model: str, texts: Sequence[str], pieces: Sequence[int] = ()) -> dict[int, Vectors]:
        """The vectors that are known, by their place in `texts`. `pieces`: the units whose texts they are, if any."""
        found = self._known(model, texts, pieces)
        with self._counting:
            self._hits += len(found)
            self._misses += len(texts) - len(found)
        return found

    def stats(self, model: str) -> CacheStats:
        """What was found and what was not, and how many vectors of the model are kept."""
        return CacheStats(self._hits, self._misses, self._size(model))

    @abstractmethod
    def put(self, model: str, texts: Sequence[str], vectors: Vectors, pieces: Sequence[int] = ()) -> None: ...

    @abstractmethod
    def keep(self, model: str, texts: Mapping[str, int]) -> None:
        """What this process embedded a moment ago has become units, each text with the number of one: a shared cache
        keeps their vectors beside them."""

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def _known(self, model: str, texts: Sequence[str], pieces: Sequence[int]) -> dict[int, Vectors]: ...

    @abstractmethod
    def _size(self, model: str) -> int: ...


class Embedder(ABC):
    """Turns texts into unit-length vectors; with a cache, nothing is embedded twice. Any thread may call it."""

    trouble = ""
    """Why it did not answer last; empty when it did, or was not asked yet."""

    def __init__(self, cache: Cache | None = None) -> None:
        self._cache = cache
        self._unrelated: float | None = None
        self._measured_again = 0.0

    @property
    @abstractmethod
    def name(self) -> str:
        """Changes whenever the vectors would."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """May load the model or ask the endpoint once."""

    @property
    def unrelated(self) -> float:
        """The cosine of texts that have nothing to do with each other: for one model it is 0.1, for another 0.7. May
        ask the endpoint; searches do so several times each, so one that fails must not hold up all that follow."""
        if self._unrelated is None:
            if time.monotonic() < self._measured_again:
                raise Unavailable(f"what cosines of {self.name} mean could not be measured a moment ago")
            try:
                self._unrelated = measured(self.encode(TEXTS, patient=False))
            except Unavailable:
                self._measured_again = time.monotonic() + MEASURED_AGAIN_SECONDS
                raise
        return self._unrelated

    @abstractmethod
    def state(self) -> State:
        """`loading` until it has answered to `warm` or `encode`, `error` when it failed last. Never blocks."""

    def ready(self) -> bool:
        """True when `encode` answers without loading anything first. Never blocks."""
        return self.state() == "ready"

    @abstractmethod
    def warm(self) -> None:
        """Start loading in the background. Returns at once; calling it again does nothing."""

    def encode(self, texts: Sequence[str], *, patient: bool = True, pieces: Sequence[int] = ()) -> Vectors:
        """One row per text. Raises Unavailable when the model is out of reach.

        `patient` False: somebody waits for what this is a part of, so an endpoint gets a few seconds only.
        `pieces`: the numbers of the units whose texts these are; a shared cache keeps their vectors beside them.
        """
        cache = self._cache
        if cache is None or not len(texts):
            return self._encode(texts, patient=patient)
        place_of = dict(zip(texts, pieces, strict=True)) if pieces else {}
        found: dict[int, Vectors] = {}
        with contextlib.suppress(Unavailable, Damaged):
            # an endpoint may have another model by now under the same name
            size = self.dimension
            known = cache.get(self.name, texts, pieces)
            found = {place: vector for place, vector in known.items() if len(vector) == size}
        missing: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            if place not in found:
                missing.setdefault(text, []).append(place)
        wanted = list(missing)
        for start in range(0, len(wanted), SLICE):
            some = wanted[start : start + SLICE]
            fresh = self._encode(some, patient=patient)
            with contextlib.suppress(Unavailable, Damaged):
                cache.put(self.name, some, fresh, [place_of[text] for text in some if place_of])
            for text, vector in zip(some, fresh, strict=True):
                # as it will be read from the cache, so that the same text always gives the same vector
                found.update(dict.fromkeys(missing[text], unpacked(packed(vector))))
        return np.stack([found[place] for place in range(len(texts))])

    def query(self, text: str) -> Vectors:
        """The vector of one question, for which somebody waits: as `encode` gives it, but kept nowhere, since few
        questions come twice."""
        vector: Vectors = self._encode([text], patient=False)[0]
        return vector

    def close(self) -> None:
        if self._cache is not None:
            self._cache.close()

    @abstractmethod
    def _encode(self, texts: Sequence[str], *, patient: bool) -> Vectors:
        """By the model itself."""


class _AskedOnce:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.query = functools.cache(embedder.query)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)


def asked_once(embedder: Embedder) -> Embedder:
    """For one request that asks the same question of many owners: it is embedded once. Not to be closed."""
    return cast(Embedder, _AskedOnce(embedder))


def measured(vectors: Vectors) -> float:
    """The mean cosine with each other."""
    pairs = (vectors @ vectors.T)[~np.eye(len(vectors), dtype=bool)]
    return float(np.clip(pairs.mean(), 0.0, MOST))


def scaled(embedder: Embedder, cosine: float) -> float:
    """The cosine that means for this model what `cosine` means for the built-in one, for which scores and thresholds
    are made; another one is measured, once, so that they mean the same."""
    found = OFFLINE
    with contextlib.suppress(Unavailable, Misconfigured):  # out of reach just now
        found = embedder.unrelated
    return 1 - (1 - cosine) * (1 - found) / (1 - OFFLINE)


def packed(vector: Vectors) -> bytes:
    return vector.astype(np.float16).tobytes()


def unpacked(data: bytes) -> Vectors:
    """Of unit length again: half precision has changed the length a little."""
    vector = np.frombuffer(data, np.float16).astype(np.float32)
    unit: Vectors = vector / max(float(np.linalg.norm(vector)), 1e-12)
    return unit.astype(np.float32)
