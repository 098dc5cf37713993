"""Vectors that are missing, and the state of the whole."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from everlore.postgres.server import INDEX_WRITERS, Server
from everlore.postgres.statements import Connection
from everlore.stores.base import IndexStatus, PieceText
from everlore.stores.postgres import vectors as near
from everlore.stores.postgres.schema import OurModel, current_model
from everlore.stores.vector_math import require_shape
from everlore.tenants import owner_uuid, tenant_of
from everlore.types import Owner

TIDY_SECONDS = 60.0
"""How often it is looked whether there is something to tidy up."""


_UNIT = "u.tenant = {0}.tenant AND u.id = {0}.unit"
_COUNTS = {
    "units belong to no memory": (
        "SELECT count(*) FROM units u LEFT JOIN memories r ON r.tenant = u.tenant AND r.id = u.row WHERE r.id IS NULL"
    ),
    "memories belong to no owner": (
        "SELECT count(*) FROM memories r LEFT JOIN owners o ON o.tenant = r.tenant AND o.owner = r.owner"
        " WHERE o.owner IS NULL"
    ),
    "vectors belong to no unit": (
        f"SELECT count(*) FROM vectors v LEFT JOIN units u ON {_UNIT.format('v')} WHERE u.id IS NULL"
    ),
    "units wait for a vector and are not there": (
        f"SELECT count(*) FROM waiting w LEFT JOIN units u ON {_UNIT.format('w')} WHERE u.id IS NULL"
    ),
    "units have no vector and do not wait for one": (
        "SELECT count(*) FROM units u LEFT JOIN waiting w ON w.tenant = u.tenant AND w.unit = u.id"
        " LEFT JOIN vectors v ON v.tenant = u.tenant AND v.unit = u.id"
        " WHERE u.dense <> '' AND w.unit IS NULL AND v.unit IS NULL"
    ),
    "units hold more words than they say": "SELECT count(*) FROM units WHERE cardinality(words) > 2 * length",
    "memories belong to no file": ("SELECT count(*) FROM (SELECT file FROM memories EXCEPT SELECT file FROM files) f"),
    "counts of memories are wrong": (
        "SELECT count(*) FROM (SELECT tenant, owner, kind, count(*) n FROM memories GROUP BY tenant, owner, kind) c"
        " FULL JOIN tally t ON t.tenant = c.tenant AND t.owner = c.owner AND t.kind = c.kind"
        " WHERE coalesce(c.n, 0) <> coalesce(t.rows, 0)"
    ),
    "counts of units are wrong": (
        "SELECT count(*) FROM (SELECT tenant, owner, kind, count(*) n, sum(length) l FROM units"
        " GROUP BY tenant, owner, kind) c"
        " FULL JOIN tally t ON t.tenant = c.tenant AND t.owner = c.owner AND t.kind = c.kind"
        " WHERE coalesce(c.n, 0) <> coalesce(t.units, 0) OR coalesce(c.l, 0) <> coalesce(t.tokens, 0)"
    ),
}


class PostgresUpkeep:
    def __init__(self, server: Server, model: OurModel, now: Callable[[], float]) -> None:
        self._server = server
        self._model = model
        self._now = now
        self._tidy_after = 0.0

    def use_model(self, name: str, dimension: int) -> None:
        if self._model.mine == (name, dimension):
            return  # said before; a process that has changed it since is to be followed, not fought
        if self.model() != (name, dimension):
            self._server.write(lambda c: self._make_current(c, name, dimension))
        self._model.mine = (name, dimension)

    def _make_current(self, connection: Connection, name: str, dimension: int) -> None:
        """From now on, units without a vector of this model wait for one."""
        self._server.hold(connection, [INDEX_WRITERS])
        connection.run("UPDATE models SET current = false WHERE current")
        connection.run(
            "INSERT INTO models(id, name, dimension, current) SELECT coalesce(max(id), 0) + 1, ?, ?, true FROM models"
            " ON CONFLICT(name, dimension) DO UPDATE SET current = true",
            (name, dimension),
        )
        current = current_model(connection)
        assert current is not None
        connection.run("DELETE FROM waiting")
        connection.run(
            "INSERT INTO waiting(tenant, unit) SELECT u.tenant, u.id FROM units u LEFT JOIN vectors v"
            " ON v.tenant = u.tenant AND v.unit = u.id AND v.model = ? WHERE u.dense <> '' AND v.unit IS NULL",
            (current[0],),
        )

    def model(self) -> tuple[str, int] | None:
        found = self._server.read(current_model)
        return found[1:] if found else None

    def unembedded(self, limit: int, owner: Owner | None = None) -> list[PieceText]:
        found = self._server.read(lambda c: near.missing(c, self._model.mine, owner, limit))
        return [PieceText(*unit) for unit in found]

    def waiting(self, owner: Owner) -> int:
        name = owner_uuid(owner)
        select = (
            "SELECT count(*) FROM waiting w JOIN units u ON u.tenant = w.tenant AND u.id = w.unit"
            " WHERE w.tenant = ? AND u.owner = ?"
        )
        return self._server.read(lambda c: int(c.value(select, (tenant_of(name), name))))

    def put_vectors(self, units: Sequence[int], vectors: NDArray[np.float32]) -> None:
        def work(connection: Connection) -> None:
            self._server.hold(connection, ["vectors"], INDEX_WRITERS)
            if model := self._model.current(connection):
                require_shape(vectors, len(units), model[1])
                near.put(connection, model[0], units, vectors)

        self._server.write(work, lasting=False)

    @property
    def renewals(self) -> int:
        return 0  # tables that are gone are an error, and nothing that happens by itself

    def status(self) -> IndexStatus:
        def work(connection: Connection) -> IndexStatus:
            kinds = connection.rows("SELECT kind, sum(rows), sum(units) FROM tally GROUP BY kind")
            counts = connection.row(
                "SELECT (SELECT count(*) FROM waiting), (SELECT count(*) FROM files), (SELECT count(*) FROM queue"
                " WHERE written IS NULL OR due <= ?), (SELECT count(*) FROM queue WHERE error <> ''),"
                " (SELECT count(*) FROM problems)",
                (self._now(),),
            )
            assert counts is not None
            units = sum(int(units) for _, _, units in kinds)
            return IndexStatus({kind: int(count) for kind, count, _ in kinds if count}, units, *counts)

        return self._server.read(work)

    def tidy(self) -> bool:
        """The index of the vectors, once they are many. The database's own vacuum sees to the rest."""
        if time.monotonic() < self._tidy_after:
            return False
        self._tidy_after = time.monotonic() + TIDY_SECONDS
        return near.build(self._server)

    def check(self) -> list[str]:
        return self._server.read(check)

    def close(self) -> None:
        """The server is closed by whoever opened it."""


def check(connection: Connection) -> list[str]:
    """In sentences; empty when all is well."""
    found = ((connection.value(select), what) for what, select in _COUNTS.items())
    return [f"{number} {what}" for number, what in found if number]
