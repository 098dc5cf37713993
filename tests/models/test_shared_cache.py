"""Embeddings that all servers on one database share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from databases import Postgres, new_schema, opened

from everlore.models.shared_cache import SharedCache
from everlore.postgres.server import Server


@pytest.fixture
def server(database: Postgres) -> Iterator[Server]:
    with opened(database.url(), new_schema()) as made:
        yield made


def test_what_one_server_has_embedded_another_finds(server: Server) -> None:
    vectors = np.eye(3, 8, dtype=np.float32)
    SharedCache(server).put("m", ["a", "b", "c\x00"], vectors)
    other = SharedCache(server)
    found = other.get("m", ["c\x00", "new", "a", "a"])
    assert sorted(found) == [0, 2, 3]
    assert np.array_equal(found[0], vectors[2])
    assert np.array_equal(found[2], found[3])
    assert other.get("another", ["a"]) == {}
    stats = other.stats("m")
    assert (stats.hits, stats.misses, stats.size) == (3, 2, 3)


def test_a_vector_that_is_made_again_replaces_the_old(server: Server) -> None:
    cache = SharedCache(server)
    cache.put("m", ["a"], np.eye(1, 4, dtype=np.float32))
    cache.put("m", ["a"], np.eye(1, 8, dtype=np.float32))
    assert len(cache.get("m", ["a"])[0]) == 8
    assert cache.stats("m").size == 1
