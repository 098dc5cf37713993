"""What Everlore asks of an embedding model, and how it is put together with the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
State: TypeAlias = Literal["loading", "ready", "error"]


class Embedder(Protocol):
    """Turns texts into unit-length vectors. `name` changes whenever the vectors would."""

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int:
        """May load the model or ask the endpoint once."""

    @property
    def unrelated(self) -> float | None:
        """The cosine of texts that have nothing to do with each other (`models.unrelated`), where it is known. May ask
        the endpoint once."""

    @property
    def trouble(self) -> str:
        """Why it did not answer last; empty when it did, or was not asked yet."""

    def ready(self) -> bool:
        """True when `encode` answers without loading anything first. Never blocks."""

    def state(self) -> State:
        """`loading` until it has answered to `warm` or `encode`, `error` when it failed last. Never blocks."""

    def warm(self) -> None:
        """Start loading in the background. Returns at once; calling it again does nothing."""

    def encode(self, texts: Sequence[str], *, patient: bool = True, pieces: Sequence[int] = ()) -> Vectors:
        """One row per text. Raises Unavailable when the model is out of reach. Any thread may call it.

        `patient` False: somebody waits for what this is a part of, so an endpoint gets a few seconds only.
        `pieces`: the numbers of the units whose texts these are; a shared cache keeps their vectors beside them.
        """

    def query(self, text: str) -> Vectors:
        """The vector of one question, for which somebody waits: as `encode` gives it, but kept nowhere, since few
        questions come twice."""

    def close(self) -> None: ...
