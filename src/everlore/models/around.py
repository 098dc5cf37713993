"""Embedders around another one, which does what they leave to it."""

from __future__ import annotations

from collections.abc import Sequence

from everlore.models.base import Embedder, State, Vectors


class EmbedderAround:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

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

    def encode(self, texts: Sequence[str], *, patient: bool = True, pieces: Sequence[int] = ()) -> Vectors:
        return self._embedder.encode(texts, patient=patient, pieces=pieces)

    def query(self, text: str) -> Vectors:
        return self._embedder.query(text)

    def close(self) -> None:
        self._embedder.close()


class AskedOnce(EmbedderAround):
    """For one request that asks the same question of many owners: it is embedded once."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._asked: dict[str, Vectors] = {}

    def query(self, text: str) -> Vectors:
        if text not in self._asked:
            self._asked[text] = super().query(text)
        return self._asked[text]

    def close(self) -> None:
        """The embedder belongs to the engine."""
