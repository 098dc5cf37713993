"""What ranking asks of the file."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from everlore.database import Connection, Database
from everlore.stores.base import Asked, Evidence, Piece, TermStats, Vector
from everlore.stores.bm25 import in_texts
from everlore.stores.sql.steps import Steps
from everlore.stores.sqlite import vectors, words
from everlore.stores.sqlite.dialect import SAY, restriction
from everlore.stores.sqlite.lookups import Lookups
from everlore.stores.tokens import LISTED_TERMS
from everlore.types import Owner, UnitHit, Where


class SqliteSearch(Steps):
    def __init__(self, db: Database, lookups: Lookups) -> None:
        super().__init__(db.read, SAY)
        self._db = db
        self._lookups = lookups

    def snapshot(self) -> AbstractContextManager[None]:
        """Inside, what every step of a search asks is looked up once."""
        return self._lookups.snapshot()

    def candidates(self, asked: Asked) -> Evidence:
        """The lists are those of one moment, and what is read for one of them serves the others."""
        with self._lookups.snapshot(), self._db.reading() as connection:
            owner = self._lookups.owner(connection, asked.where.owner)
            view = None if asked.vector is None else self._view(connection, owner, asked.vector)
            compared = None if view is None or asked.vector is None else vectors.Compared(view, asked.vector)
            by_words, by_meaning = self._lists(connection, asked, asked.where, compared)
            units = {*asked.units, *(hit.unit for hit in (*by_words, *by_meaning))}
            if asked.also is not None:
                units.update(hit.unit for hits in self._lists(connection, asked, asked.also, compared) for hit in hits)
            pieces = _around(connection, asked, units)
            counts = self._occurrences(asked.terms, owner, pieces)
            near = np.array([piece.unit for piece in pieces], np.int64)
            unknown = np.full(len(pieces), np.nan)
            cosines = unknown if compared is None else vectors.look_up(connection, compared.view, near, compared.query)
            stats = self._statistics(connection, asked.terms, owner) if asked.terms and asked.limit else None
            return Evidence(pieces, counts, cosines, by_words, by_meaning, stats)

    def held(self, terms: Sequence[str], where: Where) -> list[str]:
        if restriction(where) is not None:
            return [term for term in terms if self.candidates(Asked(where, [term], limit=1)).pieces]
        with self._db.reading() as connection:
            owner, kinds = self._lookups.place(connection, where)
            return [term for term in terms if owner is not None and words.is_held(connection, term, owner, kinds)]

    def term_stats(self, terms: Sequence[str], owner: Owner | None) -> TermStats:
        with self._db.reading() as connection:
            return self._statistics(connection, terms, self._lookups.owner(connection, owner))

    def _statistics(self, connection: Connection, terms: Sequence[str], owner: int | None) -> TermStats:
        if owner is None:
            return TermStats(0, 0.0, dict.fromkeys(terms, 0))
        return self._lookups.statistics(connection, terms, owner)

    def _lists(
        self, connection: Connection, asked: Asked, where: Where, compared: vectors.Compared | None
    ) -> tuple[list[UnitHit], list[UnitHit]]:
        """Units by words and by meaning, best first."""
        owner, kinds = self._lookups.place(connection, where)
        by_words: list[UnitHit] = []
        by_meaning: list[UnitHit] = []
        if owner is None or not kinds or asked.limit <= 0:
            return by_words, by_meaning
        if asked.terms:
            terms = list(dict.fromkeys(asked.terms))[:LISTED_TERMS]
            stats, lists = self._lookups.statistics(connection, terms, owner), self._lookups.lists(connection, owner)
            by_words = words.search(connection, lists, stats, where, owner, kinds, asked.limit)
        if compared is not None:
            by_meaning = vectors.search(connection, compared, where, owner, kinds, asked.limit)
            if asked.radius is not None:
                by_meaning = [hit for hit in by_meaning if hit.score >= asked.radius]
        return by_words, by_meaning

    def _occurrences(self, terms: Sequence[str], owner: int | None, pieces: Sequence[Piece]) -> NDArray[np.float32]:
        """A list that a search has read is quicker than the text."""
        units = np.array([piece.unit for piece in pieces], np.int64)
        counts = np.zeros((len(terms), len(pieces)), np.float32)
        unread: list[int] = []
        for at, term in enumerate(terms):
            found = self._lookups.list_read(owner, term)
            if found is None:
                unread.append(at)
            else:
                counts[at] = words.counted(found, units)
        if unread:
            counts[unread] = in_texts([terms[at] for at in unread], [piece.tokens for piece in pieces])
        return counts

    def _view(self, connection: Connection, owner: int | None, query: Vector) -> vectors.View | None:
        """What of an owner can be compared with this query."""
        model = self._lookups.model(connection)
        if owner is None or model is None or model[1] != len(query):
            return None
        return self._lookups.view(connection, owner, model)


def _around(connection: Connection, asked: Asked, units: Collection[int]) -> list[Piece]:
    """These units, the first ones of the rows that are asked for, and those beside them."""
    named = "SELECT value FROM json_each(?)"
    values: tuple[object, ...] = (json.dumps(sorted(units)),)
    if asked.rows:
        named += " UNION SELECT u.id FROM json_each(?) j CROSS JOIN units u ON u.row = j.value WHERE u.place < ?"
        values += (json.dumps(list(asked.rows)), asked.first)
    if asked.reach:
        named = (
            f"SELECT near.id FROM ({named}) j CROSS JOIN units u ON u.id = j.value CROSS JOIN units near"
            " ON near.row = u.row AND near.place BETWEEN u.place - ? AND u.place + ?"
        )
        values += (asked.reach, asked.reach)
    select = (
        "SELECT n.id, n.row, k.name, r.parent_id, r.timestamp, n.turn, n.start, n.length, n.tokens FROM units n"
        " JOIN memories r ON r.id = n.row JOIN kinds k ON k.id = n.kind"
        f" WHERE n.id IN ({named}) ORDER BY n.row, n.place"
    )
    return list(map(Piece._make, connection.rows(select, values)))
