"""Embeddings kept in PostgreSQL, so that what one server has embedded no other embeds again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from everlore.models.base import Vectors
from everlore.models.cache import Cache, packed, unpacked
from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.postgres.statements import each, rows, value
from everlore.postgres.tenants import digest128, tenant_of

PART = Part(
    "embeddings",
    (
        """
        CREATE TABLE embeddings(
          tenant int NOT NULL, key uuid NOT NULL, model text COLLATE "C" NOT NULL, vector bytea NOT NULL,
          PRIMARY KEY(key, tenant));
        """,
    ),
    {"embeddings": "tenant"},
)


class SharedCache(Cache):
    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server = server
        server.prepare(PART)

    def _known(self, model: str, texts: Sequence[str]) -> dict[int, NDArray[np.float32]]:
        keys = [digest128(model, text) for text in texts]
        select = "SELECT key, vector FROM embeddings WHERE tenant = ANY(%s) AND key = ANY(%s)"
        tenants = sorted({tenant_of(key) for key in keys})
        known = dict(self._server.read(lambda c: rows(c, select, (tenants, list(set(keys))))))
        return {place: unpacked(known[key]) for place, key in enumerate(keys) if key in known}

    def put(self, model: str, texts: Sequence[str], vectors: Vectors) -> None:
        if self._server.in_snapshot:  # a search can write nothing; what it embeds is embedded again the next time
            return
        given = {digest128(model, text): packed(vector) for text, vector in zip(texts, vectors, strict=True)}
        insert = "INSERT INTO embeddings(tenant, key, model, vector) VALUES(%s, %s, %s, %s)"
        insert += " ON CONFLICT(tenant, key) DO UPDATE SET vector = excluded.vector"
        # in one order, so that two servers that embed the same do not wait for each other
        values = [(tenant_of(key), key, model, given[key]) for key in sorted(given)]
        self._server.write(lambda c: each(c, insert, values), lasting=False)

    def _size(self, model: str) -> int:
        select = "SELECT count(*) FROM embeddings WHERE model = %s"
        return int(self._server.read(lambda c: value(c, select, (model,))))

    def close(self) -> None:
        """The server is closed by whoever opened it."""
