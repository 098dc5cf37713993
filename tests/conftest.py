"""Fixtures that more than one package's tests use."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from databases import QUICK, Postgres, postgres
from embeddings import Endpoint, endpoint
from serving import Api, Server, running
from vaults import open_vault

from everlore.engine import Engine

# a runner in the background ignores Ctrl-C, and the servers it starts would inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)

Start = Callable[..., Server]


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that keep to their own scope; on the folder, if the tests do not say otherwise."""
    env: dict[str, str] = {}
    if getattr(request, "param", "folder") == "postgres":
        database: Postgres = request.getfixturevalue("database")
        env = {"DATABASE_URL": database.database()}
    with running(tmp_path_factory.mktemp("vault") / "root", env) as started:
        yield started


@pytest.fixture
def api(server: Server) -> Api:
    return Api(server.client, server.root)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a server of one's own, with settings of one's own. The second call gets the same vault."""
    with ExitStack() as servers:

        def launch(env: Mapping[str, str] | None = None, args: Sequence[str] = ()) -> Server:
            return servers.enter_context(running(tmp_path / "root", env, args))

        yield launch


@pytest.fixture(scope="session")
def vectors() -> Iterator[Endpoint]:
    """An embedder that loads nothing."""
    with endpoint() as served:
        yield served


@pytest.fixture
def engine(tmp_path: Path, vectors: Endpoint) -> Iterator[Engine]:
    """An engine on an empty vault; nothing runs in the background."""
    opened = open_vault(tmp_path / "vault", vectors.url)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def database() -> Iterator[Postgres]:
    """One PostgreSQL for all tests of a worker; each test takes a schema or a database of its own in it."""
    with postgres(*QUICK) as running_database:
        yield running_database
