"""The message buffer (`Buffer`), in statements that are the same for every database.

What waits, its drafts, and what is known of a message by what it says (`accepted`) have the tenant of their session;
numbers that were given have that of their owner. `accepted` remembers every message that was ever taken, so that a
client may repeat a request whose answer it did not get, and its cell, so that forgetting a cell makes room for its
messages. `seen` is the same knowledge without a session, from an older version or an import; a cluster keeps it on its
coordinator.
Names of apps, sessions and owners are kept inside JSON, where any text is allowed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from hashlib import blake2b
from itertools import islice
from typing import Any
from uuid import UUID

from everlore.errors import Damaged
from everlore.sql import Row, Session, Tables
from everlore.stores.buffer import Accepted, Buffer, Kept, Numbered, Record, Seen, Wanted
from everlore.stores.encoding import accepted, body, canonical, from_body, session_of
from everlore.tenants import NUMBER_BITS, digest128, numbered, owner_uuid, tenant_of
from everlore.types import Cell, Message, Owner, Scope

CHUNK = 500
"""Records that are taken over in one transaction."""

_TEXT = "named, message, body, checksum"
_MESSAGE = f"SELECT {_TEXT} FROM messages"
_WHOLE = f"SELECT {_TEXT}, cell_id, place, closed FROM messages"
_HERE = "tenant = ? AND session = ?"
_CELL = "tenant = ? AND cell = ?"
_ARRIVAL = f"id & {(1 << NUMBER_BITS) - 1}"
_OF_SCOPE = "substr(named, 1, ?) = ?"
"""`named` is canonical JSON, so what is of one scope begins alike."""


class SqlBuffer(Buffer):
    arrival: str
    """The number of a message that arrives, from the tenant's first."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    @cached_property
    def older(self) -> bool:
        """Whether messages may be known without their session."""
        return True

    def append(self, messages: Sequence[Message]) -> int:
        kept = accepted(messages)
        return self._tables.write(lambda db: _accept(db, kept, self.arrival, older=self.older)) if kept else 0

    def session(self, scope: Scope, session_id: str) -> tuple[list[Cell], list[Message]]:
        found = self._all(scope, session_id)
        return _cells(found), [_message(*one[:4]) for one in found if one[4] is None]

    def unprocessed(self, scope: Scope, session_id: str) -> list[Message]:
        return [_message(*one[:4]) for one in self._all(scope, session_id)]

    def open_sessions(self) -> dict[tuple[Scope, str], int]:
        select = "SELECT named, max(id) FROM messages WHERE cell IS NULL GROUP BY named"
        found = [(json.loads(named), number) for named, number in self._tables.read(lambda db: db.rows(select))]
        return {(Scope(app, project), session): int(number) for (app, project, session), number in found}

    def close_cells(self, cells: Sequence[Cell]) -> None:
        """Those messages that no other cell has taken; one that gets none is no cell."""

        def work(db: Session) -> None:
            for cell in cells:
                names = [canonical(message.id) for message in cell.messages]
                places = [value for place, name in enumerate(names) for value in (name, place)]
                here = _session(cell.scope, cell.session_id)
                db.run(
                    "UPDATE messages SET cell = ?, cell_id = ?, closed = ?,"
                    f" place = CASE message {'WHEN ? THEN ? ' * len(names)}END"
                    f" WHERE {_HERE} AND cell IS NULL AND message IN ({_marks(names)})",
                    (digest128(cell.id), cell.id, time.time_ns(), *places, *here, *names),
                )

        self._tables.write(work)

    def pending_cells(self) -> list[Cell]:
        select = f"{_WHOLE} WHERE cell IS NOT NULL ORDER BY {_ARRIVAL}"
        return _cells(self._tables.read(lambda db: db.rows(select)))

    def finish(self, cell: Cell) -> None:
        self._tables.write(lambda db: self._finish(db, cell))

    def _finish(self, db: Session, cell: Cell) -> None:
        name, here = digest128(cell.id), in_cell(cell)
        mine = f"SELECT digest FROM messages WHERE {_CELL}"
        update = f"UPDATE accepted SET cell = ?, cell_id = ? WHERE tenant = ? AND digest IN ({mine})"
        db.run(update, (name, cell.id, here[0], *here))
        for table in ("messages", "drafts"):
            db.run(f"DELETE FROM {table} WHERE {_CELL}", here)

    def waiting(self, scope: Scope, limit: int) -> list[Message]:
        select = f"{_MESSAGE} WHERE {_OF_SCOPE} ORDER BY {_ARRIVAL} DESC LIMIT ?"
        found = self._tables.read(lambda db: db.rows(select, (*_beginning(scope), limit)))
        return [_message(*one) for one in found]

    def keep_draft(self, cell: Cell, draft: str) -> None:
        upsert = (
            "INSERT INTO drafts(tenant, cell, draft) VALUES(?, ?, ?)"
            " ON CONFLICT (cell, tenant) DO UPDATE SET draft = excluded.draft"
        )
        self._tables.write(lambda db: db.run(upsert, (*in_cell(cell), draft)))

    def draft(self, cell: Cell) -> str | None:
        select = f"SELECT draft FROM drafts WHERE {_CELL}"
        found: str | None = self._tables.read(lambda db: db.value(select, in_cell(cell)))
        return found

    def forget_cell(self, scope: Scope, session_id: str, cell_id: str) -> None:
        here = in_cell(Cell(cell_id, scope, session_id, ()))

        def work(db: Session) -> None:
            db.run(f"DELETE FROM accepted WHERE {_CELL}", here)
            db.run("DELETE FROM seen WHERE cell = ?", here[1:])

        self._tables.write(work)

    def accepted_in(self, cell: Accepted) -> Accepted:
        here = in_cell(Cell(cell.cell, cell.scope, cell.session_id, ()))

        def work(db: Session) -> list[Row]:
            known = db.rows(f"SELECT digest FROM accepted WHERE {_CELL}", here)
            return known + db.rows("SELECT digest FROM seen WHERE cell = ?", here[1:])

        return replace(cell, digests=tuple(bytes(digest) for (digest,) in self._tables.read(work)))

    def accept_again(self, cell: Accepted) -> None:
        tenant = _session(cell.scope, cell.session_id)[0]
        rows = [(tenant, digest, *_cell(cell.cell)) for digest in sorted(cell.digests)]
        insert = "INSERT INTO accepted(tenant, digest, cell, cell_id)"
        self._tables.write(lambda db: db.many(insert, rows, "ON CONFLICT DO NOTHING"))

    def forget_scope(self, scope: Scope, session_id: str | None = None) -> int:
        def work(db: Session) -> int:
            delete = f"DELETE FROM messages WHERE {_OF_SCOPE} RETURNING tenant, digest, cell_id"
            gone = db.rows(delete, _beginning(scope, session_id))
            db.each("DELETE FROM accepted WHERE tenant = ? AND digest = ?", [one[:2] for one in gone])
            cells = {(tenant, digest128(cell)) for tenant, _, cell in gone if cell}
            db.each(f"DELETE FROM drafts WHERE {_CELL}", sorted(cells))
            return len(gone)

        return self._tables.write(work)

    def next_numbers(self, wanted: Sequence[Wanted]) -> list[int]:
        named = [_counter(one.owner, one.prefix, one.day) for one in wanted]
        counts = [value for name, one in zip(named, wanted, strict=True) for value in (digest128(name), one.count)]
        step = f"CASE counters.counter {'WHEN ? THEN ? ' * len(wanted)}END"
        rows = [
            (tenant_of(owner_uuid(one.owner)), digest128(name), name, one.floor + one.count)
            for name, one in zip(named, wanted, strict=True)
        ]
        then = (
            f"ON CONFLICT(counter, tenant) DO UPDATE SET number = CASE WHEN counters.number + {step} > excluded.number"
            f" THEN counters.number + {step} ELSE excluded.number END RETURNING named, number"
        )
        insert = "INSERT INTO counters(tenant, counter, named, number)"
        found = self._tables.write(lambda db: dict(db.many(insert, sorted(rows), then, [*counts, *counts])))
        return [found[name] - one.count + 1 for name, one in zip(named, wanted, strict=True)]

    def next_number(self, owner: Owner, prefix: str, day: str, floor: int, count: int = 1) -> int:
        return self.next_numbers([Wanted(owner, prefix, day, floor, count)])[0]

    def count(self, *, closed: bool = False) -> int:
        which = " WHERE cell IS NOT NULL" if closed else ""
        return int(self._tables.read(lambda db: db.value(f"SELECT count(*) FROM messages{which}")))

    def dump(self) -> Iterator[Record]:
        def each(select: str) -> list[Row]:
            return self._tables.read(lambda db: db.rows(select))

        still: set[bytes] = set()
        columns = f"digest, cell_id, place, closed, {_TEXT}"
        for digest, cell, place, closed, *message in each(f"SELECT {columns} FROM messages ORDER BY {_ARRIVAL}"):
            still.add(bytes(digest))
            yield Kept(bytes(digest), _message(*message), cell, place, closed)
        for named, number in each("SELECT named, number FROM counters"):
            app, project, track, name, prefix, day = json.loads(named)
            yield Numbered(Owner(Scope(app, project), track, name), prefix, day, number)
        for table in ("accepted", "seen"):
            for digest, cell in each(f"SELECT digest, cell_id FROM {table}"):
                if bytes(digest) not in still:
                    yield Seen(bytes(digest), cell)

    def load(self, records: Iterable[Record]) -> int:
        new, given = 0, iter(records)
        while chunk := list(islice(given, CHUNK)):
            new += self._tables.write(partial(take_over, records=chunk, arrival=self.arrival))
        return new

    def check(self) -> list[str]:
        broken = len(self._broken())
        return [f"{broken} messages that wait are not as they were accepted"] if broken else []

    def set_aside(self) -> list[str]:
        broken = self._broken()
        self._tables.write(
            lambda db: db.each("DELETE FROM messages WHERE id = ?", [(number,) for number, *_ in broken])
        )
        return [canonical([str(text) for text in said]) for _, *said in broken]

    def _broken(self) -> list[Row]:
        found = self._tables.read(lambda db: db.rows(f"SELECT id, {_TEXT} FROM messages WHERE checksum IS NOT NULL"))
        return [one[:4] for one in found if bytes(one[4]) != _checksum(*one[1:4])]

    def close(self) -> None:
        """Whoever opened the tables closes them."""

    def _all(self, scope: Scope, session_id: str) -> list[Row]:
        select = f"{_WHOLE} WHERE {_HERE} ORDER BY id"
        return self._tables.read(lambda db: db.often(select, _session(scope, session_id)))


