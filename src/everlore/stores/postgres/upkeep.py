"""Vectors that are missing, and the state of the whole."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from everlore.postgres.server import Server
from everlore.postgres.statements import Connection, first, rows, value
from everlore.postgres.tenants import owner_uuid, tenant_of
from everlore.stores.base import IndexStatus, PieceText
from everlore.stores.postgres import vectors as near
from everlore.stores.postgres.checks import check
from everlore.stores.postgres.models import OurModel, current_model
from everlore.stores.postgres.schema import alone, write_shared
from everlore.stores.vector_math import require_shape
from everlore.types import Owner

TIDY_SECONDS = 60.0
"""How often it is looked whether there is something to tidy up."""


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
            self._server.write(lambda c: _make_current(c, self._server.schema, name, dimension))
        self._model.mine = (name, dimension)

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
            " WHERE w.tenant = %s AND u.owner = %s"
        )
        return self._server.read(lambda c: int(value(c, select, (tenant_of(name), name))))

    def put_vectors(self, units: Sequence[int], vectors: NDArray[np.float32]) -> None:
        def work(connection: Connection) -> None:
            model = self._model.current(connection)
            if model is None:
                return
            require_shape(vectors, len(units), model[1])
            near.put(connection, model[0], units, vectors)

        write_shared(self._server, "vectors", work)

    @property
    def renewals(self) -> int:
        return 0  # tables that are gone are an error, and nothing that happens by itself

    def status(self) -> IndexStatus:
        def work(connection: Connection) -> IndexStatus:
            kinds = rows(connection, "SELECT kind, sum(rows), sum(units) FROM tally GROUP BY kind")
            counts = first(
                connection,
                "SELECT (SELECT count(*) FROM waiting), (SELECT count(*) FROM files), (SELECT count(*) FROM queue"
                " WHERE written IS NULL OR due <= %s), (SELECT count(*) FROM queue WHERE error <> ''),"
                " (SELECT count(*) FROM problems)",
                (self._now(),),
            )
            assert counts is not None
            by_kind = {kind: int(count) for kind, count, _ in kinds if count}
            return IndexStatus(by_kind, sum(int(units) for _, _, units in kinds), *counts)

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


def _make_current(connection: Connection, schema: str, name: str, dimension: int) -> None:
    """From now on, units without a vector of this model wait for one."""
    alone(connection, schema)
    connection.execute("UPDATE models SET current = false WHERE current")
    connection.execute(
        "INSERT INTO models(id, name, dimension, current) SELECT coalesce(max(id), 0) + 1, %s, %s, true FROM models"
        " ON CONFLICT(name, dimension) DO UPDATE SET current = true",
        (name, dimension),
    )
    current = current_model(connection)
    assert current is not None
    connection.execute("DELETE FROM waiting")
    connection.execute(
        "INSERT INTO waiting(tenant, unit) SELECT u.tenant, u.id FROM units u LEFT JOIN vectors v"
        " ON v.tenant = u.tenant AND v.unit = u.id AND v.model = %s WHERE u.dense <> '' AND v.unit IS NULL",
        (current[0],),
    )
