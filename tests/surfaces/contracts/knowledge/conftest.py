"""One process for all tests; each begins with an empty scope."""

from __future__ import annotations

from contextlib import AbstractContextManager

import pytest
from databases import Postgres, new_schema, on_both_stores
from embeddings import Endpoint
from keeping import Kept
from speaking import Client, speaking


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    on_both_stores(metafunc, "knowledge")


@pytest.fixture(scope="session")
def knowledge(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, vectors: Endpoint, lasting: Kept
) -> Client:
    def start() -> AbstractContextManager[Client]:
        store: dict[str, str] = {}
        if request.param == "postgres":
            database: Postgres = request.getfixturevalue("database")
            store = {"EVEROS_STORE__URL": database.url(), "EVEROS_STORE__SCHEMA": new_schema()}
        return speaking(tmp_path_factory.mktemp("knowledge") / "root", vectors.url, store)

    return lasting.get(("knowledge", request.param), start)


@pytest.fixture
def mcp(knowledge: Client) -> Client:
    knowledge.ok("reset_all_memory", confirm=True)
    return knowledge
