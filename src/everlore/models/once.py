"""An embedder for one request that asks the same question of many owners: it is embedded once."""

from __future__ import annotations

from collections.abc import Sequence

from everlore.models.base import Embedder, State, Vectors


class AskedOnce:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._asked: dict[str, Vectors] = {}

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def unrelated(self) -> float | None:
        return self._embedder.unrelated

    @property
    def trouble(self) -> str:
        return self._embedder.trouble

    def ready(self) -> bool:
        return self._embedder.ready()

    def state(self) -> State:
        return self._embedder.state()

    def warm(self) -> None:
        self._embedder.warm()

    def encode(self, texts: Sequence[str], *, patient: bool = True) -> Vectors:
        return self._embedder.encode(texts, patient=patient)

    def query(self, text: str) -> Vectors:
        if text not in self._asked:
            self._asked[text] = self._embedder.query(text)
        return self._asked[text]

    def close(self) -> None:
        """The embedder belongs to the engine."""
