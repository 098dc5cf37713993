"""Searches on a real replica: it is asked when it has what we wrote, and never waited for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from databases import QUICK, Postgres, new_schema, postgres

from bench.servers import replica
from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.postgres.statements import Connection

NOTES = Part("notes", ("CREATE TABLE notes(tenant int PRIMARY KEY, said text)",), {"notes": "tenant"})
FOLLOWS = "SELECT pg_is_in_recovery()"


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[Postgres, Postgres]]:
    with postgres(*QUICK) as first, replica(first) as second:
        yield first, second


@pytest.fixture
def server(pair: tuple[Postgres, Postgres]) -> Iterator[Server]:
    first, second = pair
    made = Server(first.url(), schema=new_schema(), read_url=second.url())
    made.prepare(NOTES)
    yield made
    made.close()
    second.run("SELECT pg_wal_replay_resume()")


def where(server: Server) -> tuple[bool, int]:
    """Whether the replica answered, and how many notes it knows."""

    def work(connection: Connection) -> tuple[bool, int]:
        return bool(connection.value(FOLLOWS)), int(connection.value("SELECT count(*) FROM notes"))

    return server.look(work)


def caught_up(server: Server, count: int) -> None:
    for _ in range(10_000):
        found = where(server)
        assert found[1] == count  # what was just written is there, whoever answers
        if found[0]:
            return
    pytest.fail("the replica was never asked")


def test_what_was_written_is_found_and_the_replica_is_asked(server: Server) -> None:
    for number in range(5):
        server.write(partial(Connection.run, sql="INSERT INTO notes VALUES(?, 'x')", values=(number,)))
        assert where(server)[1] == number + 1
    caught_up(server, 5)


def test_one_that_lags_behind_is_not_asked(server: Server, pair: tuple[Postgres, Postgres]) -> None:
    caught_up(server, 0)
    pair[1].run("SELECT pg_wal_replay_pause()")
    server.write(lambda c: c.run("INSERT INTO notes VALUES(1, 'x')"))
    assert where(server) == (False, 1)
    pair[1].run("SELECT pg_wal_replay_resume()")
    caught_up(server, 1)


def test_what_is_decided_under_a_lock_is_read_where_it_is_written(server: Server) -> None:
    caught_up(server, 0)
    with server.lock("a"):
        assert where(server) == (False, 0)


def test_one_that_is_away_is_done_without(pair: tuple[Postgres, Postgres]) -> None:
    server = Server(pair[0].url(), schema=new_schema(), read_url="postgresql://everlore:s3cret@127.0.0.1:1/x")
    try:
        server.prepare(NOTES)
        assert where(server) == (False, 0)
        assert where(server) == (False, 0)
        assert "s3cret" not in server.hidden("postgresql://everlore:s3cret@127.0.0.1:1/x")
    finally:
        server.close()
