"""The index on PostgreSQL: the same promises as the embedded one, shared by every server of a database."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from everlore.postgres.server import Server
from everlore.stores.base import Index
from everlore.stores.postgres.dialect import SAY
from everlore.stores.postgres.files import PostgresFiles
from everlore.stores.postgres.links import PostgresLinks
from everlore.stores.postgres.schema import PART, OurModel
from everlore.stores.postgres.search import PostgresSearch
from everlore.stores.postgres.upkeep import PostgresUpkeep
from everlore.stores.sql.overview import SqlOverview
from everlore.stores.sql.queue import SqlQueue
from everlore.stores.sql.rows import SqlRows


def open_index(server: Server, now: Callable[[], float] = time.time) -> Index:
    server.prepare(PART)
    model = OurModel()
    return Index(
        files=PostgresFiles(server, model),
        rows=SqlRows(server.read, SAY),
        search=PostgresSearch(server, model),
        links=PostgresLinks(server.read, SAY),
        queue=SqlQueue(server.read, partial(server.write, lasting=False), SAY, now, server.notify),
        upkeep=PostgresUpkeep(server, model, now),
        overview=SqlOverview(server.read, SAY),
    )
