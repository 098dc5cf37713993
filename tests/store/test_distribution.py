"""On a real Citus cluster: one call spreads the tables, and what belongs to an owner is asked of one group of shards.

What a cluster is asked is not estimated: it tells every command that it sends to a node, and the tests read which
shards these name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from clusters import Cluster, cluster, needs_citus
from embeddings import Endpoint
from keeping import Kept
from psycopg.errors import Diagnostic
from vaults import ALICE, SCOPE, assert_index_equals_files, open_vault, says

from everlore.engine import Engine
from everlore.memory import flush, forget, held, history, listing, remember
from everlore.postgres.tenants import digest128, owner_uuid, tenant_of
from everlore.search import Query, recall
from everlore.search.recipes import AGENTIC, HYBRID, KEYWORD, VECTOR

pytestmark = needs_citus

SAID = ("My sister Maria moved to Porto.", "Maria works at the harbour.", "I moved from Graz to Ghent in May.")


@pytest.fixture(scope="module")
def nodes(lasting: Kept) -> Cluster:
    return lasting.get("database", cluster)


class Commands:
    """What the coordinator sent to its workers since it was last asked."""

    def __init__(self) -> None:
        self._said: list[str] = []

    def heard(self, message: Diagnostic) -> None:
        text = message.message_primary or ""
        if text.startswith("issuing "):
            self._said.append(text)

    def during(self, work: Callable[[], object]) -> list[str]:
        self._said.clear()
        work()
        return [said for said in self._said if re.search(r"_\d{6,}", said)]


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Commands:
    told, before = Commands(), psycopg.BaseConnection.__init__

    def listening(self: psycopg.Connection, pgconn: psycopg.pq.abc.PGconn) -> None:
        before(self, pgconn)
        self.add_notice_handler(told.heard)

    monkeypatch.setattr(psycopg.BaseConnection, "__init__", listening)
    return told


@pytest.fixture
def engine(tmp_path: Path, vectors: Endpoint, nodes: Cluster, commands: Commands) -> Iterator[Engine]:
    url = nodes.database(distributed=False)
    name = url.rpartition("/")[2]
    engine = open_vault(tmp_path, vectors.url, store={"url": url})
    assert commands
    try:
        yield engine
    finally:
        engine.close()
        nodes.drop(name)


def test_an_owner_is_asked_of_one_group_of_shards(engine: Engine, commands: Commands, nodes: Cluster) -> None:
    assert engine.backend.distribute()[1]
    engine.embedder.warm()
    url = engine.settings.store.url.get_secret_value()
    group = _groups(url)
    with psycopg.connect(url, autocommit=True) as connection:
        name = url.rpartition("/")[2]
        connection.execute(f"ALTER DATABASE {name} SET citus.log_remote_commands = on".encode())
        connection.execute(f"ALTER DATABASE {name} SET client_min_messages = log".encode())
    root = Path(engine.settings.memory.root)
    engine.close()
    engine = open_vault(root, engine.settings.embedding.base_url, store={"url": url})

    def asked(work: Callable[[], object]) -> set[int]:
        shards = {int(shard) for said in commands.during(work) for shard in re.findall(r"_(\d{6,})\b", said)}
        return {group[shard] for shard in shards if shard in group}

    mine = _group_of(url, tenant_of(owner_uuid(ALICE)))
    session = _group_of(url, tenant_of(digest128(SCOPE.app, SCOPE.project, "s1")))
    try:
        remember(engine, SCOPE, "s0", [says("Hello.")])
        flush(engine, SCOPE, "s0")
        recall(engine, Query(ALICE, "Hello", 5), HYBRID)
        messages = [says(text, at=1_780_000_000_000 + at) for at, text in enumerate(SAID)]
        assert asked(lambda: remember(engine, SCOPE, "s1", messages)) == {session}
        assert asked(lambda: flush(engine, SCOPE, "s1")) == {mine, session}
        for recipe in (KEYWORD, VECTOR, HYBRID, AGENTIC):
            found = asked(lambda recipe=recipe: recall(engine, Query(ALICE, "Where does Maria live?", 5), recipe))  # type: ignore[misc]
            assert found == {mine}, recipe.name
        rows = listing(engine, ALICE, "episode").rows
        assert asked(lambda: listing(engine, ALICE, "episode")) == {mine}
        assert asked(lambda: held(engine, ALICE)) == {mine}
        assert asked(lambda: history(engine, ALICE, rows[0].key.public_id)) <= {mine}
        assert asked(lambda: forget(engine, ALICE, rows[0].key.public_id)) <= {mine, session}
        assert_index_equals_files(engine)
    finally:
        engine.close()


def _groups(url: str) -> dict[int, int]:
    """The group that each shard belongs to, by its lowest value: shards of one group lie on one node, for ever."""
    select = "SELECT shardid, shardminvalue::int FROM pg_dist_shard WHERE shardminvalue IS NOT NULL"
    with psycopg.connect(url) as connection:
        return dict(connection.execute(select).fetchall())


def _group_of(url: str, tenant: int) -> int:
    with psycopg.connect(url) as connection:
        select = "SELECT get_shard_id_for_distribution_column('everlore.documents', %s)"
        found = connection.execute(select, (tenant,)).fetchone()
    assert found
    return _groups(url)[found[0]]
