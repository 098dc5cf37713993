"""Two servers that have nothing to do ask the database for next to nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from databases import Postgres
from embeddings import Endpoint
from logged import logged, logging_database
from serving import Api, Server, running

SECONDS = 25.0
STARTED = 5.0


@pytest.fixture(scope="module")
def logging() -> Iterator[Postgres]:
    with logging_database() as server:
        yield server


@pytest.fixture
def servers(logging: Postgres, vectors: Endpoint, tmp_path: Path) -> Iterator[tuple[str, Server, Server]]:
    url = logging.database()
    env = {
        "EVEROS_STORE__URL": url,
        "EVEROS_EMBEDDING__BASE_URL": vectors.url,
        "EVEROS_EMBEDDING__MODEL": "test",
        "EVEROS_EMBEDDING__DIMENSION": "64",
    }
    with ExitStack() as stack:
        one, two = (stack.enter_context(running(tmp_path / name, env)) for name in ("one", "two"))
        yield url, one, two


def test_two_idle_servers_send_less_than_a_statement_a_second(
    servers: tuple[str, Server, Server], logging: Postgres
) -> None:
    url, one, _ = servers
    Api(one.client, one.root).tell("s1", "My sister Maria moved to Porto.")
    name = url.rpartition("/")[2]
    time.sleep(STARTED)  # what is left to do after a start and a write
    began, before = time.monotonic(), len(logged(logging, name))
    time.sleep(SECONDS)
    sent = logged(logging, name)[before:]
    seconds = time.monotonic() - began
    assert len([line for line in sent if " LOG:  " in line]) < seconds, "\n".join(sent)
    assert [line for line in logged(logging, name) if " ERROR: " in line or " FATAL: " in line] == []
