"""Embeddings that all servers on one database share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from databases import Postgres, new_schema, opened

from everlore.models.base import packed
from everlore.models.shared_cache import PART, SharedCache
from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.postgres.statements import Connection
from everlore.tenants import digest128, numbered, tenant_of

PIECES = [numbered(7, 1), numbered(7, 2), numbered(40_000, 1)]


@pytest.fixture
def server(database: Postgres) -> Iterator[Server]:
    with opened(database.url(), new_schema()) as made:
        yield made


def test_what_one_server_has_embedded_another_finds(server: Server) -> None:
    vectors = np.eye(3, 8, dtype=np.float32)
    SharedCache(server).put("m", ["a", "b", "c\x00"], vectors, PIECES)
    other = SharedCache(server)
    found = other.get("m", ["c\x00", "new", "a", "a"], [PIECES[2], PIECES[2], PIECES[0], PIECES[1]])
    assert sorted(found) == [0, 2, 3]
    assert np.array_equal(found[0], vectors[2])
    assert np.array_equal(found[2], found[3])
    assert other.get("another", ["a"], PIECES[:1]) == {}
    assert other.get("m", ["c\x00"], PIECES[:1]) == {}, "another owner's is not looked for"
    stats = other.stats("m")
    assert (stats.hits, stats.misses, stats.size) == (3, 3, 3)


def test_what_belongs_to_no_unit_is_remembered_by_its_process(server: Server) -> None:
    cache = SharedCache(server)
    cache.put("m", ["a"], np.eye(1, 4, dtype=np.float32))
    assert sorted(cache.get("m", ["a"])) == [0]
    assert sorted(cache.get("m", ["a"], PIECES[:1])) == [0], "it has become a unit"
    assert SharedCache(server).get("m", ["a"], PIECES[:1]) == {}


def test_a_vector_that_is_made_again_replaces_the_old(server: Server) -> None:
    cache = SharedCache(server)
    cache.put("m", ["a"], np.eye(1, 4, dtype=np.float32), PIECES[:1])
    cache.put("m", ["a"], np.eye(1, 8, dtype=np.float32), PIECES[:1])
    assert len(SharedCache(server).get("m", ["a"], PIECES[:1])[0]) == 8
    assert cache.stats("m").size == 1


def test_what_an_older_version_kept_is_found(server: Server) -> None:
    server.prepare(Part("embeddings", PART.steps[:1], {"embeddings": "tenant"}))
    key, vector = digest128("m", "a"), np.eye(1, 4, dtype=np.float32)
    old = [(tenant_of(key), key, "m", packed(vector[0]))]
    server.write(partial(Connection.each, sql="INSERT INTO embeddings VALUES(?, ?, ?, ?)", values=old))
    cache = SharedCache(server)
    assert np.array_equal(cache.get("m", ["a"], PIECES[:1])[0], vector[0])
    assert cache.stats("m").size == 1
