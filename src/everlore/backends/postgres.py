"""Everything in one schema of a PostgreSQL, plain or a Citus cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from everlore.accounts.postgres import open_tables
from everlore.accounts.store import Accounts
from everlore.accounts.takeover import taken_over
from everlore.backends.base import local_code_index
from everlore.backends.files import ACCOUNTS
from everlore.config import Settings
from everlore.models.shared_cache import SharedCache
from everlore.postgres.server import Server
from everlore.stores.base import Index
from everlore.stores.postgres.buffer import PostgresBuffer
from everlore.stores.postgres.index import open_index
from everlore.vault.folder import SYSTEM
from everlore.vault.postgres import PostgresVault


class PostgresBackend:
    def __init__(self, settings: Settings) -> None:
        self._root = settings.memory.root
        store = settings.store
        self.server = Server(
            store.url.get_secret_value(),
            schema=store.namespace,
            pool_size=store.pool_size,
            idle_seconds=store.idle_ms / 1000,
            query_ms=store.query_ms,
            read_url=store.read_url.get_secret_value(),
        )

    def vault(self) -> PostgresVault:
        return PostgresVault(self.server)

    def buffer(self) -> PostgresBuffer:
        return PostgresBuffer(self.server)

    def index(self) -> Index:
        return open_index(self.server)

    def cache(self) -> SharedCache:
        return SharedCache(self.server)

    def accounts(self, say: Callable[[str], None]) -> Accounts:
        """Those that were kept in a file before are taken over."""
        tables, file = open_tables(self.server), self._root / SYSTEM / ACCOUNTS
        if file.exists():
            with self.server.lock("accounts"):
                said = taken_over(file, tables)
            if said:
                say(said)
        return Accounts(tables)

    def code_index(self) -> Index:
        return local_code_index(self._root)

    def damage(self, part: Literal["index", "cache"]) -> str:
        del part  # the database looks after its own pages
        return ""

    def put_aside(self) -> list[str]:
        return []

    def distribute(self) -> tuple[str, list[str]]:
        open_tables(self.server)  # those of accounts are spread too
        return self.server.where, self.server.distribute()

    def tidy(self) -> list[str]:
        return self.server.tidy()

    def close(self) -> None:
        self.server.close()