def _accept(db: Session, kept: Sequence[Kept], arrival: str, *, older: bool) -> int:
    """Store the messages that were never seen, by `older` versions either; returns how many."""
    digests = [one.digest for one in kept]
    before = f"SELECT digest FROM seen WHERE digest IN ({_marks(digests)})"
    known = {bytes(digest) for (digest,) in (db.rows(before, digests) if older else ())}
    unknown = {one.digest: one for one in kept if one.digest not in known}
    homes = {digest: _session(one.message.scope, one.message.session_id) for digest, one in unknown.items()}
    # in one order, so that two who send the same do not wait for each other
    taken = sorted((homes[digest][0], digest, *_cell(one.cell)) for digest, one in unknown.items())
    insert = "INSERT INTO accepted(tenant, digest, cell, cell_id)"
    fresh = {bytes(digest) for (digest,) in db.many(insert, taken, "ON CONFLICT DO NOTHING RETURNING digest")}
    values: list[Row] = []
    for digest, one in unknown.items():
        if digest in fresh:
            tenant, session = homes[digest]
            named = canonical(session_of(one.message.scope, one.message.session_id))
            said = (named, canonical(one.message.id), body(one.message))
            place = (tenant, numbered(tenant, 0), session, digest, *_cell(one.cell), one.place, one.closed)
            values.append((*place, *said, _checksum(*said)))
    columns = f"tenant, id, session, digest, cell, cell_id, place, closed, {_TEXT}"
    db.many(f"INSERT INTO messages({columns})", values, row=f"?, {arrival}{', ?' * 10}")
    return len(values)


