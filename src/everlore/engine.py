"""The parts of Everlore put together: a bundle that verbs are called with, opened once and closed once.

Opening is quick and loads no model; the embedder loads in the background when it is first needed.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from everlore.buffer.base import Buffer
from everlore.buffer.sqlite import SqliteBuffer
from everlore.clock import Clock
from everlore.config import Settings
from everlore.index.base import Index
from everlore.index.sqlite import SqliteIndex
from everlore.models.base import Embedder
from everlore.models.cache import CachedEmbedder, EmbeddingCache
from everlore.models.chat import ChatModel
from everlore.models.choose import make_embedder, make_llm, make_seer
from everlore.models.media.reader import MediaReader
from everlore.vault.files import SYSTEM, Vault


@dataclass(frozen=True, slots=True)
class Engine:
    settings: Settings
    clock: Clock
    vault: Vault
    buffer: Buffer
    index: Index
    embedder: Embedder
    media: MediaReader
    llm: ChatModel | None = None
    """The language model, where one is configured."""
    embedding: threading.Lock = field(default_factory=threading.Lock)
    """Held while units get their vectors, so that no two threads embed the same ones."""

    def close(self) -> None:
        if self.llm is not None:
            self.llm.close()
        self.media.close()
        self.embedder.close()
        self.index.close()
        self.buffer.close()


def open_engine(settings: Settings) -> Engine:
    vault = Vault(settings.memory.root)
    system = vault.root / SYSTEM
    embedder = CachedEmbedder(make_embedder(settings.embedding), EmbeddingCache(system / "embeddings.db"))
    index = SqliteIndex(system / "index.db")
    return Engine(
        settings=settings,
        clock=Clock(settings.memory.timezone),
        vault=vault,
        buffer=SqliteBuffer(system / "state.db"),
        index=index,
        embedder=embedder,
        media=MediaReader(settings.multimodal, make_seer(settings.multimodal)),
        llm=make_llm(settings.llm),
    )
