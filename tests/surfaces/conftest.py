"""A server that asks everyone for a token, with three accounts: the vault's owner, and two of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from embeddings import Endpoint
from gates import Gate, new_key, quick
from serving import Server, running


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory, vectors: Endpoint) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("guarded") / "root"
    limits = {f"EVEROS_AUTH__{name}_PER_MINUTE": "100000" for name in ("ATTEMPTS", "REQUESTS")}
    with running(root, {"EVEROS_AUTH__ENABLED": "true"} | limits | quick(vectors)) as started:
        yield started


@pytest.fixture(scope="session")
def keys(guarded: Server) -> dict[str, str]:
    return {name: new_key(guarded.root, name)[1] for name in ("owner", "alice", "bob")}


@pytest.fixture
def owner(guarded: Server, keys: dict[str, str]) -> Gate:
    return Gate(guarded.client, keys["owner"])


@pytest.fixture
def alice(guarded: Server, keys: dict[str, str]) -> Gate:
    return Gate(guarded.client, keys["alice"])


@pytest.fixture
def bob(guarded: Server, keys: dict[str, str]) -> Gate:
    return Gate(guarded.client, keys["bob"])
