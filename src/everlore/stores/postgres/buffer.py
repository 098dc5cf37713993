"""The message buffer on PostgreSQL. Canonical: what `append` returned for is committed there.

A session has a tenant, and so has what is known of a message by what it says (`seen`), each by its own hash.
Names of apps, sessions and owners are kept inside JSON, where any text is allowed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any
from uuid import UUID

from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.postgres.statements import Connection, each, rows, run, value
from everlore.postgres.tenants import NUMBER_BITS, digest128, numbered, tenant_of
from everlore.stores.buffer import FAULTS, Closed, Kept, Numbered, Record, Seen, steps
from everlore.stores.encoding import accepted, body, canonical, from_body, session_of
from everlore.types import Cell, Message, Owner, Scope

CHUNK = 500
"""Records that are taken over in one transaction."""

PART = Part(
    "buffer",
    steps("postgres"),
    {"drafts": "tenant", "messages": "tenant", "cells": "tenant", "seen": "tenant", "counters": "tenant"},
    sequences=("arrivals",),
)

_INSERT = (
    "INSERT INTO messages(tenant, id, session, named, message, digest, cell, cell_id, place, body)"
    " VALUES(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
)
_MESSAGE = "SELECT named, message, body FROM messages"
_ARRIVAL = f"id & ((1::bigint << {NUMBER_BITS}) - 1)"
_OF_SCOPE = "starts_with(named, %s)"
"""`named` is canonical JSON, so what is of one scope begins alike."""


class PostgresBuffer:
    def __init__(self, server: Server) -> None:
        self._server = server
        server.prepare(PART)

    def append(self, messages: Sequence[Message]) -> int:
        kept = accepted(messages)
        return self._server.write(lambda c: _accept(c, kept)) if kept else 0

    def open_messages(self, scope: Scope, session_id: str) -> list[Message]:
        return self._messages("cell IS NULL AND", scope, session_id)

    def unprocessed(self, scope: Scope, session_id: str) -> list[Message]:
        return self._messages("", scope, session_id)

    def close_cells(self, cells: Sequence[Cell]) -> None:
        def work(connection: Connection) -> None:
            for cell in cells:
                _close(connection, cell)

        self._server.write(work)

    def pending_cells(self, scope: Scope | None = None, session_id: str | None = None) -> list[Cell]:
        where: str = ""
        values: tuple[Any, ...] = ()
        if scope is not None and session_id is not None:
            session = _session(scope, session_id)
            where, values = " WHERE tenant = %s AND session = %s", (tenant_of(session), session)
        select = f"SELECT cell, id, tenant, named FROM cells{where} ORDER BY number"
        parts = f"{_MESSAGE} WHERE tenant = %s AND cell = %s ORDER BY place"

        def work(connection: Connection) -> list[Cell]:
            found = []
            for cell, name, tenant, named in rows(connection, select, values):
                app, project, session = json.loads(named)
                if scope in (None, Scope(app, project)) and session_id in (None, session):
                    messages = tuple(_message(*part) for part in rows(connection, parts, (tenant, cell)))
                    if messages:  # else another server has finished it since
                        found.append(Cell(name, Scope(app, project), session, messages))
            return found

        return self._server.read(work)

    def finish(self, cell_id: str) -> None:
        cell = digest128(cell_id)

        def work(connection: Connection) -> None:
            for (tenant,) in rows(connection, "SELECT tenant FROM cells WHERE cell = %s", (cell,)):
                connection.execute("DELETE FROM messages WHERE tenant = %s AND cell = %s", (tenant, cell))
                connection.execute("DELETE FROM cells WHERE tenant = %s AND cell = %s", (tenant, cell))
            connection.execute("DELETE FROM drafts WHERE tenant = %s AND cell = %s", (tenant_of(cell), cell))

        self._server.write(work)

    def waiting(self, scope: Scope, limit: int) -> list[Message]:
        select = f"{_MESSAGE} WHERE {_OF_SCOPE} ORDER BY {_ARRIVAL} DESC LIMIT %s"
        found = self._server.read(lambda c: rows(c, select, (_beginning(scope), limit)))
        return [_message(*one) for one in found]

    def keep_draft(self, cell_id: str, draft: str) -> None:
        cell = digest128(cell_id)
        upsert = (
            "INSERT INTO drafts(tenant, cell, draft) VALUES(%s, %s, %s)"
            " ON CONFLICT (cell, tenant) DO UPDATE SET draft = excluded.draft"
        )
        self._server.write(lambda c: run(c, upsert, (tenant_of(cell), cell, draft)))

    def draft(self, cell_id: str) -> str | None:
        cell = digest128(cell_id)
        found: str | None = self._server.read(lambda c: value(c, "SELECT draft FROM drafts WHERE cell = %s", (cell,)))
        return found

    def forget_cell(self, cell_id: str) -> None:
        cell = digest128(cell_id)
        self._server.write(lambda c: run(c, "DELETE FROM seen WHERE cell = %s", (cell,)))

    def forget_scope(self, scope: Scope) -> int:
        def work(connection: Connection) -> int:
            here = (_beginning(scope),)
            messages = f"DELETE FROM messages WHERE {_OF_SCOPE} RETURNING digest"
            gone = [bytes(digest) for (digest,) in rows(connection, messages, here)]
            cells = [cell for (cell,) in rows(connection, f"DELETE FROM cells WHERE {_OF_SCOPE} RETURNING cell", here)]
            known = "DELETE FROM seen WHERE tenant = %s AND digest = %s"
            each(connection, known, [(_tenant(digest), digest) for digest in gone])
            drafts = "DELETE FROM drafts WHERE tenant = %s AND cell = %s"
            each(connection, drafts, [(tenant_of(cell), cell) for cell in cells])
            return len(gone)

        return self._server.write(work)

    def next_number(self, owner: Owner, prefix: str, day: str, floor: int, count: int = 1) -> int:
        named = _counter(owner, prefix, day)
        counter = digest128(named)
        insert = (
            "INSERT INTO counters(tenant, counter, named, number) VALUES(%s, %s, %s, %s) ON CONFLICT(tenant, counter)"
            " DO UPDATE SET number = greatest(counters.number + %s, excluded.number) RETURNING number"
        )
        given = (tenant_of(counter), counter, named, floor + count, count)
        last: int = self._server.write(lambda c: value(c, insert, given))
        return last - count + 1

    def count(self, *, closed: bool = False) -> int:
        which = " WHERE cell IS NOT NULL" if closed else ""
        return int(self._server.read(lambda c: value(c, f"SELECT count(*) FROM messages{which}")))

    def dump(self) -> Iterator[Record]:
        waiting = f"SELECT digest, cell_id, place, named, message, body FROM messages ORDER BY {_ARRIVAL}"
        still: set[bytes] = set()
        for digest, cell, place, *message in self._server.read(lambda c: rows(c, waiting)):
            still.add(bytes(digest))
            yield Kept(bytes(digest), _message(*message), cell, place)
        for cell, named in self._server.read(lambda c: rows(c, "SELECT id, named FROM cells ORDER BY number")):
            app, project, session = json.loads(named)
            yield Closed(cell, Scope(app, project), session)
        for named, number in self._server.read(lambda c: rows(c, "SELECT named, number FROM counters")):
            app, project, track, name, prefix, day = json.loads(named)
            yield Numbered(Owner(Scope(app, project), track, name), prefix, day, number)
        for digest, cell in self._server.read(lambda c: rows(c, "SELECT digest, cell_id FROM seen")):
            if bytes(digest) not in still:
                yield Seen(bytes(digest), cell)

    def load(self, records: Iterable[Record]) -> int:
        new = 0
        given = iter(records)
        while chunk := list(islice(given, CHUNK)):
            new += self._server.write(partial(_load, chunk))
        return new

    def check(self) -> list[str]:
        same = "ON c.tenant = m.tenant AND c.cell = m.cell"
        lost = f"messages m LEFT JOIN cells c {same} WHERE m.cell IS NOT NULL AND c.cell IS NULL"
        bare = f"cells c LEFT JOIN messages m {same} WHERE m.cell IS NULL"
        found = self._server.read(lambda c: [value(c, f"SELECT count(*) FROM {which}") for which in (lost, bare)])
        return [f"{number} {what}" for number, what in zip(found, FAULTS, strict=True) if number]

    def close(self) -> None:
        """The server is closed by whoever opened it."""

    def _messages(self, more: str, scope: Scope, session_id: str) -> list[Message]:
        session = _session(scope, session_id)
        select = f"{_MESSAGE} WHERE {more} tenant = %s AND session = %s ORDER BY id"
        found = self._server.read(lambda c: rows(c, select, (tenant_of(session), session)))
        return [_message(*one) for one in found]


def _accept(connection: Connection, kept: Sequence[Kept]) -> int:
    """Store the messages that were never seen; returns how many."""
    named = {(_tenant(one.digest), one.digest, *_cell(one.cell)) for one in kept}
    # in one order, so that two who send the same do not wait for each other
    new = rows(
        connection,
        "INSERT INTO seen(tenant, digest, cell, cell_id) SELECT * FROM unnest(%s::int[], %s::bytea[], %s::uuid[],"
        " %s::text[]) ON CONFLICT DO NOTHING RETURNING digest",
        [list(column) for column in zip(*sorted(named, key=lambda one: one[:2]), strict=True)],
    )
    fresh = {bytes(digest) for (digest,) in new}
    wanted = [one for one in kept if one.digest in fresh]
    numbers = rows(connection, "SELECT nextval('arrivals') FROM generate_series(1, %s)", (len(wanted),))
    values: list[tuple[Any, ...]] = []
    for one, (number,) in zip(wanted, numbers, strict=True):
        message = one.message
        session = _session(message.scope, message.session_id)
        tenant, name = tenant_of(session), canonical(session_of(message.scope, message.session_id))
        place = (tenant, numbered(tenant, number), session, name, canonical(message.id))
        values.append((*place, one.digest, *_cell(one.cell), one.place, body(message)))
    each(connection, _INSERT, values)
    return len(wanted)


def _close(connection: Connection, cell: Cell) -> None:
    """Take those messages that no other cell has taken; a cell that gets none is not recorded."""
    session = _session(cell.scope, cell.session_id)
    tenant, name = tenant_of(session), digest128(cell.id)
    taken = rows(
        connection,
        "UPDATE messages m SET cell = %s, cell_id = %s, place = j.place - 1"
        " FROM unnest(%s::text[]) WITH ORDINALITY j(message, place)"
        " WHERE m.tenant = %s AND m.session = %s AND m.message = j.message AND m.cell IS NULL RETURNING m.digest",
        (name, cell.id, [canonical(message.id) for message in cell.messages], tenant, session),
    )
    if taken:
        _record(connection, cell.id, cell.scope, cell.session_id)
        named = sorted((_tenant(bytes(digest)), bytes(digest)) for (digest,) in taken)
        update = "UPDATE seen SET cell = %s, cell_id = %s WHERE tenant = %s AND digest = %s"
        each(connection, update, [(*_cell(cell.id), *one) for one in named])


def _record(connection: Connection, cell_id: str, scope: Scope, session_id: str) -> None:
    session = _session(scope, session_id)
    connection.execute(
        "INSERT INTO cells(tenant, cell, number, id, session, named) VALUES(%s, %s, nextval('arrivals'), %s, %s, %s)"
        " ON CONFLICT DO NOTHING",
        (tenant_of(session), digest128(cell_id), cell_id, session, canonical(session_of(scope, session_id))),
    )


def _load(records: Sequence[Record], connection: Connection) -> int:
    kept = [record for record in records if isinstance(record, Kept)]
    new = _accept(connection, kept) if kept else 0
    for record in records:
        match record:
            case Closed(cell, scope, session_id):
                tenant = tenant_of(_session(scope, session_id))
                there = "SELECT 1 FROM messages WHERE tenant = %s AND cell = %s LIMIT 1"
                if value(connection, there, (tenant, digest128(cell))):
                    _record(connection, cell, scope, session_id)
            case Numbered(owner, prefix, day, number):
                named = _counter(owner, prefix, day)
                counter = digest128(named)
                connection.execute(
                    "INSERT INTO counters(tenant, counter, named, number) VALUES(%s, %s, %s, %s) ON CONFLICT(tenant,"
                    " counter) DO UPDATE SET number = greatest(counters.number, excluded.number)",
                    (tenant_of(counter), counter, named, number),
                )
    each(
        connection,
        "INSERT INTO seen(tenant, digest, cell, cell_id) VALUES(%s, %s, %s, %s) ON CONFLICT DO NOTHING",
        [(_tenant(one.digest), one.digest, *_cell(one.cell)) for one in records if isinstance(one, Seen)],
    )
    return new


def _session(scope: Scope, session_id: str) -> UUID:
    return digest128(scope.app, scope.project, session_id)


def _beginning(scope: Scope) -> str:
    return f"{canonical([scope.app, scope.project])[:-1]},"


def _counter(owner: Owner, prefix: str, day: str) -> str:
    return canonical([owner.scope.app, owner.scope.project, owner.track, owner.id, prefix, day])


def _cell(cell_id: str | None) -> tuple[UUID | None, str | None]:
    return (None, None) if cell_id is None else (digest128(cell_id), cell_id)


def _tenant(digest: bytes) -> int:
    return int.from_bytes(digest[:2], "big")


def _message(named: str, message: str, said: str) -> Message:
    app, project, session = json.loads(named)
    return from_body(app, project, session, json.loads(message), said)
