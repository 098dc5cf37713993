"""Everything in the folder of the vault: markdown, and SQLite files beside it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from everlore.accounts.store import Accounts
from everlore.accounts.tables import open_file
from everlore.backends.base import local_code_index
from everlore.config import Settings
from everlore.errors import Misconfigured
from everlore.models.cache import EmbeddingCache
from everlore.stores.base import Index
from everlore.stores.sqlite.buffer import SqliteBuffer
from everlore.stores.sqlite.canonical import Canonical
from everlore.stores.sqlite.checks import damage
from everlore.stores.sqlite.index import open_index
from everlore.vault.disk import LARGEST
from everlore.vault.folder import SYSTEM, FolderVault

ACCOUNTS = "accounts.db"
BUFFER = "state.db"
INDEX = "index.db"
CACHE = "embeddings.db"


def open_files(settings: Settings) -> FilesBackend:
    memory = settings.memory
    return FilesBackend(memory.root, memory.max_file_bytes, shared=memory.shared)


class FilesBackend:
    def __init__(self, root: Path, largest: int = LARGEST, *, shared: bool = False) -> None:
        self._vault = FolderVault(root, largest, shared=shared)
        self._system = self._vault.root / SYSTEM
        self._canonical = Canonical(self._system)

    def vault(self) -> FolderVault:
        return self._vault

    def buffer(self) -> SqliteBuffer:
        return SqliteBuffer(self._system / BUFFER)

    def has_buffer(self) -> bool:
        """Opening it would make it."""
        return (self._system / BUFFER).exists()

    def index(self) -> Index:
        return open_index(self._system / INDEX)

    def cache(self) -> EmbeddingCache:
        return EmbeddingCache(self._system / CACHE)

    def accounts(self, say: Callable[[str], None]) -> Accounts:
        del say  # nothing to be told
        file = open_file(self._system / ACCOUNTS)
        return Accounts(file, close=file.close)

    def code_index(self) -> Index:
        return local_code_index(self._vault.root)

    def damage(self, part: Literal["index", "cache"]) -> str:
        file = self._system / (INDEX if part == "index" else CACHE)
        why = damage(file)
        return f"{file.name} is damaged ({why})" if why else ""

    def troubles(self, *, thoroughly: bool = False) -> list[str]:
        return self._canonical.troubles(thoroughly=thoroughly)

    def repair(self) -> list[str]:
        return self._canonical.repair(time.strftime("%Y%m%dT%H%M%S", time.gmtime()))

    def put_aside(self) -> list[str]:
        return [f"{SYSTEM}/{file.name}" for file in sorted(self._system.glob("*.damaged*"))]

    def distribute(self) -> tuple[str, list[str]]:
        raise Misconfigured("this store is a folder; only a PostgreSQL (EVEROS_STORE__URL) can be distributed")

    def tidy(self) -> list[str]:
        return []  # a newer version takes the place of an older one

    def close(self) -> None:
        """Each file is closed by whoever opened it."""