def take_over(db: Session, records: Iterable[Record], arrival: str) -> int:
    """What another buffer knew, also without a session; returns how many messages were new."""
    kept: list[Kept] = []
    numbers: list[Row] = []
    seen: list[Row] = []
    for record in records:
        match record:
            case Kept():
                kept.append(record)
            case Numbered(owner, prefix, day, number):
                named = _counter(owner, prefix, day)
                numbers.append((tenant_of(owner_uuid(owner)), digest128(named), named, number))
            case Seen(digest, cell):
                seen.append((int.from_bytes(digest[:2], "big"), digest, *_cell(cell)))
    new = _accept(db, kept, arrival, older=True) if kept else 0
    db.each(
        "INSERT INTO counters(tenant, counter, named, number) VALUES(?, ?, ?, ?) ON CONFLICT(counter, tenant)"
        " DO UPDATE SET number = excluded.number WHERE counters.number < excluded.number",
        numbers,
    )
    db.many("INSERT INTO seen(tenant, digest, cell, cell_id)", seen, "ON CONFLICT DO NOTHING")
    return new


def _cells(found: Iterable[Row]) -> list[Cell]:
    """The closed ones of messages that were found, the one closed first before the others."""
    parts: dict[str, list[Row]] = {}
    for one in found:
        if one[4] is not None:
            parts.setdefault(one[4], []).append(one)
    cells: list[Cell] = []
    for cell, ones in sorted(parts.items(), key=lambda part: part[1][0][6] or 0):
        messages = tuple(_message(*one[:4]) for one in sorted(ones, key=lambda one: one[5]))
        cells.append(Cell(cell, messages[0].scope, messages[0].session_id, messages))
    return cells


