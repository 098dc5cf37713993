"""The embedded index: one SQLite file in the vault, shared by every process that opens the vault.

A file that is damaged or of another version is put aside or emptied on opening: it is derived, and the scan of
the files at start fills it again. One that is deleted while it is in use is begun anew, and `renewals` tells it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import apsw
import numpy as np
from numpy.typing import NDArray

from everlore.database import Database, row, rows, value
from everlore.stores import queue
from everlore.stores.base import IndexStatus, Piece, PieceText, Stamp, TermStats, Vector
from everlore.stores.bm25 import in_texts
from everlore.stores.sqlite import links, packs, read, vectors, words
from everlore.stores.sqlite.checks import check
from everlore.stores.sqlite.filters import restriction
from everlore.stores.sqlite.lookups import Lookups
from everlore.stores.sqlite.schema import EVERYONE, SCHEMA
from everlore.stores.sqlite.write import Writer
from everlore.stores.tokens import LISTED_TERMS
from everlore.stores.vector_math import require_shape
from everlore.types import IndexRow, Owner, Problem, UnitHit, Where

REMEDY = "run `everlore index rebuild`; your memories are in the markdown files"

P = ParamSpec("P")
T = TypeVar("T")


def _reading(ask: Callable[Concatenate[apsw.Connection, P], T]) -> Callable[Concatenate[SqliteIndex, P], T]:
    """A method that asks with a connection for reading: `find = _reading(read.find)`."""

    def method(self: SqliteIndex, /, *args: P.args, **named: P.kwargs) -> T:
        with self._db.read() as connection:
            return ask(connection, *args, **named)

    return method


def _writing(change: Callable[Concatenate[Writer, P], T]) -> Callable[Concatenate[SqliteIndex, P], T]:
    """A method that writes in one transaction: `remove_file = _writing(Writer.remove)`."""

    def method(self: SqliteIndex, /, *args: P.args, **named: P.kwargs) -> T:
        with self._db.write() as connection:
            writer = Writer(connection)
            done = change(writer, *args, **named)
            writer.finish()
        return done

    return method


class SqliteIndex:
    def __init__(self, path: Path, now: Callable[[], float] = time.time) -> None:
        self._db = Database(path, SCHEMA, durable=False, derived=True, remedy=REMEDY)
        self._now = now
        self._lookups = Lookups(self._db)
        self._model: tuple[str, int] | None = None
        self._tidied = -1
        self._claims = queue.Claims()

    stored = _reading(read.stored)
    find = _reading(read.find)
    children = _reading(read.children)
    in_turns = _reading(read.in_turns)
    in_slot = _reading(read.in_slot)
    in_slots = _reading(read.in_slots)
    by_global_id = _reading(links.by_global_id)
    newest = _reading(links.newest)
    count = _reading(read.count)
    degrees = _reading(links.degrees)
    links_to = _reading(links.to_targets)
    permitted = _reading(links.permitted)
    units_of = _reading(links.units_of)
    episodes_of = _reading(links.episodes_of)
    edges_of = _reading(read.edges_of)
    owners = _reading(read.owners)
    around = _reading(read.around)
    anchors = _reading(read.anchors)
    page = _reading(read.page)
    files = _reading(read.files)
    stamp = _reading(read.stamp)
    parents = _reading(read.parents)
    digests = _reading(read.digests)
    problems = _reading(read.problems)
    failures = _reading(queue.failures)
    replace_file = _writing(Writer.replace)
    extend_file = _writing(Writer.extend)
    remove_file = _writing(Writer.remove)

    @property
    def renewals(self) -> int:
        return self._db.renewals

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

    def use_model(self, name: str, dimension: int) -> None:
        self._model = (name, dimension)
        if self.model() == self._model:
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
            found = read.current_model(connection)
        return found[1:] if found else None

    def unembedded(self, limit: int, owner: Owner | None = None) -> list[PieceText]:
        with self._db.read() as connection:
            model = self._current(connection)
            number = read.owner_number(connection, owner) if owner else -1
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
            number, model = read.owner_number(connection, owner), read.current_model(connection)
            if number is None:
                return 0
            select = "SELECT count(*) FROM units WHERE model {} ?1 AND owner = ?2"
            values = (model[0] if model else -1, number)
            return sum(int(value(connection, select.format(side), values)) for side in "<>")

    def put_vectors(self, units: Sequence[int], vectors: NDArray[np.float32]) -> None:
        with self._db.write() as connection:
            model = self._current(connection)
            if model is None:
                return
            require_shape(vectors, len(units), model[1])
            writer = Writer(connection)
            writer.put_vectors(model[0], units, vectors)
            writer.finish()

    def enqueue(self, paths: Iterable[str]) -> None:
        wanted = list(dict.fromkeys(paths))
        if wanted:
            with self._db.write() as connection:
                queue.enqueue(connection, wanted, self._now())

    def claim(self, limit: int) -> list[str]:
        with self._db.read() as connection:
            found = queue.due(connection, limit, self._now())
        return self._claims.take(found)

    def done(self, path: str) -> None:
        with self._db.write() as connection:
            queue.done(connection, path, self._claims.end(path))

    def failed(self, path: str, error: str) -> None:
        with self._db.write() as connection:
            queue.failed(connection, path, self._claims.end(path), error, self._now())

    def status(self) -> IndexStatus:
        with self._db.read() as connection:
            tally = "SELECT k.name, t.rows, t.units FROM tally t JOIN kinds k ON k.id = t.kind WHERE t.owner = 0"
            kinds = rows(connection, tally)
            current = read.current_model(connection)
            counts = row(
                connection,
                "SELECT (SELECT count(*) FROM units WHERE model < ?1) + (SELECT count(*) FROM units WHERE model > ?1),"
                " (SELECT count(*) FROM files), (SELECT count(*) FROM queue),"
                " (SELECT count(*) FROM queue WHERE error <> ''), (SELECT count(*) FROM problems)",
                (current[0] if current else -1,),
            )
        assert counts is not None
        return IndexStatus({kind: count for kind, count, _ in kinds if count}, sum(kind[2] for kind in kinds), *counts)

    def rebuild(
        self, files: Iterator[tuple[str, Stamp, Sequence[IndexRow], Sequence[Problem]]], keep: Collection[str] = ()
    ) -> int:
        if not self._db.sound():
            self._db.renew()
        with self._db.write() as connection:
            writer = Writer(connection)
            writer.clear(() if keep and check(connection) else keep)
            for path, stamp, rows, problems in files:
                writer.replace(path, stamp, rows, problems)
            writer.finish()
            total: int = value(connection, "SELECT coalesce(sum(rows), 0) FROM tally WHERE owner = 0")
        return total

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

    def _view(self, connection: apsw.Connection, owner: int | None, query: Vector) -> vectors.View | None:
        """What of an owner can be compared with this query."""
        model = self._lookups.once(("model",), lambda: self._current(connection))
        if owner is None or model is None or model[1] != len(query):
            return None
        return self._lookups.view(connection, owner, model)

    def _current(self, connection: apsw.Connection) -> tuple[int, int] | None:
        """Number and dimension of the current model. None when there is none, and in a process that still works
        with another one: it must neither compare nor store vectors of two models, and finds by words alone."""
        found = read.current_model(connection)
        if found is None or (self._model is not None and found[1:] != self._model):
            return None
        return found[0], found[2]
