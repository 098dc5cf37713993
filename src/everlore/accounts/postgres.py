"""Accounts in PostgreSQL, where all servers on one database share them.

They are few and asked for by every request, so a cluster keeps them on its coordinator, where requests come in: who may
ask does not depend on any other node.
"""

from __future__ import annotations

from everlore.accounts.tables import TABLES, steps
from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.postgres.tables import PostgresTables

PART = Part("accounts", steps("bigserial"), dict.fromkeys(TABLES, "local"))


def open_tables(server: Server) -> PostgresTables:
    server.prepare(PART)
    return PostgresTables(server)
