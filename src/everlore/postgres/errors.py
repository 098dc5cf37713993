"""Errors of PostgreSQL in our own words: what gives hope, and what a caller is told. No message quotes a value."""

from __future__ import annotations

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolClosed, PoolTimeout

from everlore.errors import Damaged, EverloreError, InvalidInput, Misconfigured, Unavailable


class Lost(Unavailable):
    """The connection went away, and with it whatever was under way on it."""


def never(_: psycopg.Error) -> bool:
    return False


def conflict(error: psycopg.Error) -> bool:
    """Somebody else was quicker; who looks again sees what they did."""
    return isinstance(error, pg.DeadlockDetected | pg.SerializationFailure | pg.UniqueViolation)


def away(error: psycopg.Error) -> bool:
    """A node of a cluster does not answer. Our own connection is as it was: had it been lost, nobody could tell."""
    return (error.sqlstate or "").startswith("08") and error.diag.severity_nonlocalized == "ERROR"


def passing(error: psycopg.Error) -> bool:
    """Whether the same may work in a moment, on another connection."""
    if isinstance(error, PoolClosed | PoolTimeout | pg.LockNotAvailable | pg.QueryCanceled | pg.DiskFull):
        return False
    if conflict(error) or isinstance(error, pg.TooManyConnections):
        return True
    state = error.sqlstate or ""
    if state:
        return state.startswith("08") or state in ("57P01", "57P02", "57P03", "57P05", "25P02")
    said = primary(error)
    lost = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return lost and not any(word in said for word in ("authentication", "not exist", "translate", "invalid", "missing"))


def primary(error: psycopg.Error) -> str:
    """The sentence itself: no detail, which would quote the row, and one line."""
    said = (error.diag.message_primary or str(error)).partition("\n")[0]
    return said.rpartition("FATAL:")[2].strip()[:300]


def explained(error: psycopg.Error, said: str, where: str, schema: str) -> EverloreError:
    """`said` is the error's own sentence without secrets, `where` what people may see of the URL."""
    match error:
        case PoolTimeout():
            return Unavailable(f"{where} cannot be reached, or all connections to it are busy; try again")
        case _ if away(error):
            return Unavailable(f"a node of {where} does not answer ({said}): what lies there waits for it; try again")
        case PoolClosed():
            return Unavailable(f"the connections to {where} are closed")
        case pg.ReadOnlySqlTransaction():
            return Unavailable(f"{where} is read-only: nothing was written; make it writable and try again")
        case pg.DiskFull() | pg.OutOfMemory():
            return Unavailable(f"{where} is full ({said}): nothing was written; make room and try again")
        case _ if conflict(error) or isinstance(error, pg.LockNotAvailable | pg.QueryCanceled):
            return Unavailable(f"{where} is busy with other work ({said}); try again")
        case pg.InvalidPassword() | pg.InvalidAuthorizationSpecification() | pg.InvalidCatalogName():
            return Misconfigured(f"{where} refuses us ({said}): correct EVEROS_STORE__URL or DATABASE_URL")
        case pg.InsufficientPrivilege():
            return Misconfigured(f"{where} does not permit that ({said}): give its user the right")
        case psycopg.OperationalError() | psycopg.InterfaceError() | pg.InternalError_():
            if "authentication" in said or "not exist" in said:
                return Misconfigured(f"{where} refuses us ({said}): correct EVEROS_STORE__URL or DATABASE_URL")
            return Lost(f"{where} cannot be reached ({said}): check that it runs and its address, and try again")
        case psycopg.DataError():
            return InvalidInput(f"a value cannot be stored in PostgreSQL: {said}")
        case _:
            return Damaged(f"{where}: the tables of schema {schema} are not as we made them ({said})")
