"""Whether there is a database, and opening it. Loads the packages for PostgreSQL only where they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlore.config import Settings
from everlore.extras import load, require

if TYPE_CHECKING:
    from everlore.postgres.server import Server


def open_server(settings: Settings) -> Server | None:
    """None when everything is in files."""
    store = settings.store
    if not store.url.get_secret_value():
        return None
    require("postgres")
    server: Server = load("everlore.postgres.server:Server")(
        store.url.get_secret_value(),
        schema=store.namespace,
        pool_size=store.pool_size,
        idle_seconds=store.idle_ms / 1000,
        query_ms=store.query_ms,
    )
    return server
