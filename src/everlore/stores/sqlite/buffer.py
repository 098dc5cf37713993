"""The message buffer in `state.db`. Canonical: a returned `append` survives a power cut."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from itertools import islice
from pathlib import Path

from everlore.database import Connection, Database, Schema
from everlore.errors import Misconfigured
from everlore.stores.buffer import Kept, Numbered, Record, Seen
from everlore.stores.encoding import from_body
from everlore.stores.sql.buffer import CHUNK, SqlBuffer, in_cell, take_over
from everlore.types import Cell, Owner, Scope

REMEDY = (
    "restore it from a backup; or `everlore doctor --repair` keeps what can be read of the messages that were not yet"
    " written as markdown, and says what is lost"
)
ARRIVAL = "NULL + ?"

VERSION = 4
_TABLES = (files("everlore.stores.sqlite") / "buffer.sql").read_text("utf-8")
_OLD = {0: (), 1: ("messages", "cells", "seen", "counters"), 2: ("messages", "cells", "seen", "counters", "drafts")}
"""The tables of older versions, which were others than a database server's."""


def _upgrade(db: Connection, found: int) -> None:
    if found > VERSION:
        raise Misconfigured(
            f"the vault was used with a newer Everlore (state version {found}, this one knows {VERSION}): upgrade"
        )
    if found == VERSION - 1:
        db.execute("ALTER TABLE messages ADD COLUMN checksum BLOB")
        return
    old = _OLD[found]
    for table in old:
        db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    for index in ("messages_session", "messages_cell", "seen_cell"):
        db.execute(f"DROP INDEX IF EXISTS {index}")
    db.execute(_TABLES)
    known = _before(db) if old else iter(())
    while chunk := list(islice(known, CHUNK)):
        take_over(db, chunk, ARRIVAL)
    if "drafts" in old:
        kept = db.rows(
            "SELECT c.id, c.app, c.project, c.session, d.draft FROM old_drafts d JOIN old_cells c ON c.id = d.cell"
        )
        drafts = [(*in_cell(Cell(cell, Scope(*scope), session, ())), draft) for cell, *scope, session, draft in kept]
        db.load("drafts(tenant, cell, draft)", drafts)
    for table in old:
        db.execute(f"DROP TABLE old_{table}")


def _before(db: Connection) -> Iterator[Record]:
    """What an older version knew."""
    waiting = (
        "SELECT m.digest, m.cell, m.place, c.number, m.app, m.project, m.session, m.message, m.body FROM old_messages m"
        " LEFT JOIN old_cells c ON c.id = m.cell ORDER BY m.id"
    )
    for digest, cell, place, closed, *message in db.rows(waiting):
        yield Kept(digest, from_body(*message), cell, place, closed)
    for app, project, *rest in db.rows("SELECT app, project, track, owner, prefix, day, number FROM old_counters"):
        yield Numbered(Owner(Scope(app, project), *rest[:2]), *rest[2:])
    still = "SELECT digest FROM old_messages"
    for digest, cell in db.execute(f"SELECT digest, cell FROM old_seen WHERE digest NOT IN ({still})"):
        yield Seen(digest, cell)


class SqliteBuffer(SqlBuffer):
    arrival = ARRIVAL

    def __init__(self, path: Path) -> None:
        self._db = Database(path, Schema(VERSION, _upgrade), durable=True, derived=False, remedy=REMEDY)
        super().__init__(self._db)

    def finish(self, cell: Cell) -> None:
        select = "SELECT 1 FROM messages WHERE tenant = ? AND cell = ? AND instr(body, '\"base64\"') LIMIT 1"
        blobs = self._db.read(lambda db: db.value(select, in_cell(cell)))
        super().finish(cell)
        if blobs:
            self._db.scrub()

    def close(self) -> None:
        self._db.close()
