"""One suite for each protocol, over every backend that is registered, the tests' own among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from databases import Postgres, emptied, new_schema, opened
from memory_backend import MemoryBackend
from memory_index import State
from memory_search import open_index as open_in_memory
from stored import Time

from everlore.backends.registry import BACKENDS
from everlore.postgres.server import Server
from everlore.stores.base import Index
from everlore.stores.buffer import Buffer
from everlore.stores.postgres.buffer import PostgresBuffer
from everlore.stores.postgres.index import open_index as open_postgres
from everlore.stores.sqlite.buffer import SqliteBuffer
from everlore.stores.sqlite.index import open_index as open_sqlite
from everlore.vault.base import Vault
from everlore.vault.folder import FolderVault
from everlore.vault.postgres import PostgresVault

STORES = ["sqlite", "postgres"]
INDEXES = {"": "sqlite", "postgresql": "postgres", "memory": "memory"}
"""How each of the registered backends is called here."""
assert MemoryBackend.__name__ in BACKENDS["memory"]
assert set(INDEXES) == set(BACKENDS), "a backend that is registered keeps what the contract promises"


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture(scope="session")
def tables(database: Postgres) -> Iterator[Server]:
    with opened(database.url(), new_schema()) as server:
        PostgresVault(server)
        PostgresBuffer(server)
        open_postgres(server)
        yield server


@pytest.fixture(params=INDEXES.values())
def open_index(request: pytest.FixtureRequest, tmp_path: Path, time: Time) -> Iterator[Callable[[], Index]]:
    """Opens the same index again and again, as several processes would."""
    made: list[Index] = []
    server = emptied(request.getfixturevalue("tables")) if request.param == "postgres" else None
    state = State()

    def make() -> Index:
        if request.param == "memory":
            made.append(open_in_memory(state, time))
        elif server is not None:
            made.append(open_postgres(server, now=time))
        else:
            made.append(open_sqlite(tmp_path / ".everlore" / "index.db", now=time))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def index(open_index: Callable[[], Index]) -> Index:
    return open_index()


@pytest.fixture(params=STORES)
def open_buffer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Buffer]]:
    made: list[Buffer] = []
    server = emptied(request.getfixturevalue("tables")) if request.param == "postgres" else None

    def make() -> Buffer:
        if server is not None:
            made.append(PostgresBuffer(server))
        else:
            made.append(SqliteBuffer(tmp_path / ".everlore" / "state.db"))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def buffer(open_buffer: Callable[[], Buffer]) -> Buffer:
    return open_buffer()


@pytest.fixture(params=["folder", "postgres"])
def open_vault(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Vault]:
    server = emptied(request.getfixturevalue("tables")) if request.param == "postgres" else None
    return lambda: FolderVault(tmp_path / "vault") if server is None else PostgresVault(server)


@pytest.fixture
def vault(open_vault: Callable[[], Vault]) -> Vault:
    return open_vault()
