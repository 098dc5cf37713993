"""Embeddings kept in PostgreSQL, so that what one server has embedded no other embeds again.

The vector of a unit's text is kept with the tenant of the unit, so that a cluster asks the node where all else about
its owner is. What belongs to no unit, such as the talk of which a boundary is looked for, is remembered by the process
that embedded it, and found there again when it has become a unit. `embeddings` holds what older versions kept by the
text alone; a cluster leaves it on its coordinator, and nothing is added to it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from uuid import UUID

from everlore.models.base import Cache, Vectors, packed, unpacked
from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.postgres.statements import Connection
from everlore.tenants import digest128, tenants_of

REMEMBERED = 20_000
"""Vectors that a process remembers: 15 MB of 384 halves."""

_COLUMNS = """(
  tenant int NOT NULL, key uuid NOT NULL, model text COLLATE "C" NOT NULL, vector bytea NOT NULL,
  PRIMARY KEY(key, tenant))"""

PART = Part(
    "embeddings",
    (f"CREATE TABLE embeddings{_COLUMNS}", f"CREATE TABLE embedded{_COLUMNS}"),
    {"embeddings": "local", "embedded": "tenant"},
)


class SharedCache(Cache):
    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server = server
        self._lock = threading.Lock()
        self._recent: OrderedDict[UUID, bytes] = OrderedDict()
        server.prepare(PART)

    def _known(self, model: str, texts: Sequence[str], pieces: Sequence[int]) -> dict[int, Vectors]:
        keys = [digest128(model, text) for text in texts]
        with self._lock:
            known = {key: self._recent[key] for key in keys if key in self._recent}
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        if missing and pieces:
            known |= self._server.read(lambda c: _kept(c, missing, tenants_of(pieces)))
        return {place: unpacked(known[key]) for place, key in enumerate(keys) if key in known}

    def put(self, model: str, texts: Sequence[str], vectors: Vectors, pieces: Sequence[int] = ()) -> None:
        given = {digest128(model, text): packed(vector) for text, vector in zip(texts, vectors, strict=True)}
        with self._lock:
            self._recent |= given
            while len(self._recent) > REMEMBERED:
                self._recent.popitem(last=False)
        if pieces:
            self.keep(model, dict(zip(texts, pieces, strict=True)))

    def keep(self, model: str, texts: Mapping[str, int]) -> None:
        named = [(tenants_of([piece])[0], digest128(model, text)) for text, piece in texts.items()]
        with self._lock:
            rows = {(*one, model, self._recent[one[1]]) for one in named if one[1] in self._recent}
        # in one order, so that two servers that embed the same do not wait for each other
        insert = "INSERT INTO embedded(tenant, key, model, vector)"
        then = "ON CONFLICT(tenant, key) DO UPDATE SET vector = excluded.vector"
        self._server.write(lambda c: c.many(insert, sorted(rows), then), lasting=False)

    def _size(self, model: str) -> int:
        select = "SELECT (SELECT count(*) FROM {0} WHERE model = ?)"
        tables = ("embedded", "embeddings")
        return self._server.read(lambda c: sum(int(c.value(select.format(table), (model,))) for table in tables))

    def close(self) -> None:
        """The server is closed by whoever opened it."""


def _kept(connection: Connection, keys: Sequence[UUID], tenants: Sequence[int]) -> dict[UUID, bytes]:
    select = "SELECT key, vector FROM embedded WHERE tenant = ANY(?) AND key = ANY(?)"
    found: dict[UUID, bytes] = dict(connection.rows(select, (tenants, keys)))
    left = [key for key in keys if key not in found]
    before = "SELECT key, vector FROM embeddings WHERE key = ANY(?)"
    return found | dict(connection.rows(before, (left,)) if left else [])
