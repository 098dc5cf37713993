"""The message buffer on PostgreSQL. Canonical: what `append` returned for is committed there."""

from __future__ import annotations

import json
import re
from functools import cached_property
from importlib.resources import files

from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.postgres.statements import Connection
from everlore.sql import Session
from everlore.stores.sql.buffer import SqlBuffer, in_cell
from everlore.tenants import owner_uuid, tenant_of
from everlore.types import Cell, Owner, Scope


def _by_session(db: Connection) -> None:
    """Older versions gave each of these the tenant of its own hash."""
    db.run(
        "INSERT INTO accepted(tenant, digest, cell, cell_id) SELECT tenant, digest, cell, cell_id FROM messages"
        " ON CONFLICT DO NOTHING"
    )
    waiting = [digest for (digest,) in db.rows("SELECT digest FROM messages")]
    db.run("DELETE FROM seen WHERE digest = ANY(?)", (waiting,))
    homes: dict[object, int] = dict(db.rows("SELECT cell, tenant FROM cells"))
    drafts = db.rows("DELETE FROM drafts RETURNING cell, draft")
    known = [(homes[cell], cell, draft) for cell, draft in drafts if cell in homes]
    db.many("INSERT INTO drafts(tenant, cell, draft)", known)
    counters = db.rows("DELETE FROM counters RETURNING counter, named, number")
    owned = [(_home(named), counter, named, number) for counter, named, number in counters]
    db.many("INSERT INTO counters(tenant, counter, named, number)", owned)


def _home(counter: str) -> int:
    """The tenant of the owner of a counter."""
    app, project, track, name, _, _ = json.loads(counter)
    return tenant_of(owner_uuid(Owner(Scope(app, project), track, name)))


STEPS = re.split(
    r"^-- version \d+\n", (files("everlore.stores.postgres") / "buffer.sql").read_text("utf-8"), flags=re.MULTILINE
)
"""One script for each version. One that was released is never changed; the next change is the next script."""
PART = Part(
    "buffer",
    (*STEPS[:3], _by_session, *STEPS[3:]),
    {**dict.fromkeys(("drafts", "messages", "cells", "accepted", "counters"), "tenant"), "seen": "local"},
    sequences=("arrivals",),
)


class PostgresBuffer(SqlBuffer):
    arrival = "? + nextval('arrivals')"

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self._server = server
        server.prepare(PART)

    @cached_property
    def older(self) -> bool:
        """Whether older versions knew of messages, or may still be at work."""
        return bool(self._server.beside("index") or self._server.read(lambda db: db.rows("SELECT 1 FROM seen LIMIT 1")))

    def _finish(self, db: Session, cell: Cell) -> None:
        """In one journey."""
        tenant, name = in_cell(cell)
        db.run(
            "WITH gone AS (DELETE FROM messages WHERE tenant = ? AND cell = ? RETURNING digest),"
            " draft AS (DELETE FROM drafts WHERE tenant = ? AND cell = ?)"
            " UPDATE accepted a SET cell = ?, cell_id = ? FROM gone WHERE a.tenant = ? AND a.digest = gone.digest",
            (tenant, name, tenant, name, name, cell.id, tenant),
        )
