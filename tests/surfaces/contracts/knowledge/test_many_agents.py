"""Many agents at once, each with a process of its own, and processes that are killed: nothing acknowledged is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from embeddings import Endpoint
from speaking import Client, speaking
from vaults import assert_index_equals_files, open_vault

from everlore.engine import Engine
from everlore.search import Query, recall
from everlore.search.recipes import RECALL
from everlore.sync.upkeep import index_changes, rebuild
from everlore.types import Scope

AGENTS = 8
EACH = 12


@pytest.fixture
def vault(tmp_path: Path, vectors: Endpoint) -> Iterator[Engine]:
    engine = open_vault(tmp_path / "root", vectors.url)
    yield engine
    engine.close()


def test_eight_agents_lose_nothing(tmp_path: Path, vectors: Endpoint, vault: Engine) -> None:
    stored: dict[str, str] = {}
    entities: set[str] = set()

    def work(client: Client, name: int) -> None:
        for number in range(EACH):
            text = f"Agent {name} stored number {number}."
            stored[client.store(text)] = text
            entities.add(client.ok("create_entity", name="Shared Thing")["id"])
            client.ok("create_relation", from_entity=min(entities), to_entity=min(entities), relation_type=f"r{name}")

    with ExitStack() as stack:
        clients = [stack.enter_context(speaking(tmp_path / "root", vectors.url)) for _ in range(AGENTS)]
        threads = [threading.Thread(target=work, args=(client, at)) for at, client in enumerate(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(stored) == AGENTS * EACH
        assert len(entities) == 1
        assert clients[0].ok("list_memories")["total"] == AGENTS * EACH
        assert clients[1].ok("get_related", entity_id=min(entities))["relation_count"] == AGENTS
        for ident, text in list(stored.items())[::7]:
            assert clients[2].ok("get_memory", id=ident)["content"] == text
    index_changes(vault)
    rows = assert_index_equals_files(vault)
    assert {row.key.global_id: row.data["content"] for row in rows if row.key.kind == "note"} == stored


def test_a_killed_process_loses_nothing_it_acknowledged(tmp_path: Path, vectors: Endpoint, vault: Engine) -> None:
    stored: dict[str, str] = {}
    for life in range(3):
        with speaking(tmp_path / "root", vectors.url) as client:
            for number in range(5 + life):
                text = f"Life {life}, number {number}."
                stored[client.store(text)] = text
            client.send(
                {
                    "jsonrpc": "2.0",
                    "id": 99,
                    "method": "tools/call",
                    "params": {"name": "store_memory", "arguments": {"content": f"Unanswered {life}."}},
                }
            )
            client.process.kill()
    index_changes(vault)
    rows = assert_index_equals_files(vault)
    found = {row.key.global_id: str(row.data["content"]) for row in rows}
    assert {ident: found.get(ident) for ident in stored} == stored
    assert all(text.startswith("Unanswered") for ident, text in found.items() if ident not in stored)


def test_after_a_rebuild_recall_is_the_same(tmp_path: Path, vectors: Endpoint, vault: Engine) -> None:
    with speaking(tmp_path / "root", vectors.url) as client:
        for number in range(30):
            client.store(f"Note {number}: Carol met Dave{number % 4} in Oslo about rust and Project {number % 3}.")
        ids = [client.ok("create_entity", name=name)["id"] for name in ("rust", "Project 1", "Dave2")]
        client.ok("create_relation", from_entity=ids[0], to_entity=ids[1], relation_type="used_in", weight=0.5)
        client.ok("search", query="embed all")

    def answers() -> list[tuple[str, float, float]]:
        asked = [Query(None, text, 20, scope=Scope()) for text in ("rust", "Who met Dave2?")]
        found = [hit for query in asked for hit in recall(vault, query, RECALL).best]
        return [(hit.stored.key.global_id, hit.score, hit.parts.graph) for hit in found]

    before = answers()
    assert any(graph > 0 for _, _, graph in before)
    rebuild(vault, lambda *_: None)
    assert answers() == before
