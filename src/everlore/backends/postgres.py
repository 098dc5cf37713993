"""Everything in one schema of a PostgreSQL, plain or a Citus cluster."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

from everlore.accounts.store import Accounts
from everlore.accounts.tables import TABLES, steps
from everlore.accounts.takeover import taken_over
from everlore.backends.base import local_code_index
from everlore.backends.files import ACCOUNTS
from everlore.config import Settings
from everlore.models.shared_cache import SharedCache
from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.stores.base import Index
from everlore.stores.postgres.buffer import PostgresBuffer
from everlore.stores.postgres.index import open_index
from everlore.stores.sqlite.canonical import Canonical
from everlore.vault.folder import SYSTEM
from everlore.vault.postgres import PostgresVault

SHARED_ACCOUNTS = Part("accounts", steps("bigserial"), dict.fromkeys(TABLES, "local"))
"""Few and asked for by every request, so a cluster keeps them on its coordinator, where requests come in: who may ask
does not depend on any other node."""


class PostgresBackend:
    def __init__(self, settings: Settings) -> None:
        self._root = settings.memory.root
        self._local = Canonical(self._root / SYSTEM)  # of code and dispatched calls
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
        self.server.prepare(SHARED_ACCOUNTS)
        file = self._root / SYSTEM / ACCOUNTS
        if file.exists():
            with self.server.lock("accounts"):
                said = taken_over(file, self.server)
            if said:
                say(said)
        return Accounts(self.server)

    def code_index(self) -> Index:
        return local_code_index(self._root)

    def damage(self, part: Literal["index", "cache"]) -> str:
        del part  # the database looks after its own pages
        return ""

    def troubles(self, *, thoroughly: bool = False) -> list[str]:
        local = self._local.troubles(thoroughly=thoroughly)
        gone = ", ".join(self.server.missing())
        return local + (
            [f"tables are missing in {self.server.where}: {gone}; restore them from a backup"] if gone else []
        )

    def repair(self) -> list[str]:
        """Tables are the work of the database's own tools."""
        return self._local.repair(time.strftime("%Y%m%dT%H%M%S", time.gmtime()))

    def put_aside(self) -> list[str]:
        return []

    def distribute(self) -> tuple[str, list[str]]:
        self.server.prepare(SHARED_ACCOUNTS)  # which are spread too
        return self.server.where, self.server.distribute()

    def tidy(self) -> list[str]:
        return self.server.tidy()

    def close(self) -> None:
        self.server.close()
