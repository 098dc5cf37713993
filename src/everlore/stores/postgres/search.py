"""What ranking asks of the database: candidates are one statement, behind one that tells how much each term says."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np

from everlore.postgres.server import Server
from everlore.postgres.statements import Connection
from everlore.sql import Row
from everlore.stores.base import Asked, Evidence, Piece, TermStats
from everlore.stores.bm25 import in_texts
from everlore.stores.frequencies import Frequencies, affordable, rarest_first
from everlore.stores.postgres import vectors, words
from everlore.stores.postgres.dialect import SAY
from everlore.stores.postgres.schema import OurModel
from everlore.stores.sql.dialect import Condition
from everlore.stores.sql.steps import Steps
from everlore.stores.tokens import LISTED_TERMS
from everlore.tenants import owner_uuid, tenant_of
from everlore.types import Owner, UnitHit, Where

ANY_PLAN = 2_000
"""So many units of an owner are looked through in a moment, whatever the plan."""
_FOUND = "SELECT tenant, row, place FROM "
_Near = dict[str, list[UnitHit]]
_PIECE = "n.id, n.row, n.kind, r.parent_id, r.timestamp, n.turn, n.start, n.length, n.tokens"


@dataclass(frozen=True, slots=True)
class _List:
    """One list of a question: its name in the statement, and the statement that makes it."""

    name: str
    made: Condition
    by_words: bool


class PostgresSearch(Steps):
    def __init__(self, server: Server, model: OurModel) -> None:
        super().__init__(server.look, SAY)
        self._server = server
        self._model = model
        self._frequencies = Frequencies[UUID](words.OWNERS_REMEMBERED)
        self._mine = threading.local()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Each question is of one moment by itself. Inside, statistics are asked for once."""
        if getattr(self._mine, "known", None) is not None:
            yield
            return
        self._mine.known = {}
        try:
            yield
        finally:
            self._mine.known = None

    def candidates(self, asked: Asked) -> Evidence:
        return self._server.look(lambda connection: self._candidates(connection, asked))

    def term_stats(self, terms: Sequence[str], owner: Owner | None) -> TermStats:
        return self._server.look(lambda connection: self._statistics(connection, terms, owner))

    def held(self, terms: Sequence[str], where: Where) -> list[str]:
        return self._server.look(lambda connection: words.held(connection, terms, where))

    def _statistics(self, connection: Connection, terms: Sequence[str], owner: Owner | None) -> TermStats:
        known: dict[object, TermStats] | None = getattr(self._mine, "known", None)
        asked = (owner, *terms)
        if known is None or asked not in known:
            found = words.statistics(connection, self._frequencies, list(dict.fromkeys(terms)), owner)
            if known is None:
                return found
            known[asked] = found
        return known[asked]

    def _candidates(self, connection: Connection, asked: Asked) -> Evidence:
        stats = None
        listing = asked.limit > 0
        if listing and (asked.terms or asked.vector is not None):
            stats = self._statistics(connection, asked.terms, asked.where.owner)
        held = rarest_first(stats, list(dict.fromkeys(asked.terms))[:LISTED_TERMS]) if stats else []
        near: _Near = {}
        few = asked.where.owner is not None and stats is not None and stats.units <= vectors.EXACT_UP_TO
        if listing and asked.vector is not None and not few:
            for name, where in _partitions(asked):
                near[name] = vectors.search(
                    connection, asked.vector, where, self._model.ours(asked.vector), asked.limit
                )
        reading = affordable(held, stats, words.MOST_POSTINGS) if held and stats else 0
        found = self._ask(connection, asked, stats, held, reading, near)
        if reading < len(held) and any(row[-1] < asked.limit for row in found[:1] or [(0,)]):
            found = self._ask(connection, asked, stats, held, len(held), near)
        return _evidence(asked, found, near.get("m0", []), stats if asked.terms else None)

    def _ask(
        self, db: Connection, asked: Asked, stats: TermStats | None, held: Sequence[str], reading: int, near: _Near
    ) -> list[Row]:
        ours = None if asked.vector is None else self._model.ours(asked.vector)
        lists: list[_List] = []
        for name, where in _partitions(asked) if asked.limit > 0 else ():
            if held and stats:
                made = words.best(stats, held, reading, where, asked.limit)
                lists.append(_List(name.replace("m", "w"), made, by_words=True))
            if asked.vector is not None and name not in near:
                lists.append(_List(name, vectors.exact(where, asked.vector, ours, asked.limit), by_words=False))
        units = {*asked.units, *(hit.unit for hits in near.values() for hit in _within(hits, asked.radius))}
        statement = _statement(asked, lists, units, ours)
        if not statement.sql:
            return []
        if asked.where.owner is None or (lists and (stats is None or stats.units > ANY_PLAN)):
            return db.rows(statement.sql, statement.values)
        # not told before the plan is made: a plan for one that is known looks cheaper, and none would be kept
        return db.often(statement.sql.replace(".owner = ?", ".owner = (SELECT ?::uuid)"), statement.values)


