"""Accounts in one SQLite file that any number of processes may use at once."""

from __future__ import annotations

from pathlib import Path

import apsw

from everlore.accounts.tables import steps
from everlore.database import Database, Schema, SqliteTables
from everlore.errors import Damaged

STEPS = steps("integer")
REMEDY = "restore it from a backup, or remove it and make new keys with `everlore keys create`"


def open_file(path: Path) -> SqliteTables:
    return SqliteTables(Database(path, Schema(len(STEPS), _upgrade), durable=True, derived=False, remedy=REMEDY))


def _upgrade(connection: apsw.Connection, found: int) -> None:
    if found > len(STEPS):
        raise Damaged("accounts.db was written by a newer version of Everlore; use that version")
    for step in STEPS[found:]:
        connection.execute(step)
