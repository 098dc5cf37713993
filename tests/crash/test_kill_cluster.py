"""Nodes of a real Citus cluster die, and shards move, under load: others go on, nothing accepted is lost or doubled.

Needs more than a cluster: `EVERLORE_TEST_CITUS_CONTROL` is a command that is called with `kill` or `start` and the port
of a node, and does so at once; `EVERLORE_TEST_CITUS_SPARE` is host:port of one more node, which no database knows yet.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from clusters import Cluster, cluster, needs_citus
from embeddings import Endpoint
from gates import quick
from keeping import Kept
from serving import Server, running
from vaults import MAY_28, SCOPE, assert_index_equals_files, open_vault

from everlore.memory import recover
from everlore.sync.upkeep import index_changes
from everlore.tenants import digest128, owner_uuid, tenant_of
from everlore.types import Owner

CONTROL = os.environ.get("EVERLORE_TEST_CITUS_CONTROL", "")
SPARE = os.environ.get("EVERLORE_TEST_CITUS_SPARE", "")
WORD = re.compile(r"\bw\dx\d+")
KILLS = 6
WRITERS = 3

pytestmark = [
    needs_citus,
    pytest.mark.skipif(not CONTROL, reason="NOT TESTED: set EVERLORE_TEST_CITUS_CONTROL to a command that kills nodes"),
]


def control(what: str, port: int) -> None:
    subprocess.run([CONTROL, what, str(port)], check=True, capture_output=True, timeout=240)


class Site:
    """A server on a distributed database, and where things lie in it."""

    def __init__(self, server: Server, url: str) -> None:
        self.server, self.url = server, url

    def post(self, verb: str, seconds: float = 60.0, **body: Any) -> httpx.Response:
        return self.server.client.post(f"/api/v1/memory/{verb}", json=body, timeout=seconds)

    def add(self, session: str, sender: str, text: str, at: int) -> httpx.Response:
        message = {"sender_id": sender, "role": "user", "timestamp": MAY_28 + at, "content": text}
        return self.post("add", session_id=session, messages=[message])

    def port_of(self, tenant: int) -> int:
        with psycopg.connect(self.url, autocommit=True) as connection:
            found = connection.execute(
                "SELECT n.nodeport FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid) WHERE p.shardid ="
                " get_shard_id_for_distribution_column('everlore.documents', %s)",
                (tenant,),
            ).fetchone()
        assert found
        return int(found[0])

    def person_on(self, port: int) -> tuple[str, str]:
        """Somebody who is on this node, with a session that is."""
        names = (f"p{number}" for number in range(1000))
        name = next(n for n in names if self.port_of(tenant_of(owner_uuid(Owner(SCOPE, "user", n)))) == port)
        sessions = (f"{name}-s{number}" for number in range(1000))
        return name, next(
            s for s in sessions if self.port_of(tenant_of(digest128(SCOPE.app, SCOPE.project, s))) == port
        )


@pytest.fixture
def nodes(lasting: Kept) -> Cluster:
    return lasting.get("database", cluster)


@pytest.fixture
def site(nodes: Cluster, tmp_path: Path, vectors: Endpoint) -> Iterator[Site]:
    url = nodes.database()
    with running(tmp_path / "root", {"DATABASE_URL": url} | quick(vectors)) as server:
        yield Site(server, url)
    nodes.drop(url.rpartition("/")[2])


class Writers:
    """Each sends one message after the other to a session of its own, again and again until it is accepted."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.accepted: list[list[str]] = [[] for _ in range(WRITERS)]
        self.refused: Counter[int] = Counter()
        self.slowest = 0.0
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(number,)) for number in range(WRITERS)]

    def __enter__(self) -> Writers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(120)

    def more(self, count: int) -> None:
        """Wait until so many more are accepted."""
        wanted, deadline = sum(map(len, self.accepted)) + count, time.monotonic() + 120
        while sum(map(len, self.accepted)) < wanted:
            assert time.monotonic() < deadline, f"nothing is accepted any more: {self.refused}"
            time.sleep(0.02)

    def _write(self, number: int) -> None:
        name = f"w{number}"
        while not self._stop.is_set():
            at = len(self.accepted[number])
            word = f"{name}x{at}"
            while True:
                began = time.monotonic()
                try:
                    status = self.site.add(f"{name}-{at // 5}", name, f"I bought the {word} today.", at).status_code
                    if status == 200 and at % 5 == 4:
                        status = self.site.post("flush", session_id=f"{name}-{at // 5}").status_code
                except httpx.HTTPError:
                    status = 0
                if status == 200:
                    self.slowest = max(self.slowest, time.monotonic() - began)
                    self.accepted[number].append(word)
                    break
                self.refused[status] += 1
                if self._stop.is_set():
                    return
                time.sleep(0.1)


