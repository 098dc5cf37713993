"""The embedded index: one SQLite file in the vault, shared by every process that opens the vault.

A file that is damaged or of another version is put aside or emptied on opening: it is derived, and the scan of
the files at start fills it again. One that is deleted while it is in use is begun anew, and `renewals` tells it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from everlore.database import Database
from everlore.stores.base import Index
from everlore.stores.sql.overview import SqlOverview
from everlore.stores.sql.queue import SqlQueue
from everlore.stores.sql.rows import SqlRows
from everlore.stores.sqlite.dialect import SAY
from everlore.stores.sqlite.files import SqliteFiles
from everlore.stores.sqlite.links import SqliteLinks
from everlore.stores.sqlite.lookups import Lookups
from everlore.stores.sqlite.schema import SCHEMA
from everlore.stores.sqlite.search import SqliteSearch
from everlore.stores.sqlite.upkeep import SqliteUpkeep

REMEDY = "run `everlore index rebuild`; your memories are in the markdown files"


def open_index(path: Path, now: Callable[[], float] = time.time) -> Index:
    db = Database(path, SCHEMA, durable=False, derived=True, remedy=REMEDY)
    lookups = Lookups(db)
    return Index(
        files=SqliteFiles(db, lookups),
        rows=SqlRows(db.read, SAY),
        search=SqliteSearch(db, lookups),
        links=SqliteLinks(db.read, SAY),
        queue=SqlQueue(db.read, db.write, SAY, now),
        upkeep=SqliteUpkeep(db, lookups),
        overview=SqlOverview(db.read, SAY),
    )
