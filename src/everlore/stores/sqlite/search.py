"""What ranking asks of the file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager

import apsw
import numpy as np
from numpy.typing import NDArray

from everlore.database import Database, SqliteTables, rows
from everlore.stores.base import Piece, TermStats, Vector
from everlore.stores.bm25 import in_texts
from everlore.stores.sql.steps import Steps
from everlore.stores.sqlite import vectors, words
from everlore.stores.sqlite.dialect import SAY, restriction
from everlore.stores.sqlite.lookups import Lookups
from everlore.stores.tokens import LISTED_TERMS
from everlore.types import Owner, UnitHit, Where


class SqliteSearch(Steps):
    def __init__(self, db: Database, lookups: Lookups) -> None:
        super().__init__(SqliteTables(db), SAY)
        self._db = db
        self._lookups = lookups

    def snapshot(self) -> AbstractContextManager[None]:
        """Inside, what every step of a search asks is looked up once."""
        return self._lookups.snapshot()

    def text(self, terms: Sequence[str], where: Where, limit: int) -> list[UnitHit]:
        with self._db.read() as connection:
            owner, kinds = self._lookups.place(connection, where)
            if owner is None or not kinds:
                return []
            stats = self._lookups.statistics(connection, list(dict.fromkeys(terms))[:LISTED_TERMS], owner)
            return words.search(connection, self._lookups.lists(connection, owner), stats, where, owner, kinds, limit)

    def held(self, terms: Sequence[str], where: Where) -> list[str]:
        if restriction(where) is not None:
            return [term for term in terms if self.text([term], where, 1)]
        with self._db.read() as connection:
            owner, kinds = self._lookups.place(connection, where)
            return [term for term in terms if owner is not None and words.is_held(connection, term, owner, kinds)]

    def term_stats(self, terms: Sequence[str], owner: Owner | None) -> TermStats:
        with self._db.read() as connection:
            number = self._lookups.owner(connection, owner)
            if number is None:
                return TermStats(0, 0.0, dict.fromkeys(terms, 0))
            return self._lookups.statistics(connection, terms, number)

    def around(self, units: Sequence[int], reach: int) -> list[Piece]:
        select = (
            "SELECT n.id, n.row, k.name, r.parent_id, n.turn, n.start, n.length, n.tokens FROM units n"
            " JOIN rows r ON r.id = n.row JOIN kinds k ON k.id = n.kind WHERE n.id IN ("
            "  SELECT near.id FROM json_each(?) j CROSS JOIN units u ON u.id = j.value CROSS JOIN units near"
            "  ON near.row = u.row AND near.place BETWEEN u.place - ? AND u.place + ?)"
            " ORDER BY n.row, n.place"
        )
        with self._db.read() as connection:
            return list(map(Piece._make, rows(connection, select, (json.dumps(list(units)), reach, reach))))

    def occurrences(self, terms: Sequence[str], owner: Owner | None, pieces: Sequence[Piece]) -> NDArray[np.float32]:
        """A list that a search has read is quicker than the text."""
        with self._db.read() as connection:
            number = self._lookups.owner(connection, owner)
        units = np.array([piece.unit for piece in pieces], np.int64)
        counts = np.zeros((len(terms), len(pieces)), np.float32)
        unread: list[int] = []
        for at, term in enumerate(terms):
            found = self._lookups.list_read(number, term)
            if found is None:
                unread.append(at)
            else:
                counts[at] = words.counted(found, units)
        if unread:
            counts[unread] = in_texts([terms[at] for at in unread], [piece.tokens for piece in pieces])
        return counts

    def cosines(self, query: Vector, owner: Owner | None, units: Sequence[int]) -> NDArray[np.float64]:
        with self._db.read() as connection:
            view = self._view(connection, self._lookups.owner(connection, owner), query)
            if view is None:
                return np.full(len(units), np.nan)
            return vectors.look_up(connection, view, np.array(units, np.int64), query)

    def vector(self, query: Vector, where: Where, limit: int) -> list[UnitHit]:
        with self._db.read() as connection:
            owner, kinds = self._lookups.place(connection, where)
            view = self._view(connection, owner, query)
            if owner is None or view is None or not kinds:
                return []
            return vectors.search(connection, view, query, where, owner, kinds, limit)

    def _view(self, connection: apsw.Connection, owner: int | None, query: Vector) -> vectors.View | None:
        """What of an owner can be compared with this query."""
        model = self._lookups.model(connection)
        if owner is None or model is None or model[1] != len(query):
            return None
        return self._lookups.view(connection, owner, model)
