"""The message buffer in `state.db`. Canonical: a returned `append` survives a power cut.

`seen` remembers every message that was ever accepted, by what it says, so that a client may repeat a request
whose answer it did not get. It also remembers the cell, so that forgetting a cell makes room for its messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from everlore.database import Database, Schema, rows, value
from everlore.errors import Misconfigured
from everlore.stores.buffer import FAULTS, Closed, Kept, Numbered, Record, Seen, steps
from everlore.stores.encoding import accepted, body, from_body, session_of
from everlore.types import Cell, Message, Owner, Scope

REMEDY = (
    "restore it from a backup; or stop every Everlore process and move it away, which loses the messages that were"
    " not yet written as markdown"
)

_STEPS = steps("sqlite")

_MESSAGE = "SELECT app, project, session, message, body FROM messages"
_SESSION = "app = ? AND project = ? AND session = ?"


def _upgrade(connection: apsw.Connection, found: int) -> None:
    if found > len(_STEPS):
        raise Misconfigured(
            f"the vault was used with a newer Everlore (state version {found}, this one knows {len(_STEPS)}): upgrade"
        )
    for step in _STEPS[found:]:
        connection.execute(step)


class SqliteBuffer:
    def __init__(self, path: Path) -> None:
        self._db = Database(path, Schema(len(_STEPS), _upgrade), durable=True, derived=False, remedy=REMEDY)

    def append(self, messages: Sequence[Message]) -> int:
        if not messages:
            return 0
        self._db.require_place()
        return self.load(accepted(messages))

    def open_messages(self, scope: Scope, session_id: str) -> list[Message]:
        return self._messages(f"{_SESSION} AND cell IS NULL ORDER BY id", session_of(scope, session_id))

    def at_rest(self, scope: Scope, session_id: str) -> list[Message] | None:
        with self._db.read() as connection:
            closed = f"SELECT 1 FROM messages WHERE {_SESSION} AND cell IS NOT NULL LIMIT 1"
            if connection.execute(closed, session_of(scope, session_id)).fetchone():
                return None
        return self.open_messages(scope, session_id)

    def unprocessed(self, scope: Scope, session_id: str) -> list[Message]:
        return self._messages(f"{_SESSION} ORDER BY id", session_of(scope, session_id))

    def close_cells(self, cells: Sequence[Cell]) -> None:
        with self._db.write() as connection:
            for cell in cells:
                _close(connection, cell)

    def pending_cells(self, scope: Scope | None = None, session_id: str | None = None) -> list[Cell]:
        given = {"session": session_id, **({"app": scope.app, "project": scope.project} if scope else {})}
        wanted = {name: text for name, text in given.items() if text is not None}
        where = " AND ".join(f"{name} = ?" for name in wanted) or "1"
        select = f"SELECT id, app, project, session FROM cells WHERE {where} ORDER BY number"
        with self._db.read() as connection:
            return [
                Cell(cell, Scope(app, project), session, tuple(self._messages("cell = ? ORDER BY place", (cell,))))
                for cell, app, project, session in rows(connection, select, tuple(wanted.values()))
            ]

    def finish(self, cell: Cell) -> None:
        with self._db.write() as connection:
            blobs = value(
                connection, "SELECT 1 FROM messages WHERE cell = ? AND instr(body, '\"base64\"') LIMIT 1", (cell.id,)
            )
            connection.execute("DELETE FROM messages WHERE cell = ?", (cell.id,))
            connection.execute("DELETE FROM drafts WHERE cell = ?", (cell.id,))
            connection.execute("DELETE FROM cells WHERE id = ?", (cell.id,))
        if blobs:
            self._db.scrub()

    def keep_draft(self, cell: Cell, draft: str) -> None:
        with self._db.write() as connection:
            connection.execute("INSERT OR REPLACE INTO drafts(cell, draft) VALUES(?, ?)", (cell.id, draft))

    def draft(self, cell: Cell) -> str | None:
        with self._db.read() as connection:
            found: str | None = value(connection, "SELECT draft FROM drafts WHERE cell = ?", (cell.id,))
        return found

    def waiting(self, scope: Scope, limit: int) -> list[Message]:
        return self._messages("app = ? AND project = ? ORDER BY id DESC LIMIT ?", (scope.app, scope.project, limit))

    def forget_cell(self, scope: Scope, session_id: str, cell_id: str) -> None:
        del scope, session_id  # a cell's id says enough
        with self._db.write() as connection:
            connection.execute("DELETE FROM seen WHERE cell = ?", (cell_id,))

    def forget_scope(self, scope: Scope) -> int:
        here = (scope.app, scope.project)
        with self._db.write() as connection:
            connection.execute(
                "DELETE FROM seen WHERE digest IN (SELECT digest FROM messages WHERE app = ? AND project = ?)", here
            )
            connection.execute("DELETE FROM messages WHERE app = ? AND project = ?", here)
            gone: int = connection.changes()
            connection.execute("DELETE FROM cells WHERE app = ? AND project = ?", here)
            connection.execute("DELETE FROM drafts WHERE cell NOT IN (SELECT id FROM cells)")
        return gone

    def next_number(self, owner: Owner, prefix: str, day: str, floor: int, count: int = 1) -> int:
        key = (owner.scope.app, owner.scope.project, owner.track, owner.id, prefix, day)
        with self._db.write() as connection:
            last: int = value(
                connection,
                "INSERT INTO counters(app, project, track, owner, prefix, day, number) VALUES(?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET number = max(number + ?, excluded.number) RETURNING number",
                (*key, floor + count, count),
            )
        return last - count + 1

    def count(self, *, closed: bool = False) -> int:
        which = " WHERE cell IS NOT NULL" if closed else ""
        with self._db.read() as connection:
            number: int = value(connection, f"SELECT count(*) FROM messages{which}")
        return number

    def dump(self) -> Iterator[Record]:
        with self._db.read() as connection:
            select = "SELECT digest, cell, place, app, project, session, message, body FROM messages ORDER BY id"
            for digest, cell, place, *message in connection.execute(select):
                yield Kept(digest, from_body(*message), cell, place)
            for cell, app, project, session in connection.execute(
                "SELECT id, app, project, session FROM cells ORDER BY number"
            ):
                yield Closed(cell, Scope(app, project), session)
            for app, project, track, name, prefix, day, number in connection.execute(
                "SELECT app, project, track, owner, prefix, day, number FROM counters"
            ):
                yield Numbered(Owner(Scope(app, project), track, name), prefix, day, number)
            for digest, cell in connection.execute(
                "SELECT digest, cell FROM seen WHERE digest NOT IN (SELECT digest FROM messages)"
            ):
                yield Seen(digest, cell)

    def load(self, records: Iterable[Record]) -> int:
        with self._db.write() as connection:
            return sum(_load(connection, record) for record in records)

    def check(self) -> list[str]:
        faults = self._db.faults()
        if faults:
            return faults
        lost = "messages WHERE cell IS NOT NULL AND cell NOT IN (SELECT id FROM cells)"
        bare = "cells WHERE id NOT IN (SELECT cell FROM messages WHERE cell IS NOT NULL)"
        with self._db.read() as connection:
            found = [value(connection, f"SELECT count(*) FROM {which}") for which in (lost, bare)]
        return [f"{number} {what}" for number, what in zip(found, FAULTS, strict=True) if number]

    def close(self) -> None:
        self._db.close()

    def _messages(self, where: str, values: Sequence[Any]) -> list[Message]:
        with self._db.read() as connection:
            return [from_body(*found) for found in rows(connection, f"{_MESSAGE} WHERE {where}", values)]


def _close(connection: apsw.Connection, cell: Cell) -> None:
    """Take those messages that no other cell has taken; a cell that gets none is not recorded."""
    take = f"UPDATE messages SET cell = ?, place = ? WHERE {_SESSION} AND message = ? AND cell IS NULL RETURNING digest"
    session = session_of(cell.scope, cell.session_id)
    taken: list[bytes] = []
    for place, message in enumerate(cell.messages):
        taken += [digest for (digest,) in rows(connection, take, (cell.id, place, *session, message.id))]
    if taken:
        connection.execute(
            "INSERT OR IGNORE INTO cells(id, app, project, session) VALUES(?, ?, ?, ?)", (cell.id, *session)
        )
        connection.executemany("UPDATE seen SET cell = ? WHERE digest = ?", [(cell.id, digest) for digest in taken])


def _load(connection: apsw.Connection, record: Record) -> int:
    """Returns 1 when it was a message that was not known."""
    match record:
        case Kept(digest, message, cell, place):
            connection.execute("INSERT OR IGNORE INTO seen(digest, cell) VALUES(?, ?)", (digest, cell))
            if not connection.changes():
                return 0
            connection.execute(
                "INSERT INTO messages(app, project, session, message, digest, cell, place, body)"
                " VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                (*session_of(message.scope, message.session_id), message.id, digest, cell, place, body(message)),
            )
            return 1
        case Closed(cell_id, scope, session_id):
            connection.execute(
                "INSERT OR IGNORE INTO cells(id, app, project, session) SELECT ?1, ?2, ?3, ?4"
                " WHERE EXISTS(SELECT 1 FROM messages WHERE cell = ?1)",
                (cell_id, *session_of(scope, session_id)),
            )
        case Numbered(owner, prefix, day, number):
            connection.execute(
                "INSERT INTO counters(app, project, track, owner, prefix, day, number) VALUES(?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET number = max(number, excluded.number)",
                (owner.scope.app, owner.scope.project, owner.track, owner.id, prefix, day, number),
            )
        case Seen(digest, seen_cell):
            connection.execute("INSERT OR IGNORE INTO seen(digest, cell) VALUES(?, ?)", (digest, seen_cell))
    return 0