def assert_all_is_there_once(writers: Writers, tmp_path: Path, vectors: Endpoint) -> None:
    engine = open_vault(tmp_path / "again", vectors.url, store={"url": writers.site.url})
    try:
        recover(engine)
        index_changes(engine)
        told = Counter(
            word
            for row in assert_index_equals_files(engine)
            if row.key.kind == "episode"
            for word in WORD.findall(row.data["episode"])
        )
        told.update(
            word
            for number, words in enumerate(writers.accepted)
            for part in {at // 5 for at in range(len(words) + 1)}
            for message in engine.buffer.unprocessed(SCOPE, f"w{number}-{part}")
            for word in WORD.findall(message.text)
        )
        wanted = [word for words in writers.accepted for word in words]
        assert {word: told[word] for word in wanted if told[word] != 1} == {}
        assert len(wanted) > KILLS
        print(f"{len(wanted)} accepted, refused {dict(writers.refused)}, slowest {writers.slowest:.1f} s")
    finally:
        engine.close()


def test_a_dead_worker_hurts_only_its_owners(site: Site, nodes: Cluster) -> None:
    (_, live), (_, dead) = nodes.workers[:2]
    well, ill = site.person_on(live), site.person_on(dead)
    for name, session in (well, ill):
        assert site.add(session, name, "I moved to Porto.", 0).status_code == 200
        assert site.post("flush", session_id=session).status_code == 200
    control("kill", dead)
    try:
        name, session = well
        for at in range(1, 4):
            assert site.add(session, name, f"I bought {at} boats.", at).status_code == 200
            assert site.post("flush", session_id=session).status_code == 200
            for method in ("keyword", "vector", "hybrid", "agentic"):
                found = site.post("search", query="Who moved to Porto?", user_id=name, method=method)
                assert found.status_code == 200, found.text
                assert found.json()["data"]["episodes"]
            assert site.post("get", user_id=name, memory_type="episode").status_code == 200
        name, session = ill
        for answer in (
            site.add(session, name, "I bought a kite.", 9),
            site.post("search", query="Who moved to Porto?", user_id=name, method="hybrid"),
            site.server.client.get("/readyz"),
            site.server.client.get("/health"),
        ):
            assert answer.status_code == 503
            assert f":{dead}" in answer.text, "it says which part is ill"
            assert answer.elapsed.total_seconds() < 2.0
        assert site.server.client.get("/healthz").status_code == 200
    finally:
        control("start", dead)
    deadline = time.monotonic() + 60
    while site.add(session, name, "I bought a kite.", 9).status_code != 200:
        assert time.monotonic() < deadline
    assert site.post("flush", session_id=session).status_code == 200
    assert site.post("get", user_id=name, memory_type="episode").json()["data"]["total_count"] == 2
    assert site.server.client.get("/readyz").status_code == 200


def test_nodes_are_killed_again_and_again(site: Site, nodes: Cluster, tmp_path: Path, vectors: Endpoint) -> None:
    rng = random.Random(7)
    ports = [nodes.port, *(port for _, port in nodes.workers)]
    with Writers(site) as writers:
        for number in range(KILLS):
            writers.more(rng.randint(1, 6))
            control("kill", ports[number % len(ports)])
            time.sleep(rng.uniform(0.0, 1.5))
            control("start", ports[number % len(ports)])
        writers.more(WRITERS)
    assert_all_is_there_once(writers, tmp_path, vectors)


@pytest.mark.skipif(not SPARE, reason="NOT TESTED: set EVERLORE_TEST_CITUS_SPARE to host:port of one more node")
def test_shards_move_to_a_new_node_under_load(site: Site, nodes: Cluster, tmp_path: Path, vectors: Endpoint) -> None:
    host, _, port = SPARE.partition(":")
    name = site.url.rpartition("/")[2]
    with psycopg.connect(nodes.at(host, int(port), "postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    try:
        with psycopg.connect(nodes.at(host, int(port), name), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION citus; CREATE EXTENSION vector SCHEMA public")
        with Writers(site) as writers, psycopg.connect(site.url, autocommit=True) as connection:
            writers.more(WRITERS)
            connection.execute("SELECT citus_add_node(%s, %s)", (host, int(port)))
            connection.execute("SELECT rebalance_table_shards(shard_transfer_mode => 'force_logical')")
            writers.more(WRITERS)
            moved = connection.execute(
                "SELECT count(*) FROM pg_dist_placement JOIN pg_dist_node n USING (groupid) WHERE n.nodeport = %s",
                (int(port),),
            ).fetchone()
        assert moved
        assert moved[0] > 0
        assert writers.refused == {}
        assert_all_is_there_once(writers, tmp_path, vectors)
    finally:
        with psycopg.connect(nodes.at(host, int(port), "postgres"), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
