"""The parts of Everlore put together: a bundle that verbs are called with, opened once and closed once.

Opening is quick and loads no model; the embedder loads in the background when it is first needed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from everlore.clock import Clock
from everlore.config import Settings
from everlore.errors import Unavailable
from everlore.extras import load
from everlore.models.base import Embedder
from everlore.models.cache import Cache, CachedEmbedder, EmbeddingCache
from everlore.models.chat import ChatModel
from everlore.models.choose import make_embedder, make_llm, make_seer
from everlore.models.media.reader import MediaReader
from everlore.postgres.opening import open_server
from everlore.stores.base import Index
from everlore.stores.buffer import Buffer
from everlore.stores.sqlite.buffer import SqliteBuffer
from everlore.stores.sqlite.index import SqliteIndex
from everlore.vault.base import Vault
from everlore.vault.folder import SYSTEM, FolderVault

if TYPE_CHECKING:
    from everlore.postgres.server import Server


class Part(Protocol):
    def close(self) -> None: ...


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
    vault: Vault
    buffer: Buffer
    index: Index
    embedder: Embedder
    cache: Cache
    media: MediaReader
    llm: ChatModel | None = None
    """The language model, where one is configured."""
    server: Server | None = None
    """The database, when everything is in PostgreSQL."""
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
        if self.server is not None:
            self.server.close()


ON_POSTGRES = {
    "vault": "everlore.vault.postgres:PostgresVault",  # first: on a cluster, other tables are laid beside its own
    "cache": "everlore.models.shared_cache:SharedCache",
    "buffer": "everlore.stores.postgres.buffer:PostgresBuffer",
    "index": "everlore.stores.postgres.index:PostgresIndex",
}
"""Parts that need the packages of an extra: each is made of the server."""


def open_engine(settings: Settings) -> Engine:
    """On PostgreSQL when a URL of one is set, else on the folder of the vault."""
    server = open_server(settings)
    if server is not None:
        try:
            return _engine(settings, server=server, **{part: load(made)(server) for part, made in ON_POSTGRES.items()})
        except BaseException:
            server.close()
            raise
    vault = FolderVault(settings.memory.root)
    system = vault.root / SYSTEM
    cache = EmbeddingCache(system / "embeddings.db")
    index = SqliteIndex(system / "index.db")
    return _engine(settings, vault=vault, cache=cache, buffer=SqliteBuffer(system / "state.db"), index=index)


def _engine(
    settings: Settings, *, vault: Vault, cache: Cache, buffer: Buffer, index: Index, server: Server | None = None
) -> Engine:
    return Engine(
        settings=settings,
        clock=Clock(settings.memory.timezone),
        vault=vault,
        buffer=buffer,
        index=index,
        embedder=CachedEmbedder(make_embedder(settings.embedding), cache),
        cache=cache,
        media=MediaReader(settings.multimodal, make_seer(settings.multimodal)),
        llm=make_llm(settings.llm),
        server=server,
    )