def _marks(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))


def _session(scope: Scope, session_id: str) -> tuple[int, UUID]:
    """The tenant and the name of a session."""
    session = digest128(*session_of(scope, session_id))
    return tenant_of(session), session


def in_cell(cell: Cell) -> tuple[int, UUID]:
    return _session(cell.scope, cell.session_id)[0], digest128(cell.id)


def _cell(cell_id: str | None) -> tuple[UUID | None, str | None]:
    return (None, None) if cell_id is None else (digest128(cell_id), cell_id)


def _beginning(scope: Scope, session_id: str | None = None) -> tuple[int, str]:
    whole = f"{canonical([scope.app, scope.project])[:-1]},"
    begins = whole if session_id is None else canonical(session_of(scope, session_id))
    return len(begins), begins


def _counter(owner: Owner, prefix: str, day: str) -> str:
    return canonical([owner.scope.app, owner.scope.project, owner.track, owner.id, prefix, day])


def _checksum(named: str, message: str, said: str) -> bytes:
    return blake2b(f"{named}\0{message}\0{said}".encode(), digest_size=16).digest()


def _message(named: str, message: str, said: str, checksum: bytes | None) -> Message:
    """Older versions gave none."""
    if checksum is not None and bytes(checksum) != _checksum(named, message, said):
        raise Damaged(
            "a message that waits to be written is not as it was accepted: restore a backup, or run"
            " `everlore doctor --repair`, which sets it aside so that the others go on"
        )
    app, project, session = json.loads(named)
    return from_body(app, project, session, json.loads(message), said)
