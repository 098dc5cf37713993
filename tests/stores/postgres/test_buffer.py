"""The buffer of an older version is taken over: nothing is accepted twice, no number is given twice."""

from __future__ import annotations

from functools import partial

from databases import Postgres, new_schema, opened
from stored import ALICE, message

from everlore.postgres.parts import Part
from everlore.postgres.statements import Connection
from everlore.stores.encoding import body, canonical, digests, session_of
from everlore.stores.postgres.buffer import STEPS, PostgresBuffer
from everlore.tenants import digest128, owner_uuid, tenant_of
from everlore.types import Cell, Scope

OLD = Part(
    "buffer",
    tuple(STEPS[:2]),
    dict.fromkeys(("drafts", "messages", "cells", "seen", "counters"), "tenant"),
    sequences=("arrivals",),
)


def test_what_an_older_version_knew_is_known(database: Postgres) -> None:
    written, waiting = message(1, "written long ago"), message(2, "waits in a cell")
    first, second = digests([written, waiting])
    session, cell = digest128("default", "default", "s1"), digest128("c1")
    named = canonical(["default", "default", "user", ALICE.id, "ep", "2026-05-28"])
    with opened(database.url(), new_schema()) as server:
        server.prepare(OLD)
        waits = (tenant_of(session), 1, session, canonical(session_of(Scope(), "s1")), canonical("m2"), second)
        for statement, values in (
            ("seen VALUES(%s, %s, %s, %s)", (int.from_bytes(first[:2], "big"), first, digest128("c0"), "c0")),
            ("seen VALUES(%s, %s, %s, %s)", (int.from_bytes(second[:2], "big"), second, cell, "c1")),
            ("messages VALUES(%s, %s, %s, %s, %s, %s, %s, 'c1', 0, %s)", (*waits, cell, body(waiting))),
            (
                "cells VALUES(%s, %s, 1, 'c1', %s, %s)",
                (tenant_of(session), cell, session, canonical(["default", "default", "s1"])),
            ),
            ("drafts VALUES(%s, %s, 'what the model said')", (tenant_of(cell), cell)),
            ("counters VALUES(%s, %s, %s, 7)", (tenant_of(digest128(named)), digest128(named), named)),
        ):
            server.write(partial(Connection.each, sql=f"INSERT INTO {statement}", values=[values]))
        buffer = PostgresBuffer(server)
        assert buffer.append([written, waiting]) == 0
        closed = Cell("c1", Scope(), "s1", (waiting,))
        assert buffer.pending_cells() == [closed]
        assert buffer.draft(closed) == "what the model said"
        assert buffer.next_number(ALICE, "ep", "2026-05-28", 0) == 8
        assert server.read(lambda c: c.rows("SELECT tenant, number FROM counters")) == [
            (tenant_of(owner_uuid(ALICE)), 8)
        ]
        buffer.finish(closed)
        assert server.read(lambda c: c.rows("SELECT 1 FROM drafts")) == []
        buffer.forget_cell(Scope(), "s1", "c1")
        buffer.forget_cell(Scope(), "s1", "c0")
        assert buffer.append([written, waiting]) == 2
