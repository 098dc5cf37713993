"""Two servers that have nothing to do ask the database for next to nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from databases import QUICK, Postgres, postgres
from embeddings import Endpoint
from serving import Api, Server, running

SECONDS = 25.0
STARTED = 5.0


@pytest.fixture(scope="module")
def logging() -> Iterator[Postgres]:
    """A database that writes down every statement and every error."""
    with postgres(*QUICK, "logging_collector=on", "log_statement=all", "log_line_prefix=%d ") as server:
        yield server


def said(database: Postgres, name: str) -> list[str]:
    """What was written down of this database."""
    text = str(database.run("SELECT pg_read_file(pg_current_logfile())")[0][0])
    return [line for line in text.splitlines() if line.startswith(f"{name} ")]


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
    began, before = time.monotonic(), len(said(logging, name))
    time.sleep(SECONDS)
    sent = said(logging, name)[before:]
    seconds = time.monotonic() - began
    assert len([line for line in sent if " LOG:  " in line]) < seconds, "\n".join(sent)
    assert [line for line in said(logging, name) if " ERROR: " in line or " FATAL: " in line] == []
