"""Fixtures that more than one package's tests use."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest
from clusters import CITUS, cluster
from databases import QUICK, Postgres, postgres
from embeddings import Endpoint, endpoint
from keeping import Kept
from serving import Api, Server, running
from vaults import open_vault

from everlore.engine import Engine

# a runner in the background ignores Ctrl-C, and the servers it starts would inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)

Start = Callable[..., Server]


@pytest.fixture(scope="session")
def lasting() -> Iterator[Kept]:
    with ExitStack() as until_the_end:
        yield Kept(until_the_end)


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, lasting: Kept) -> Server:
    """One server for all tests that keep to their own scope; on the folder, if the tests do not say otherwise."""
    store = getattr(request, "param", "folder")

    def start() -> AbstractContextManager[Server]:
        env: dict[str, str] = {}
        if store == "postgres":
            database: Postgres = request.getfixturevalue("database")
            env = {"DATABASE_URL": database.database()}
        return running(tmp_path_factory.mktemp("vault") / "root", env)

    return lasting.get(("server", store), start)


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
def vectors(lasting: Kept) -> Endpoint:
    """An embedder that loads nothing."""
    return lasting.get("vectors", endpoint)


@pytest.fixture
def engine(tmp_path: Path, vectors: Endpoint) -> Iterator[Engine]:
    """An engine on an empty vault; nothing runs in the background."""
    opened = open_vault(tmp_path / "vault", vectors.url)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def database(lasting: Kept) -> Postgres:
    """One PostgreSQL, or the cluster that is named for it, for all tests of a worker; each test takes a schema or a
    database of its own in it."""
    return lasting.get("database", cluster if CITUS else lambda: postgres(*QUICK))
