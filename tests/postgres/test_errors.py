"""Errors of PostgreSQL in our own words."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import errors as pg
from psycopg_pool import PoolClosed, PoolTimeout

from everlore.errors import Damaged, EverloreError, InvalidInput, Misconfigured, Unavailable
from everlore.postgres.errors import Lost, conflict, explained, passing, primary


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
    ],
)
def test_each_error_says_what_can_be_done(error: psycopg.Error, meaning: type[EverloreError]) -> None:
    said = explained(error, primary(error), "postgresql://host/name", "everlore")
    assert type(said) is meaning
    assert "postgresql://host/name" in str(said) or meaning is InvalidInput


def test_what_may_work_in_a_moment_is_tried_again() -> None:
    assert conflict(pg.SerializationFailure())
    assert all(map(passing, (pg.UniqueViolation(), pg.TooManyConnections(), pg.AdminShutdown())))
    assert passing(psycopg.OperationalError("server closed the connection unexpectedly"))
    assert not any(map(passing, (pg.DiskFull(), pg.QueryCanceled(), PoolClosed(), pg.UndefinedColumn())))
    assert not passing(psycopg.OperationalError("password authentication failed"))


def test_a_sentence_is_told_without_its_detail() -> None:
    error = psycopg.OperationalError("connection failed: FATAL:  the database is starting up\nDETAIL: secret")
    assert primary(error) == "the database is starting up"
