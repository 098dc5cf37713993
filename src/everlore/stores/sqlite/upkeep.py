"""Vectors that are missing, and the state of the file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from everlore.database import Database, row, rows, value
from everlore.stores.base import IndexStatus, PieceText
from everlore.stores.sqlite import numbers, packs, words
from everlore.stores.sqlite.checks import check
from everlore.stores.sqlite.lookups import Lookups
from everlore.stores.sqlite.schema import EVERYONE
from everlore.stores.sqlite.write import Writer
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
        with self._db.write() as connection:
            connection.execute("INSERT OR IGNORE INTO models(name, dimension) VALUES(?, ?)", (name, dimension))
            connection.execute(
                "INSERT INTO meta(name, value) SELECT 'model', id FROM models WHERE name = ? AND dimension = ?"
                " ON CONFLICT DO UPDATE SET value = excluded.value",
                (name, dimension),
            )

    def model(self) -> tuple[str, int] | None:
        with self._db.read() as connection:
            found = numbers.current_model(connection)
        return found[1:] if found else None

    def unembedded(self, limit: int, owner: Owner | None = None) -> list[PieceText]:
        with self._db.read() as connection:
            model = self._lookups.model(connection)
            number = numbers.owner_number(connection, owner) if owner else -1
            if model is None or number is None:
                return []
            # one search on each side of the current model, because OR would scan every unit
            whose = " AND owner = ?2" if owner else ""
            side = f"SELECT * FROM (SELECT id FROM units WHERE model {{}} ?1{whose} ORDER BY model, id LIMIT ?3)"
            both = f"{side.format('<')} UNION ALL {side.format('>')}"
            select = f"SELECT u.id, d.dense FROM ({both}) u JOIN denses d ON d.unit = u.id ORDER BY u.id LIMIT ?3"
            return [PieceText(*row) for row in connection.execute(select, (model[0], number, limit))]

    def waiting(self, owner: Owner) -> int:
        with self._db.read() as connection:
            number, model = numbers.owner_number(connection, owner), numbers.current_model(connection)
            if number is None:
                return 0
            select = "SELECT count(*) FROM units WHERE model {} ?1 AND owner = ?2"
            values = (model[0] if model else -1, number)
            return sum(int(value(connection, select.format(side), values)) for side in "<>")

    def put_vectors(self, units: Sequence[int], vectors: NDArray[np.float32]) -> None:
        with self._db.write() as connection:
            model = self._lookups.model(connection)
            if model is None:
                return
            require_shape(vectors, len(units), model[1])
            writer = Writer(connection)
            writer.put_vectors(model[0], units, vectors)
            writer.finish()

    @property
    def renewals(self) -> int:
        return self._db.renewals

    def status(self) -> IndexStatus:
        with self._db.read() as connection:
            tally = "SELECT k.name, t.rows, t.units FROM tally t JOIN kinds k ON k.id = t.kind WHERE t.owner = 0"
            kinds = rows(connection, tally)
            current = numbers.current_model(connection)
            counts = row(
                connection,
                "SELECT (SELECT count(*) FROM units WHERE model < ?1) + (SELECT count(*) FROM units WHERE model > ?1),"
                " (SELECT count(*) FROM files), (SELECT count(*) FROM queue),"
                " (SELECT count(*) FROM queue WHERE error <> ''), (SELECT count(*) FROM problems)",
                (current[0] if current else -1,),
            )
        assert counts is not None
        return IndexStatus({kind: count for kind, count, _ in kinds if count}, sum(kind[2] for kind in kinds), *counts)

    def tidy(self) -> bool:
        self._db.shrink_log()
        with self._db.read() as connection:
            epoch: int = value(connection, "SELECT epoch FROM owners WHERE id = ?", (EVERYONE,))
        if epoch == self._tidied:
            return False
        self._tidied = epoch  # also when the write fails: with the next change it is tried again
        with self._db.write() as connection:
            more = words.merge(connection) | packs.step(connection)
        if more:
            self._tidied = -1
        return more

    def check(self) -> list[str]:
        faults = self._db.faults()
        if faults:
            return faults
        with self._db.write() as connection:
            return check(connection)

    def close(self) -> None:
        self._db.close()
        self._lookups.forget()
