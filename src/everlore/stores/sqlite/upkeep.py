"""Vectors that are missing, and the state of the file."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from everlore.database import Database
from everlore.stores.base import IndexStatus, PieceText
from everlore.stores.sqlite import packs, words
from everlore.stores.sqlite.checks import check
from everlore.stores.sqlite.files import put_vectors
from everlore.stores.sqlite.lookups import Lookups, current_model
from everlore.stores.sqlite.schema import EVERYONE
from everlore.stores.vector_math import require_shape
from everlore.types import Owner


class SqliteUpkeep:
    def __init__(self, db: Database, lookups: Lookups) -> None:
        self._db = db
        self._lookups = lookups
        self._tidied = -1

    def use_model(self, name: str, dimension: int) -> None:
        self._lookups.mine = (name, dimension)
        if self.model() == (name, dimension):
            return
        with self._db.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO models(name, dimension) VALUES(?, ?)", (name, dimension))
            connection.execute(
                "INSERT INTO meta(name, value) SELECT 'model', id FROM models WHERE name = ? AND dimension = ?"
                " ON CONFLICT DO UPDATE SET value = excluded.value",
                (name, dimension),
            )

    def model(self) -> tuple[str, int] | None:
        with self._db.reading() as connection:
            found = current_model(connection)
        return found[1:] if found else None

    def unembedded(self, limit: int, owner: Owner | None = None) -> list[PieceText]:
        with self._db.reading() as connection:
            model = self._lookups.model(connection)
            number = self._lookups.owner(connection, owner) if owner else -1
            if model is None or number is None:
                return []
            # one search on each side of the current model, because OR would scan every unit
            whose = " AND owner = ?2" if owner else ""
            side = f"SELECT * FROM (SELECT id FROM units WHERE model {{}} ?1{whose} ORDER BY model, id LIMIT ?3)"
            both = f"{side.format('<')} UNION ALL {side.format('>')}"
            select = f"SELECT u.id, d.dense FROM ({both}) u JOIN denses d ON d.unit = u.id ORDER BY u.id LIMIT ?3"
            return [PieceText(*row) for row in connection.execute(select, (model[0], number, limit))]

    def waiting(self, owner: Owner) -> int:
        with self._db.reading() as connection:
            number, model = self._lookups.owner(connection, owner), current_model(connection)
            if number is None:
                return 0
            select = "SELECT count(*) FROM units WHERE model {} ?1 AND owner = ?2"
            values = (model[0] if model else -1, number)
            return sum(int(connection.value(select.format(side), values)) for side in "<>")

    def put_vectors(self, units: Sequence[int], vectors: NDArray[np.float32]) -> None:
        with self._db.writing() as connection:
            model = self._lookups.model(connection)
            if model is None:
                return
            require_shape(vectors, len(units), model[1])
            named = json.dumps([int(unit) for unit in units])
            # others are gone by now, or another process was quicker
            select = (
                "SELECT u.id, u.owner, u.kind FROM json_each(?) j CROSS JOIN units u ON u.id = j.value"
                " WHERE u.model IS NOT NULL AND u.model <> ?"
            )
            given = dict(zip(units, vectors, strict=True))
            wanting = [(*unit, given[unit[0]]) for unit in connection.rows(select, (named, model[0]))]
            if wanting:
                put_vectors(connection, model[0], wanting)
                connection.each("UPDATE units SET model = ? WHERE id = ?", [(model[0], unit) for unit, *_ in wanting])

    @property
    def renewals(self) -> int:
        return self._db.renewals

    def status(self) -> IndexStatus:
        with self._db.reading() as connection:
            tally = "SELECT k.name, t.rows, t.units FROM tally t JOIN kinds k ON k.id = t.kind WHERE t.owner = 0"
            kinds = connection.rows(tally)
            current = current_model(connection)
            counts = connection.row(
                "SELECT (SELECT count(*) FROM units WHERE model < ?1) + (SELECT count(*) FROM units WHERE model > ?1),"
                " (SELECT count(*) FROM files), (SELECT count(*) FROM queue),"
                " (SELECT count(*) FROM queue WHERE error <> ''), (SELECT count(*) FROM problems)",
                (current[0] if current else -1,),
            )
        assert counts is not None
        return IndexStatus({kind: count for kind, count, _ in kinds if count}, sum(kind[2] for kind in kinds), *counts)

    def tidy(self) -> bool:
        self._db.shrink_log()
        with self._db.reading() as connection:
            epoch: int = connection.value("SELECT epoch FROM owners WHERE id = ?", (EVERYONE,))
        if epoch == self._tidied:
            return False
        self._tidied = epoch  # also when the write fails: with the next change it is tried again
        with self._db.writing() as connection:
            more = words.merge(connection) | packs.step(connection)
        if more:
            self._tidied = -1
        return more

    def check(self) -> list[str]:
        faults = self._db.faults()
        if faults:
            return faults
        with self._db.writing() as connection:
            return check(connection)

    def close(self) -> None:
        self._db.close()
        self._lookups.forget()
