"""The message buffer on PostgreSQL. Canonical: what `append` returned for is committed there.

What waits, its cells, its drafts, and what is known of a message by what it says (`accepted`) have the tenant of
their session; numbers that were given have that of their owner. `seen` is the same knowledge without a session, from
an older version or an import; a cluster keeps it on its coordinator.
Names of apps, sessions and owners are kept inside JSON, where any text is allowed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import Any
from uuid import UUID

from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.postgres.statements import Connection, each, many, rows, run, value
from everlore.postgres.tenants import NUMBER_BITS, digest128, numbered, owner_uuid, tenant_of
from everlore.stores.buffer import FAULTS, Closed, Kept, Numbered, Record, Seen, steps
from everlore.stores.encoding import accepted, body, canonical, from_body, session_of
from everlore.types import Cell, Message, Owner, Scope

CHUNK = 500
"""Records that are taken over in one transaction."""

_ACCEPT = "INSERT INTO accepted(tenant, digest, cell, cell_id)"
_COUNT = "INSERT INTO counters(tenant, counter, named, number)"
_INSERT = "INSERT INTO messages(tenant, id, session, named, message, digest, cell, cell_id, place, body)"
_MESSAGE = "SELECT named, message, body FROM messages"
_ARRIVAL = f"id & ((1::bigint << {NUMBER_BITS}) - 1)"
_OF_SCOPE = "starts_with(named, %s)"
"""`named` is canonical JSON, so what is of one scope begins alike."""


def _by_session(connection: Connection) -> None:
    """Older versions gave each of these the tenant of its own hash."""
    connection.execute(f"{_ACCEPT} SELECT tenant, digest, cell, cell_id FROM messages ON CONFLICT DO NOTHING".encode())
    waiting = [digest for (digest,) in rows(connection, "SELECT digest FROM messages")]
    connection.execute("DELETE FROM seen WHERE digest = ANY(%s)", (waiting,))
    homes = dict(rows(connection, "SELECT cell, tenant FROM cells"))
    drafts = rows(connection, "DELETE FROM drafts RETURNING cell, draft")
    known = [(homes[cell], cell, draft) for cell, draft in drafts if cell in homes]
    many(connection, "INSERT INTO drafts(tenant, cell, draft)", known)
    counters = rows(connection, "DELETE FROM counters RETURNING counter, named, number")
    many(connection, _COUNT, [(_home(named), counter, named, number) for counter, named, number in counters])


PART = Part(
    "buffer",
    (*steps("postgres"), _by_session),
    {**dict.fromkeys(("drafts", "messages", "cells", "accepted", "counters"), "tenant"), "seen": "local"},
    sequences=("arrivals",),
)


class PostgresBuffer:
    def __init__(self, server: Server) -> None:
        self._server = server
        server.prepare(PART)

    def append(self, messages: Sequence[Message]) -> int:
        kept = accepted(messages)
        return self._server.write(lambda c: _accept(c, kept, older=self._older)) if kept else 0

    @cached_property
    def _older(self) -> bool:
        """Whether older versions knew of messages, or may still be at work."""
        return bool(self._server.beside("index") or self._server.read(lambda c: rows(c, "SELECT 1 FROM seen LIMIT 1")))

    def open_messages(self, scope: Scope, session_id: str) -> list[Message]:
        return self._messages("cell IS NULL AND", scope, session_id)

    def at_rest(self, scope: Scope, session_id: str) -> list[Message] | None:
        session = _session(scope, session_id)
        select = "SELECT named, message, body, cell FROM messages WHERE tenant = %s AND session = %s ORDER BY id"
        found = self._server.read(lambda c: rows(c, select, (tenant_of(session), session)))
        return None if any(one[3] for one in found) else [_message(*one[:3]) for one in found]

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

    def finish(self, cell: Cell) -> None:
        there = (_tenant(cell.scope, cell.session_id), digest128(cell.id))

        def work(connection: Connection) -> None:
            for table in ("messages", "cells", "drafts"):
                connection.execute(f"DELETE FROM {table} WHERE tenant = %s AND cell = %s".encode(), there)

        self._server.write(work)

    def waiting(self, scope: Scope, limit: int) -> list[Message]:
        select = f"{_MESSAGE} WHERE {_OF_SCOPE} ORDER BY {_ARRIVAL} DESC LIMIT %s"
        found = self._server.read(lambda c: rows(c, select, (_beginning(scope), limit)))
        return [_message(*one) for one in found]

    def keep_draft(self, cell: Cell, draft: str) -> None:
        there = (_tenant(cell.scope, cell.session_id), digest128(cell.id))
        upsert = (
            "INSERT INTO drafts(tenant, cell, draft) VALUES(%s, %s, %s)"
            " ON CONFLICT (cell, tenant) DO UPDATE SET draft = excluded.draft"
        )
        self._server.write(lambda c: run(c, upsert, (*there, draft)))

    def draft(self, cell: Cell) -> str | None:
        there = (_tenant(cell.scope, cell.session_id), digest128(cell.id))
        select = "SELECT draft FROM drafts WHERE tenant = %s AND cell = %s"
        found: str | None = self._server.read(lambda c: value(c, select, there))
        return found

    def forget_cell(self, scope: Scope, session_id: str, cell_id: str) -> None:
        cell = digest128(cell_id)

        def work(connection: Connection) -> None:
            here = (_tenant(scope, session_id), cell)
            connection.execute("DELETE FROM accepted WHERE tenant = %s AND cell = %s", here)
            connection.execute("DELETE FROM seen WHERE cell = %s", (cell,))

        self._server.write(work)

    def forget_scope(self, scope: Scope) -> int:
        def work(connection: Connection) -> int:
            here = (_beginning(scope),)
            gone = rows(connection, f"DELETE FROM messages WHERE {_OF_SCOPE} RETURNING tenant, digest", here)
            cells = rows(connection, f"DELETE FROM cells WHERE {_OF_SCOPE} RETURNING tenant, cell", here)
            each(connection, "DELETE FROM accepted WHERE tenant = %s AND digest = %s", gone)
            each(connection, "DELETE FROM drafts WHERE tenant = %s AND cell = %s", cells)
            return len(gone)

        return self._server.write(work)

    def next_number(self, owner: Owner, prefix: str, day: str, floor: int, count: int = 1) -> int:
        named = _counter(owner, prefix, day)
        counter = digest128(named)
        insert = (
            f"{_COUNT} VALUES(%s, %s, %s, %s) ON CONFLICT(tenant, counter)"
            " DO UPDATE SET number = greatest(counters.number + %s, excluded.number) RETURNING number"
        )
        given = (tenant_of(owner_uuid(owner)), counter, named, floor + count, count)
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
        for table in ("accepted", "seen"):
            select = f"SELECT digest, cell_id FROM {table}"
            for digest, cell in self._server.read(partial(rows, statement=select)):
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


def _accept(connection: Connection, kept: Sequence[Kept], *, older: bool = True) -> int:
    """Store the messages that were never seen, by `older` versions either; returns how many."""
    before = "SELECT digest FROM seen WHERE digest = ANY(%s)"
    found = rows(connection, before, ([one.digest for one in kept],)) if older else []
    known = {bytes(digest) for (digest,) in found}
    unknown = {one.digest: one for one in kept if one.digest not in known}
    named = [
        (_tenant(one.message.scope, one.message.session_id), one.digest, *_cell(one.cell)) for one in unknown.values()
    ]
    # in one order, so that two who send the same do not wait for each other
    ordered = sorted(named, key=lambda one: one[:2])
    new = many(connection, _ACCEPT, ordered, "ON CONFLICT DO NOTHING RETURNING digest")
    fresh = {bytes(digest) for (digest,) in new}
    values: list[tuple[Any, ...]] = []
    wanted = [one for one in unknown.values() if one.digest in fresh]
    for one in wanted:
        session = _session(one.message.scope, one.message.session_id)
        name = canonical(session_of(one.message.scope, one.message.session_id))
        tenant = tenant_of(session)
        place = (tenant, numbered(tenant, 0), session, name, canonical(one.message.id))
        values.append((*place, one.digest, *_cell(one.cell), one.place, body(one.message)))
    arriving = "%s, %s + nextval('arrivals'), %s, %s, %s, %s, %s, %s, %s, %s"
    many(connection, _INSERT, values, row=arriving)
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
        connection.execute(
            "UPDATE accepted SET cell = %s, cell_id = %s WHERE tenant = %s AND digest = ANY(%s)",
            (name, cell.id, tenant, [bytes(digest) for (digest,) in taken]),
        )


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
                    f"{_COUNT} VALUES(%s, %s, %s, %s) ON CONFLICT(tenant, counter) DO UPDATE"
                    " SET number = greatest(counters.number, excluded.number)".encode(),
                    (tenant_of(owner_uuid(owner)), counter, named, number),
                )
    known = [(_by_itself(one.digest), one.digest, *_cell(one.cell)) for one in records if isinstance(one, Seen)]
    many(connection, "INSERT INTO seen(tenant, digest, cell, cell_id)", known, "ON CONFLICT DO NOTHING")
    return new


def _session(scope: Scope, session_id: str) -> UUID:
    return digest128(scope.app, scope.project, session_id)


def _tenant(scope: Scope, session_id: str) -> int:
    return tenant_of(_session(scope, session_id))


def _beginning(scope: Scope) -> str:
    return f"{canonical([scope.app, scope.project])[:-1]},"


def _counter(owner: Owner, prefix: str, day: str) -> str:
    return canonical([owner.scope.app, owner.scope.project, owner.track, owner.id, prefix, day])


def _cell(cell_id: str | None) -> tuple[UUID | None, str | None]:
    return (None, None) if cell_id is None else (digest128(cell_id), cell_id)


def _home(counter: str) -> int:
    """The tenant of the owner of a counter."""
    app, project, track, name, _, _ = json.loads(counter)
    return tenant_of(owner_uuid(Owner(Scope(app, project), track, name)))


def _by_itself(digest: bytes) -> int:
    return int.from_bytes(digest[:2], "big")


def _message(named: str, message: str, said: str) -> Message:
    app, project, session = json.loads(named)
    return from_body(app, project, session, json.loads(message), said)
