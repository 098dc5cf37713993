"""The parts of Everlore put together: a bundle that verbs are called with, opened once and closed once.

Opening is quick and loads no model; the embedder loads in the background when it is first needed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from everlore.backends.base import Backend
from everlore.backends.registry import open_backend
from everlore.clock import Clock
from everlore.config import Settings
from everlore.errors import Unavailable
from everlore.models.base import Cache, Embedder
from everlore.models.chat import ChatModel
from everlore.models.choose import make_embedder, make_llm, make_seer
from everlore.models.media.reader import MediaReader
from everlore.stores.base import Index
from everlore.stores.buffer import Buffer
from everlore.types import Owner
from everlore.vault.base import Vault


class Part(Protocol):
    def close(self) -> None: ...


Heard = Callable[[Owner | None, str, str, Sequence[tuple[str, str]]], None]
"""With whose memories it was, the recipe, the question, and the handles and ids of what was found."""
PartType = TypeVar("PartType", bound=Part)


class Parts:
    """What higher layers keep open as long as the engine is: made when first asked for, closed in reverse."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._made: dict[Callable[..., Any], Part] = {}
        self._closed = False

    def get(self, make: Callable[[Engine], PartType], engine: Engine) -> PartType:
        with self._lock:
            if self._closed:
                raise Unavailable("the engine is closed")
            if make not in self._made:
                self._made[make] = make(engine)
            found: Any = self._made[make]
        part: PartType = found
        return part

    def close(self) -> None:
        with self._lock:
            self._closed = True
            made = list(self._made.values())
            self._made.clear()
        for part in reversed(made):
            part.close()


@dataclass(frozen=True, slots=True)
class Engine:
    settings: Settings
    clock: Clock
    backend: Backend
    vault: Vault
    buffer: Buffer
    index: Index
    embedder: Embedder
    cache: Cache
    media: MediaReader
    llm: ChatModel | None = None
    """The language model, where one is configured."""
    heard: Heard | None = None
    """Told of every recall."""
    embedding: threading.Lock = field(default_factory=threading.Lock)
    """Held while units get their vectors, so that no two threads embed the same ones."""
    parts: Parts = field(default_factory=Parts)

    def part(self, make: Callable[[Engine], PartType]) -> PartType:
        """The one part that `make` makes of this engine, for example `code.open_code`."""
        return self.parts.get(make, self)

    def close(self) -> None:
        self.parts.close()
        if self.llm is not None:
            self.llm.close()
        self.media.close()
        self.embedder.close()
        self.index.close()
        self.buffer.close()
        self.vault.close()
        self.backend.close()


def open_engine(settings: Settings) -> Engine:
    """On the backend that the settings name (`backends`)."""
    backend = open_backend(settings)
    try:
        vault, cache = backend.vault(), backend.cache()
        return Engine(
            settings=settings,
            clock=Clock(settings.memory.timezone),
            backend=backend,
            vault=vault,
            buffer=backend.buffer(),
            index=backend.index(),
            embedder=make_embedder(settings.embedding, cache),
            cache=cache,
            media=MediaReader(settings.multimodal, make_seer(settings.multimodal)),
            llm=make_llm(settings.llm),
        )
    except BaseException:
        backend.close()
        raise
