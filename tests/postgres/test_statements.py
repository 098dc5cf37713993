"""Statements on one connection, and texts as PostgreSQL keeps them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from databases import Postgres, new_schema, opened

from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.postgres.statements import Connection

SAYINGS = Part("sayings", ("CREATE TABLE sayings(tenant int PRIMARY KEY, said text)",), {"sayings": "tenant"})


@pytest.fixture
def server(database: Postgres) -> Iterator[Server]:
    with opened(database.url(), new_schema()) as made:
        made.prepare(SAYINGS)
        yield made


def test_statements_give_rows_values_and_counts(server: Server) -> None:
    def work(connection: Connection) -> None:
        connection.each("INSERT INTO sayings VALUES(%s, %s)", [(1, "one"), (2, "two"), (3, "a\x00b")])
        connection.each("INSERT INTO sayings VALUES(%s, %s)", [])
        assert connection.rows("SELECT tenant FROM sayings ORDER BY tenant") == [(1,), (2,), (3,)]
        assert connection.row("SELECT said FROM sayings WHERE tenant = %s", (2,)) == ("two",)
        assert connection.row("SELECT said FROM sayings WHERE tenant = %s", (9,)) is None
        assert connection.value("SELECT said FROM sayings WHERE tenant = %s", (9,)) is None
        assert connection.run("UPDATE sayings SET said = 'x' WHERE tenant < %s", (3,)) == 2
        kept = connection.value("SELECT said FROM sayings WHERE tenant = 3")
        assert kept == "a\x00b"

    server.write(work)
