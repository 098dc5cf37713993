"""The index on PostgreSQL: the same promises as the embedded one, shared by every server of a database."""

from __future__ import annotations

import time
from collections.abc import Callable

from everlore.postgres.server import Server
from everlore.postgres.tables import PostgresTables
from everlore.stores.base import Index
from everlore.stores.postgres.dialect import SAY
from everlore.stores.postgres.files import PostgresFiles
from everlore.stores.postgres.links import PostgresLinks
from everlore.stores.postgres.models import OurModel
from everlore.stores.postgres.queue import PostgresQueue
from everlore.stores.postgres.schema import PART
from everlore.stores.postgres.search import PostgresSearch
from everlore.stores.postgres.upkeep import PostgresUpkeep
from everlore.stores.sql.rows import SqlRows


def open_index(server: Server, now: Callable[[], float] = time.time) -> Index:
    server.prepare(PART)
    tables, model = PostgresTables(server), OurModel()
    return Index(
        files=PostgresFiles(server),
        rows=SqlRows(tables, SAY),
        search=PostgresSearch(server, model),
        links=PostgresLinks(tables, SAY),
        queue=PostgresQueue(server, now),
        upkeep=PostgresUpkeep(server, model, now),
    )
