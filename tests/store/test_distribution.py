"""On a real Citus cluster: one call spreads the tables, and what belongs to an owner is asked of one group of shards.

What a cluster is asked is not estimated: it tells every command that it sends to a node, and the tests read which
shards these name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from clusters import Cluster, cluster, needs_citus
from embeddings import Endpoint
from keeping import Kept
from psycopg.errors import Diagnostic
from vaults import ALICE, MAY_28, SCOPE, assert_index_equals_files, open_vault, says

from everlore.engine import Engine
from everlore.memory import flush, forget, held, history, listing, remember
from everlore.search import Query, recall
from everlore.search.recipes import AGENTIC, HYBRID, KEYWORD, SEARCH, VECTOR
from everlore.sync.upkeep import index_changes
from everlore.tenants import digest128, owner_uuid, tenant_of
from everlore.types import Owner

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


def open_on(nodes: Cluster, tmp_path: Path, vectors: Endpoint, url: str = "") -> Engine:
    return open_vault(tmp_path, vectors.url, store={"url": url or nodes.database(distributed=False)})


def database_of(engine: Engine) -> str:
    return engine.settings.store.url.get_secret_value()


def ask(url: str, statement: str, *values: object) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode(), values or None)
        return cursor.fetchall() if cursor.description else []


def spread(engine: Engine) -> list[str]:
    return engine.backend.distribute()[1]


def tell(engine: Engine, session: str, *said: str, sender: str = "alice") -> None:
    remember(engine, SCOPE, session, [says(text, sender, MAY_28 + at) for at, text in enumerate(said)])
    assert flush(engine, SCOPE, session)


@pytest.mark.parametrize("filled", [False, True])
def test_one_call_spreads_all_tables_and_leaves_no_copy_behind(
    *, filled: bool, nodes: Cluster, tmp_path: Path, vectors: Endpoint
) -> None:
    engine = open_on(nodes, tmp_path, vectors)
    url = database_of(engine)
    try:
        if filled:
            tell(engine, "s0", *SAID)
            tell(engine, "s0b", "I keep bees.", sender="bob")
        done = spread(engine)
        assert len(done) == 2 * ask(url, "SELECT count(*) FROM citus_tables")[0][0]
        assert spread(engine) == []
        tell(engine, "s1", "My sister Maria moved to Porto.")
        assert recall(engine, Query(ALICE, "Where does Maria live?", 5), HYBRID).hits["episode"]
        assert listing(engine, ALICE, "episode").total == 1 + filled
        assert_index_equals_files(engine)
        local = ask(url, "SELECT logicalrelid::text FROM pg_dist_partition WHERE pg_relation_size(logicalrelid) > 0")
        assert local == [], "the coordinator keeps nothing of what is on the nodes"
        told = ask(
            url,
            "SELECT t.relname FROM pg_dist_partition p JOIN pg_class t ON t.oid = p.logicalrelid WHERE NOT EXISTS"
            " (SELECT 1 FROM pg_index i WHERE i.indrelid = t.oid AND i.indisprimary)",
        )
        assert told == [], "a shard is moved while it is written to only if its rows have keys"
    finally:
        engine.close()
        nodes.drop(url.rpartition("/")[2])


def test_a_new_version_on_a_cluster_spreads_what_it_adds(nodes: Cluster, tmp_path: Path, vectors: Endpoint) -> None:
    """As if the tables of the newest version of the buffer and of the index were not there yet."""
    engine = open_on(nodes, tmp_path, vectors)
    url = database_of(engine)
    try:
        spread(engine)
        tell(engine, "s0", *SAID)
        home = ask(url, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'everlore%%index%%'")[0][0]
        ask(url, f"DROP SCHEMA {home} CASCADE")
        ask(url, "DROP TABLE everlore.accepted")
        ask(url, "DELETE FROM everlore.versions WHERE part LIKE 'index%%'")
        ask(url, "UPDATE everlore.versions SET version = 2 WHERE part = 'buffer'")
        engine.close()
        engine = open_on(nodes, tmp_path, vectors, url)
        index_changes(engine)
        tell(engine, "s1", "My sister Maria lives in Porto now.")
        assert listing(engine, ALICE, "episode").total == 2
        groups = ask(url, "SELECT DISTINCT colocation_id FROM citus_tables WHERE citus_table_type = 'distributed'")
        assert len(groups) == 1
        assert_index_equals_files(engine)
    finally:
        engine.close()
        nodes.drop(url.rpartition("/")[2])


def test_an_owner_is_asked_of_one_group_of_shards(
    nodes: Cluster, commands: Commands, tmp_path: Path, vectors: Endpoint
) -> None:
    engine = open_on(nodes, tmp_path, vectors)
    url = database_of(engine)
    name = url.rpartition("/")[2]
    spread(engine)
    engine.close()
    for setting in ("citus.log_remote_commands = on", "client_min_messages = log"):
        ask(url, f"ALTER DATABASE {name} SET {setting}")
    engine = open_on(nodes, tmp_path, vectors, url)
    group = dict(ask(url, "SELECT shardid, shardminvalue::int FROM pg_dist_shard WHERE shardminvalue IS NOT NULL"))

    def group_of(tenant: int) -> int:
        shard = ask(url, "SELECT get_shard_id_for_distribution_column('everlore.documents', %s)", tenant)
        return int(group[shard[0][0]])

    def asked(work: Callable[[], object]) -> set[int]:
        """The groups of shards that are asked; shards of one group lie on one node, for ever."""
        found = {int(shard) for said in commands.during(work) for shard in re.findall(r"_(\d{6,})\b", said)}
        return {group[shard] for shard in found if shard in group}

    mine = group_of(tenant_of(owner_uuid(ALICE)))
    session = group_of(tenant_of(digest128(SCOPE.app, SCOPE.project, "s1")))
    try:
        tell(engine, "s0", "Hello, I am Alice.")
        recall(engine, Query(ALICE, "Hello", 5), HYBRID)
        messages = [says(text, at=MAY_28 + at) for at, text in enumerate(SAID)]
        assert asked(lambda: remember(engine, SCOPE, "s1", messages)) == {session}
        assert asked(lambda: flush(engine, SCOPE, "s1")) == {mine, session}
        for recipe in (KEYWORD, VECTOR, HYBRID, AGENTIC):
            asking = partial(recall, engine, Query(ALICE, "Where does Maria live?", 5), recipe)
            assert asked(asking) == {mine}, recipe.name
        episode, *_ = listing(engine, ALICE, "episode").rows
        for reading in (
            partial(listing, engine, ALICE, "episode"),
            partial(held, engine, ALICE),
            partial(history, engine, ALICE, episode.key.public_id),
        ):
            assert asked(reading) == {mine}
        took_part = group_of(tenant_of(owner_uuid(Owner(SCOPE, "agent", ALICE.id))))
        assert asked(lambda: forget(engine, ALICE, episode.key.public_id)) == {mine, session, took_part}
        everyone = Query(None, "Where does Maria live?", 5, scope=SCOPE)
        for said in commands.during(lambda: recall(engine, everyone, SEARCH)):
            assert "read_intermediate_result" not in said, "it is pushed down"
        assert_index_equals_files(engine)
    finally:
        engine.close()
        nodes.drop(name)
