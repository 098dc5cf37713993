"""One process for all tests; each begins with an empty scope."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from embeddings import Endpoint
from speaking import Client, speaking


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory: pytest.TempPathFactory, vectors: Endpoint) -> Iterator[Client]:
    with speaking(tmp_path_factory.mktemp("knowledge") / "root", vectors.url) as client:
        yield client


@pytest.fixture
def mcp(knowledge: Client) -> Client:
    knowledge.ok("reset_all_memory", confirm=True)
    return knowledge
