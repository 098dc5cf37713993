"""One process for all tests; each begins with an empty scope."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from databases import Postgres, new_schema
from embeddings import Endpoint
from speaking import Client, speaking


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """On both stores, but for tests that look at the files themselves."""
    if "knowledge" in metafunc.fixturenames:
        files = metafunc.definition.get_closest_marker("looks_at_files")
        metafunc.parametrize(
            "knowledge", ["folder"] if files else ["folder", "postgres"], indirect=True, scope="session"
        )


@pytest.fixture(scope="session")
def knowledge(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, vectors: Endpoint
) -> Iterator[Client]:
    store: dict[str, str] = {}
    if request.param == "postgres":
        database: Postgres = request.getfixturevalue("database")
        store = {"EVEROS_STORE__URL": database.url(), "EVEROS_STORE__SCHEMA": new_schema()}
    with speaking(tmp_path_factory.mktemp("knowledge") / "root", vectors.url, store) as client:
        yield client


@pytest.fixture
def mcp(knowledge: Client) -> Client:
    knowledge.ok("reset_all_memory", confirm=True)
    return knowledge