def _partitions(asked: Asked) -> list[tuple[str, Where]]:
    return [("m0", asked.where), *([("m1", asked.also)] if asked.also else [])]


def _within(hits: Sequence[UnitHit], radius: float | None) -> list[UnitHit]:
    return [hit for hit in hits if radius is None or hit.score >= radius]


def _statement(asked: Asked, lists: Sequence[_List], units: set[int], ours: str | None) -> Condition:
    """The lists, the units they and the caller name, and what stands around those; \"\" when nothing is named."""
    branches: list[Condition] = []
    for one in lists:
        near_enough = asked.radius is not None and not one.by_words
        only = f" WHERE round((1 - score)::numeric, {vectors.DIGITS}) >= ?" if near_enough else ""
        branches.append(Condition(f"{_FOUND}{one.name}{only}", (asked.radius,) if near_enough else ()))
    if units:
        named = SAY.numbers("u.id", units)
        branches.append(Condition(f"{_FOUND}units u WHERE {named.sql}", named.values))
    if asked.rows:
        named = SAY.numbers("u.row", asked.rows)
        branches.append(Condition(f"{_FOUND}units u WHERE {named.sql} AND place < ?", (*named.values, asked.first)))
    if not branches:
        return Condition("")
    made = [f"{one.name} AS ({one.made.sql})" for one in lists]
    made.append(f"found AS ({' UNION '.join(branch.sql for branch in branches)})")
    values: list[Any] = [value for part in (*(one.made for one in lists), *branches) for value in part.values]
    cosine, vector = "NULL::float8", ""
    if asked.vector is not None:
        cosine = f"1 - ({vectors.far(asked.where.owner)})"
        vector = f" LEFT JOIN vectors v ON v.tenant = n.tenant AND v.unit = n.id AND v.model = ({vectors.MODEL})"
    names = {one.name for one in lists}
    scores = ", ".join(f"{name}.score" if name in names else "NULL::float8" for name in ("w0", "m0"))
    joins = "".join(f" LEFT JOIN {name} ON {name}.id = n.id" for name in ("w0", "m0") if name in names)
    fewest = ", ".join(f"(SELECT count(*) FROM {one.name})" for one in lists if one.by_words) or "0"
    tenant = "" if asked.where.owner is None else " AND n.tenant = ?"
    select = (
        f"WITH {', '.join(made)} SELECT DISTINCT ON (n.row, n.place) {_PIECE}, {cosine}, {scores}, n.tie, n.place,"
        f" least({fewest}) FROM found f JOIN units n ON n.tenant = f.tenant AND n.row = f.row"
        f" AND n.place BETWEEN f.place - ? AND f.place + ?{tenant}"
        f" JOIN memories r ON r.tenant = n.tenant AND r.id = n.row{vector}{joins} ORDER BY n.row, n.place"
    )
    if asked.vector is not None:
        values.append(vectors.written(asked.vector))
    values += [asked.reach, asked.reach]
    if asked.where.owner is not None:
        values.append(tenant_of(owner_uuid(asked.where.owner)))
    if asked.vector is not None:
        values += [len(asked.vector), ours, ours]
    return Condition(select, tuple(values))


def _evidence(asked: Asked, found: Sequence[Row], near: list[UnitHit], stats: TermStats | None) -> Evidence:
    pieces = [Piece._make(row[:9]) for row in found]
    cosines = np.array([np.nan if row[9] is None else vectors.cosine(row[9]) for row in found], np.float64)
    worded = sorted((-row[10], row[12], row[13], row[0]) for row in found if row[10] is not None)
    meant = sorted((-vectors.cosine(1 - row[11]), row[12], row[13], row[0]) for row in found if row[11] is not None)
    by_meaning = near or [UnitHit(unit, -far) for far, _, _, unit in meant]
    return Evidence(
        pieces,
        in_texts(asked.terms, [piece.tokens for piece in pieces]),
        cosines,
        [UnitHit(unit, -score) for score, _, _, unit in worded],
        _within(by_meaning, asked.radius),
        stats,
    )
