"""The index on PostgreSQL: the same promises as the embedded one, shared by every server of a database."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from everlore.postgres.server import Server
from everlore.postgres.statements import Connection, first, rows, value
from everlore.postgres.tenants import owner_uuid, tenant_of
from everlore.stores.base import IndexStatus, Piece, PieceText, Stamp, TermStats, Vector
from everlore.stores.bm25 import in_texts
from everlore.stores.frequencies import Frequencies
from everlore.stores.postgres import links, queue, read, words
from everlore.stores.postgres import vectors as near
from everlore.stores.postgres.checks import check
from everlore.stores.postgres.schema import PART, alone, share
from everlore.stores.postgres.write import Writer
from everlore.stores.queue import Claims
from everlore.stores.vector_math import require_shape
from everlore.types import IndexRow, Owner, Problem, UnitHit, Where

P = ParamSpec("P")
T = TypeVar("T")


def _reading(ask: Callable[Concatenate[Connection, P], T]) -> Callable[Concatenate[PostgresIndex, P], T]:
    """A method that asks with a connection for reading, which may ask twice: `find = _reading(read.find)`."""

    def method(self: PostgresIndex, /, *args: P.args, **named: P.kwargs) -> T:
        # an iterator could be gone through only once
        kept: Any = [list(one) if isinstance(one, Iterator) else one for one in args]
        return self._server.read(lambda c: ask(c, *kept, **named))

    return method


def _writing(change: Callable[Concatenate[Writer, P], T]) -> Callable[Concatenate[PostgresIndex, P], T]:
    """A method that writes what comes from the file it names first: `remove_file = _writing(Writer.remove)`."""

    def method(self: PostgresIndex, /, *args: P.args, **named: P.kwargs) -> T:
        return self._write(str(args[0]), lambda c: change(Writer(c), *args, **named))

    return method


class PostgresIndex:
    def __init__(self, server: Server, now: Callable[[], float] = time.time) -> None:
        self._server = server
        self._now = now
        self._frequencies = Frequencies[UUID](words.OWNERS_REMEMBERED)
        self._model: tuple[str, int] | None = None
        self._claims = Claims()
        server.prepare(PART)

    stored = _reading(read.stored)
    find = _reading(read.find)
    children = _reading(read.children)
    in_turns = _reading(read.in_turns)
    in_slot = _reading(read.in_slot)
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
    check = _reading(check)
    replace_file = _writing(Writer.replace)
    extend_file = _writing(Writer.extend)
    remove_file = _writing(Writer.remove)

    def snapshot(self) -> AbstractContextManager[object]:
        return self._server.snapshot()

    def text(self, terms: Sequence[str], where: Where, limit: int) -> list[UnitHit]:
        return self._server.read(lambda c: words.search(c, self._frequencies, terms, where, limit))

    def held(self, terms: Sequence[str], where: Where) -> list[str]:
        return [term for term in terms if self.text([term], where, 1)]

    def term_stats(self, terms: Sequence[str], owner: Owner | None) -> TermStats:
        return self._server.read(lambda c: words.statistics(c, self._frequencies, terms, owner))

    def occurrences(self, terms: Sequence[str], owner: Owner | None, pieces: Sequence[Piece]) -> NDArray[np.float32]:
        del owner  # their text tells enough
        return in_texts(terms, [piece.tokens for piece in pieces])

    def cosines(self, query: Vector, owner: Owner | None, units: Sequence[int]) -> NDArray[np.float64]:
        return self._server.read(lambda c: near.cosines(c, query, owner, units, self._ours(query)))

    def vector(self, query: Vector, where: Where, limit: int) -> list[UnitHit]:
        return self._server.read(lambda c: near.search(c, query, where, self._ours(query), limit))

    def use_model(self, name: str, dimension: int) -> None:
        self._model = (name, dimension)
        if self.model() != self._model:
            self._server.write(lambda c: _make_current(c, self._server.schema, name, dimension))

    def model(self) -> tuple[str, int] | None:
        found = self._server.read(_model)
        return found[1:] if found else None

    @property
    def renewals(self) -> int:
        return 0  # tables that are gone are an error, and nothing that happens by itself

    def unembedded(self, limit: int, owner: Owner | None = None) -> list[PieceText]:
        found = self._server.read(lambda c: near.missing(c, owner, limit) if self._current(c) else [])
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
            model = self._current(connection)
            if model is None:
                return
            require_shape(vectors, len(units), model[1])
            near.put(connection, model[0], units, vectors)

        self._write("vectors", work)

    def enqueue(self, paths: Iterable[str]) -> None:
        wanted = list(dict.fromkeys(paths))
        if wanted:
            self._server.write(lambda c: queue.enqueue(c, wanted, self._now()), lasting=False)

    def claim(self, limit: int) -> list[str]:
        return self._claims.take(self._server.read(lambda c: queue.due(c, limit, self._now())))

    def done(self, path: str) -> None:
        generation = self._claims.end(path)
        self._server.write(lambda c: queue.done(c, path, generation), lasting=False)

    def failed(self, path: str, error: str) -> None:
        generation = self._claims.end(path)
        self._server.write(lambda c: queue.failed(c, path, generation, error, self._now()), lasting=False)

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

    def rebuild(
        self, files: Iterator[tuple[str, Stamp, Sequence[IndexRow], Sequence[Problem]]], keep: Collection[str] = ()
    ) -> int:
        def work(connection: Connection) -> int:
            alone(connection, self._server.schema)
            Writer(connection).clear(() if keep and check(connection) else keep)
            for path, stamp, found, problems in files:
                Writer(connection).replace(path, stamp, found, problems)
            return int(value(connection, "SELECT coalesce(sum(rows), 0) FROM tally"))

        return self._server.write(work, lasting=False, retry=False)

    def tidy(self) -> bool:
        """Nothing: the database's own vacuum sees to it."""
        return False

    def close(self) -> None:
        """The server is closed by whoever opened it."""

    def _write(self, path: str, work: Callable[[Connection], T]) -> T:
        def shared(connection: Connection) -> T:
            share(connection, self._server.schema, path)
            return work(connection)

        return self._server.write(shared, lasting=False)

    def _ours(self, query: Vector) -> str | None:
        """The model whose vectors this process may compare with this one: its own, or any when it never said."""
        if self._model is None:
            return None
        return self._model[0] if self._model[1] == len(query) else ""

    def _current(self, connection: Connection) -> tuple[int, int] | None:
        """Number and dimension of the current model. None when there is none, and in a process that still works
        with another one: it must neither compare nor store vectors of two models, and finds by words alone."""
        found = _model(connection)
        if found is None or (self._model is not None and found[1:] != self._model):
            return None
        return found[0], found[2]


def _model(connection: Connection) -> tuple[int, str, int] | None:
    found = first(connection, "SELECT id, name, dimension FROM models WHERE current")
    return (found[0], found[1], found[2]) if found else None


def _make_current(connection: Connection, schema: str, name: str, dimension: int) -> None:
    """From now on, units without a vector of this model wait for one."""
    alone(connection, schema)
    connection.execute("UPDATE models SET current = false WHERE current")
    connection.execute(
        "INSERT INTO models(id, name, dimension, current) SELECT coalesce(max(id), 0) + 1, %s, %s, true FROM models"
        " ON CONFLICT(name, dimension) DO UPDATE SET current = true",
        (name, dimension),
    )
    current = _model(connection)
    assert current is not None
    if dimension <= near.MOST_DIMENSIONS:
        connection.execute(near.index_statement(current[0], dimension).encode())
    connection.execute("DELETE FROM waiting")
    connection.execute(
        "INSERT INTO waiting(tenant, unit) SELECT u.tenant, u.id FROM units u LEFT JOIN vectors v"
        " ON v.tenant = u.tenant AND v.unit = u.id AND v.model = %s WHERE u.dense <> '' AND v.unit IS NULL",
        (current[0],),
    )
