"""Embeddings from any OpenAI-compatible endpoint. Whatever goes wrong there is Unavailable (`transport`)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from everlore.errors import Unavailable
from everlore.models.base import Cache, Embedder, State, Vectors
from everlore.models.transport import Endpoint, Rejected

BATCH = 64
MAX_CHARS = 8_000
"""Common endpoints refuse inputs beyond 8,192 tokens; what Everlore encodes is far shorter."""

IMPATIENT_SECONDS = 5.0
"""How long an endpoint gets for what somebody waits for: a search, or the answer to a message."""

ABOUT_TEXTS = (400, 413, 422)
"""Statuses by which endpoints refuse a text that is too long for their model."""
SHORT = 64
"""Characters that no model finds too many."""

LARGEST = 1e15
"""No embedding has such values; their squares would still be fine as float32. NaN compares as larger."""


class RemoteEmbedder(Embedder):
    def __init__(self, endpoint: Endpoint, model: str, dimension: int = 0, cache: Cache | None = None) -> None:
        super().__init__(cache)
        self._endpoint = endpoint
        self._model = model
        self._dimension = dimension

    @property
    def name(self) -> str:
        return f"{self._model}@{self._endpoint.shown.partition('://')[2]}"

    @property
    def dimension(self) -> int:
        return self._dimension or self._encode(["dimension"], patient=False).shape[1]

    def ready(self) -> bool:
        return self._endpoint.open

    def state(self) -> State:
        return "ready" if self._endpoint.open and not self._endpoint.resting else "error"

    def warm(self) -> None:
        """Nothing to load; the first request opens the connection."""

    def close(self) -> None:
        self._endpoint.close()
        super().close()

    def _encode(self, texts: Sequence[str], *, patient: bool) -> Vectors:
        if not len(texts):
            return np.empty((0, self.dimension), np.float32)
        until = None if patient else time.monotonic() + IMPATIENT_SECONDS
        # bounded, without lone surrogates, and never empty: endpoints refuse an empty input
        sent = [text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8") or " " for text in texts]
        return np.concatenate([self._batch(sent[at : at + BATCH], until) for at in range(0, len(sent), BATCH)])

    def _batch(self, texts: Sequence[str], until: float | None) -> Vectors:
        """What the endpoint refuses because of one text, or of its length, is asked again in halves: one text must not
        keep all others from their vectors."""
        # many texts may well take longer than we want to wait, which says nothing against the endpoint
        lenient = until is not None and len(texts) > 1
        body = {"model": self._model, "input": list(texts)}
        try:
            vectors = self._read(self._endpoint.post(body, deadline=until, lenient=lenient), len(texts))
        except Unavailable as error:
            self.trouble = str(error)
            about_texts = isinstance(error, Rejected) and error.status in ABOUT_TEXTS
            if not about_texts or (len(texts) == 1 and len(texts[0]) <= SHORT):
                raise
        else:
            self.trouble = ""
            return vectors
        if len(texts) == 1:
            return self._batch([texts[0][: len(texts[0]) // 2]], until)
        half = len(texts) // 2
        return np.concatenate([self._batch(texts[:half], until), self._batch(texts[half:], until)])

    def _read(self, answer: Any, count: int) -> Vectors:
        """One row of unit length for each text, in the order of the texts."""
        items = answer.get("data") if isinstance(answer, Mapping) else None
        if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
            raise self._endpoint.bad("the answer has no list `data`")
        if len(items) != count:
            raise self._endpoint.bad(f"{len(items)} vectors came back for {count} texts")
        positions = [item.get("index") for item in items]
        if sorted(p for p in positions if isinstance(p, int)) == list(range(count)):
            items = sorted(items, key=lambda item: int(item["index"]))
        try:
            vectors = np.array([item.get("embedding") for item in items], np.float64)
        except (TypeError, ValueError):
            raise self._endpoint.bad("`embedding` is not a list of numbers, or the lists differ in length") from None
        if vectors.ndim != 2 or not vectors.shape[1]:
            raise self._endpoint.bad("`embedding` is not a list of numbers")
        if not (np.abs(vectors) < LARGEST).all():
            raise self._endpoint.bad("a vector has values that are not finite numbers")
        self._dimension = self._dimension or vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise self._endpoint.bad(
                f"vectors have {vectors.shape[1]} dimensions and {self._dimension} were expected; "
                "check EVEROS_EMBEDDING__DIMENSION and EVEROS_EMBEDDING__MODEL"
            )
        single = vectors.astype(np.float32)
        lengths = np.linalg.norm(single, axis=1, keepdims=True)
        # a zero vector has no direction; it stays zero and resembles nothing
        return np.asarray(single / np.where(lengths == 0, 1, lengths), np.float32)
