"""Servers behind a proxy that pools transactions: fewer sessions than threads, and none of them is anybody's."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from databases import Postgres, new_schema
from embeddings import Endpoint
from vaults import ALICE, SCOPE, assert_index_equals_files, open_vault, says

from bench.servers import Missing, pooled
from everlore.engine import Engine
from everlore.memory import flush, listing, remember
from everlore.search import Query, recall
from everlore.search.recipes import HYBRID

SESSIONS = 3
TOWNS = ["Porto", "Lisbon", "Braga", "Faro", "Evora", "Coimbra", "Aveiro", "Viseu"]


@pytest.fixture
def url(database: Postgres) -> Iterator[str]:
    name = database.database().rpartition("/")[2]
    try:
        with pooled(database, name, SESSIONS) as found:
            yield found
    except Missing as error:
        pytest.skip(f"NOT TESTED: {error}")


def test_two_servers_share_three_sessions(url: str, database: Postgres, tmp_path: Path, vectors: Endpoint) -> None:
    schema = new_schema()
    engines = [
        open_vault(tmp_path / str(number), vectors.url, store={"url": url, "schema": schema, "query_ms": 60_000})
        for number in range(2)
    ]

    def tell(number: int) -> None:
        engine: Engine = engines[number % 2]
        remember(engine, SCOPE, f"s{number}", [says(f"My cousin number {number} moved to {TOWNS[number]}.")])
        flush(engine, SCOPE, f"s{number}")
        assert recall(engine, Query(ALICE, f"Who moved to {TOWNS[number]}?", 5), HYBRID).hits["episode"]

    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(tell, range(len(TOWNS))))
        for engine in engines:
            assert listing(engine, ALICE, "episode").total == len(TOWNS)
            assert_index_equals_files(engine)
    finally:
        for engine in engines:
            engine.close()
    direct = database.url(url.rpartition("/")[2])
    with psycopg.connect(direct) as connection:
        held = connection.execute(
            "SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'),"
            " (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'),"
            " (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid())"
        ).fetchone()
        assert held is not None
        assert held[:2] == (0, 0)
        assert held[2] <= SESSIONS
