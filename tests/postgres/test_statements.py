"""Statements on one connection, and texts as PostgreSQL keeps them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from databases import Postgres, new_schema, opened

from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.postgres.statements import ASKED_OFTEN, Connection, configure

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


ASKED = "SELECT said FROM sayings WHERE tenant = ?"


def plans(connection: Connection) -> list[str]:
    return [name for (name,) in connection.rows("SELECT name FROM pg_prepared_statements")]


def asked_often(connection: Connection) -> list[str]:
    """The plans that are kept after it."""
    for number in range(ASKED_OFTEN + 2):
        assert connection.often(ASKED, (number,)) == ([("one",)] if number == 1 else [])
    return plans(connection)


@pytest.fixture
def told(server: Server) -> Server:
    server.write(lambda c: c.run("INSERT INTO sayings VALUES(1, 'one')"))
    return server


def test_the_plan_of_what_is_asked_often_is_kept_under_a_name_of_its_content(told: Server) -> None:
    first = told.read(asked_often)
    assert len(first) == 1
    again = Server(told._url, schema=told.schema)
    try:
        again.prepare(SAYINGS)
        assert again.read(asked_often) == first
        with_words = told.read(lambda c: [c.often("SELECT 'a' = ?", ("a",)) for _ in range(ASKED_OFTEN + 2)])
        assert with_words == [[(True,)]] * (ASKED_OFTEN + 2)
        assert len(told.read(plans)) == 2
    finally:
        again.close()


def test_what_is_asked_otherwise_or_in_a_transaction_leaves_no_plan(told: Server) -> None:
    def work(connection: Connection) -> list[str]:
        for _ in range(10):
            connection.rows(ASKED, (1,))
        with connection.transaction():
            for _ in range(10):
                connection.often(ASKED, (1,))
        return plans(connection)

    assert told.read(work) == []


def test_a_session_without_our_plans_costs_nothing_but_them(told: Server) -> None:
    """As a proxy's is that pools transactions."""

    def work(connection: Connection) -> None:
        assert asked_often(connection)
        connection.pgconn.exec_(b"DEALLOCATE ALL")  # which our side does not see
        assert asked_often(connection) == []

    told.read(work)
    assert told.read(asked_often) == [], "and is not tried again"


def test_a_plan_that_another_client_left_in_the_session_is_no_error(told: Server) -> None:
    def work(connection: Connection) -> None:
        kept = asked_often(connection)
        configure(connection, connection.names)
        assert asked_often(connection) == kept

    told.read(work)
