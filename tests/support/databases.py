"""A real PostgreSQL with pgvector for tests, and schemas of one's own in it."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator

import clusters
import pytest

from bench.servers import Postgres, postgres
from everlore.postgres.server import Server
from everlore.postgres.statements import Connection
from everlore.vault.postgres import PART as vault_tables

QUICK = ("fsync=off", "full_page_writes=off", "shared_buffers=64MB", "max_connections=150", "jit=off")
"""The tests kill our processes, not the database."""

__all__ = ["QUICK", "Postgres", "emptied", "new_schema", "on_both_stores", "opened", "postgres"]


def on_both_stores(metafunc: pytest.Metafunc, fixture: str) -> None:
    """Every test that uses this fixture runs on both, but for tests that look at the files themselves."""
    if fixture in metafunc.fixturenames:
        files = metafunc.definition.get_closest_marker("looks_at_files")
        stores = ["folder"] if files else ["folder", "postgres"]
        metafunc.parametrize(fixture, stores, indirect=True, scope="session")


def new_schema() -> str:
    return clusters.distributed(f"s_{uuid.uuid4().hex[:12]}")


def emptied(server: Server) -> Server:
    """As if its tables had just been made, which takes longer. Models keep their numbers: each has an index."""

    def work(connection: Connection) -> None:
        for table in (table for part in server.parts() for table in part.tables if table != "models"):
            connection.run(f"DELETE FROM {table}")  # for a few rows, quicker than TRUNCATE
        if any("models" in part.tables for part in server.parts()):
            connection.execute("UPDATE models SET current = false")

    server.write(work)
    return server


@contextlib.contextmanager
def opened(url: str, schema: str) -> Iterator[Server]:
    server = Server(url, schema=schema)
    try:
        if clusters.CITUS:
            server.prepare(vault_tables)  # first, as the engine does: other tables are laid beside its own
        yield server
    finally:
        server.close()
