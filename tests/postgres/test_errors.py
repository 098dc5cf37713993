"""Errors of PostgreSQL in our own words."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from databases import Postgres, new_schema, opened
from psycopg import errors as pg
from psycopg_pool import PoolClosed, PoolTimeout

from everlore.errors import Damaged, EverloreError, InvalidInput, Misconfigured, Unavailable
from everlore.postgres.errors import NODE_SECONDS, RETRY_SECONDS, Lost, conflict, explained, patience, primary
from everlore.postgres.server import Server
from everlore.postgres.statements import Connection
from everlore.stores.postgres.index import open_index
from everlore.vault.postgres import PostgresVault


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (PoolTimeout(), Unavailable),
        (PoolClosed(), Unavailable),
        (pg.ReadOnlySqlTransaction(), Unavailable),
        (pg.DiskFull(), Unavailable),
        (pg.DeadlockDetected(), Unavailable),
        (pg.QueryCanceled(), Unavailable),
        (pg.InvalidPassword(), Misconfigured),
        (pg.InsufficientPrivilege(), Misconfigured),
        (psycopg.OperationalError("password authentication failed"), Misconfigured),
        (psycopg.OperationalError("connection refused"), Lost),
        (pg.NumericValueOutOfRange(), InvalidInput),
        (pg.UndefinedColumn(), Damaged),
        (pg.NotNullViolation(), Damaged),
        (pg.IndexCorrupted(), Damaged),
        (pg.InternalError_(), Misconfigured),
        (pg.OutOfMemory(), Unavailable),
    ],
)
def test_each_error_says_what_can_be_done(error: psycopg.Error, meaning: type[EverloreError]) -> None:
    said = explained(error, primary(error), "postgresql://host/name", "everlore")
    assert type(said) is meaning
    assert "postgresql://host/name" in str(said) or meaning is InvalidInput


def test_what_may_work_in_a_moment_is_tried_again() -> None:
    assert conflict(pg.SerializationFailure())
    assert {patience(pg.UniqueViolation()), patience(pg.TooManyConnections()), patience(pg.AdminShutdown())} == {
        RETRY_SECONDS
    }
    assert patience(psycopg.OperationalError("server closed the connection unexpectedly"))
    assert not any(map(patience, (pg.DiskFull(), pg.QueryCanceled(), PoolClosed(), pg.UndefinedColumn())))
    assert not patience(psycopg.OperationalError("password authentication failed"))


def test_a_sentence_is_told_without_its_detail() -> None:
    error = psycopg.OperationalError("connection failed: FATAL:  the database is starting up\nDETAIL: secret")
    assert primary(error) == "the database is starting up"


BODY = "BEGIN RAISE 'what happened' USING ERRCODE = code; END"
RAISE = f"CREATE FUNCTION fail(code text) RETURNS void LANGUAGE plpgsql AS $$ {BODY} $$"


@pytest.fixture
def server(database: Postgres) -> Iterator[Server]:
    with opened(database.database(), new_schema()) as made:
        PostgresVault(made)
        open_index(made)
        yield made


def failure(server: Server, statement: str, values: tuple[object, ...] = ()) -> EverloreError:
    with pytest.raises(EverloreError) as caught:
        server.write(lambda c: c.run(statement, values))
    assert caught.value.__cause__ is None
    return caught.value


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("08006", Unavailable, "a node of"),
        ("08001", Unavailable, "a node of"),
        ("57P01", Unavailable, "a node of"),
        ("53100", Unavailable, "is full"),
        ("53200", Unavailable, "has reached a limit"),
        ("0A000", Misconfigured, "refused a statement of Everlore"),
        ("XX000", Misconfigured, "refused a statement of Everlore"),
        ("XX001", Damaged, "damaged files"),
        ("42501", Misconfigured, "give its user the right"),
        ("57014", Unavailable, "gave a statement up"),
    ],
)
def test_what_a_real_database_says_is_told_as_what_it_is(
    server: Server, code: str, kind: type[EverloreError], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everlore.postgres.errors.NODE_SECONDS", 0.05)
    server.write(lambda c: c.run(RAISE))
    tries: list[int] = []

    def work(connection: Connection) -> None:
        tries.append(1)
        connection.run("SELECT fail(%s)", (code,))

    with pytest.raises(kind, match=words) as caught:
        server.write(work)
    assert "not as we made them" not in str(caught.value)
    assert not isinstance(caught.value, Lost)
    assert (len(tries) > 1) == (words == "a node of")


def test_a_node_that_is_away_is_not_waited_for_as_our_own_connection_is() -> None:
    assert 0 < NODE_SECONDS <= 1 < RETRY_SECONDS


def test_what_is_missing_or_altered_is_named(server: Server) -> None:
    server.write(lambda c: c.run("ALTER TABLE tally DROP COLUMN tokens"))
    assert "tokens" in str(failure(server, "SELECT tokens FROM tally"))
    server.write(lambda c: c.run("DROP TABLE edges"))
    gone = failure(server, "SELECT 1 FROM edges")
    assert type(gone) is Damaged
    assert "edges" in str(gone)
    server.write(lambda c: c.run("DROP EXTENSION vector CASCADE"))
    lacking = failure(server, "SELECT '[1]'::halfvec")
    assert type(lacking) is Misconfigured
    assert "CREATE EXTENSION vector" in str(lacking)


def test_no_value_is_quoted_by_an_error_about_it(server: Server) -> None:
    for statement in ("SELECT %s::text::int", "SELECT %s::text::halfvec", "SELECT %s::text::date"):
        said = failure(server, statement, ("private words",))
        assert type(said) is InvalidInput
        assert "private" not in str(said)
    raising = "DO $$ BEGIN RAISE 'row with private words'; END $$"
    assert "private" not in str(failure(server, raising))
