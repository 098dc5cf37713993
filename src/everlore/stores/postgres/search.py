"""What ranking asks of the database."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from everlore.postgres.server import Server
from everlore.postgres.statements import rows
from everlore.postgres.tables import PostgresTables
from everlore.postgres.tenants import tenants_of
from everlore.stores.base import Piece, TermStats, Vector
from everlore.stores.bm25 import in_texts
from everlore.stores.frequencies import Frequencies
from everlore.stores.postgres import vectors as near
from everlore.stores.postgres import words
from everlore.stores.postgres.dialect import SAY
from everlore.stores.postgres.models import OurModel
from everlore.stores.sql.steps import Steps
from everlore.types import Owner, UnitHit, Where


class PostgresSearch(Steps):
    def __init__(self, server: Server, model: OurModel) -> None:
        super().__init__(PostgresTables(server), SAY)
        self._server = server
        self._model = model
        self._frequencies = Frequencies[UUID](words.OWNERS_REMEMBERED)

    def snapshot(self) -> AbstractContextManager[object]:
        return self._server.snapshot()

    def text(self, terms: Sequence[str], where: Where, limit: int) -> list[UnitHit]:
        return self._server.read(lambda c: words.search(c, self._frequencies, terms, where, limit))

    def held(self, terms: Sequence[str], where: Where) -> list[str]:
        return [term for term in terms if self.text([term], where, 1)]

    def term_stats(self, terms: Sequence[str], owner: Owner | None) -> TermStats:
        return self._server.read(lambda c: words.statistics(c, self._frequencies, terms, owner))

    def around(self, units: Sequence[int], reach: int) -> list[Piece]:
        if not units:
            return []
        select = (
            "SELECT DISTINCT ON (n.row, n.place) n.id, n.row, n.kind, r.parent_id, n.turn, n.start, n.length, n.tokens"
            " FROM units u JOIN units n ON n.tenant = u.tenant AND n.row = u.row"
            " AND n.place BETWEEN u.place - %s AND u.place + %s"
            " JOIN memories r ON r.tenant = n.tenant AND r.id = n.row"
            " WHERE u.tenant = ANY(%s) AND u.id = ANY(%s) ORDER BY n.row, n.place"
        )
        found = self._server.read(lambda c: rows(c, select, (reach, reach, tenants_of(units), list(units))))
        return list(map(Piece._make, found))

    def occurrences(self, terms: Sequence[str], owner: Owner | None, pieces: Sequence[Piece]) -> NDArray[np.float32]:
        del owner  # their text tells enough
        return in_texts(terms, [piece.tokens for piece in pieces])

    def cosines(self, query: Vector, owner: Owner | None, units: Sequence[int]) -> NDArray[np.float64]:
        return self._server.read(lambda c: near.cosines(c, query, owner, units, self._model.ours(query)))

    def vector(self, query: Vector, where: Where, limit: int) -> list[UnitHit]:
        return self._server.read(lambda c: near.search(c, query, where, self._model.ours(query), limit))
