"""Errors of PostgreSQL in our own words: how long there is hope, and what a caller is told. None quotes a value."""

from __future__ import annotations

import re

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolClosed, PoolTimeout

from everlore.errors import Damaged, EverloreError, InvalidInput, Misconfigured, Unavailable

RETRY_SECONDS = 10.0
NODE_SECONDS = 0.5
"""A node of a cluster is asked again once or twice, since a connection to it may only be old; others need not wait."""
_ENDED = ("57P01", "57P02", "57P03", "57P05", "25P02")
"""The database shuts down, starts or ended our session; or an error before left a transaction that cannot go on."""
_DIED = ("could not commit transaction for shard", "failure on connection marked as essential", "postmaster was shut")
"""How Citus begins to tell, without a code, that a node died in the middle: nobody knows whether it committed."""
_QUOTING = ("22", "P0", "XX")
"""Classes of errors whose sentence may quote a value."""
_EXTENSION = re.compile(r"\b(vector|halfvec|hnsw|halfvec_cosine_ops)\b|<=>")


class Lost(Unavailable):
    """The connection went away, and with it whatever was under way on it."""


def conflict(error: psycopg.Error) -> bool:
    """Somebody else was quicker; who looks again sees what they did."""
    return isinstance(error, pg.DeadlockDetected | pg.SerializationFailure | pg.UniqueViolation)


def away(error: psycopg.Error) -> bool:
    """Whether a node behind the database is away: our own session told us so, and lives."""
    state = error.sqlstate or ""
    if state == "XX000":
        return (error.diag.message_primary or "").startswith(_DIED)
    return (state.startswith("08") or state in _ENDED[:4]) and error.diag.severity_nonlocalized == "ERROR"


def patience(error: psycopg.Error) -> float:
    """For how many seconds the same may be tried, on another connection; 0: it would not help."""
    if isinstance(error, PoolClosed | PoolTimeout | pg.LockNotAvailable | pg.QueryCanceled | pg.DiskFull):
        return 0.0
    if away(error):
        return NODE_SECONDS
    if conflict(error) or isinstance(error, pg.TooManyConnections):
        return RETRY_SECONDS
    state = error.sqlstate or ""
    if state:
        return RETRY_SECONDS if state.startswith("08") or state in _ENDED else 0.0
    said = primary(error)
    lost = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    hopeless = any(word in said for word in ("authentication", "not exist", "translate", "invalid", "missing"))
    return RETRY_SECONDS if lost and not hopeless else 0.0


def primary(error: psycopg.Error) -> str:
    """The sentence itself: one line, no detail, which would quote the row; of errors about values their kind alone."""
    if (error.sqlstate or "").startswith(_QUOTING):
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__.rstrip("_")).lower()
        return f"{words}, {error.sqlstate}"
    said = (error.diag.message_primary or str(error)).partition("\n")[0]
    return said.rpartition("FATAL:")[2].strip()[:300]


def explained(error: psycopg.Error, said: str, where: str, schema: str) -> EverloreError:
    """`said` is the error's own sentence without secrets, `where` what people may see of the URL."""
    if isinstance(error, PoolTimeout):
        return Unavailable(f"{where} cannot be reached, or all connections to it are busy; try again")
    if isinstance(error, PoolClosed):
        return Unavailable(f"the connections to {where} are closed")
    if away(error):
        return Unavailable(f"a node of {where} does not answer ({said}): what lies there waits for it; try again")
    return _refused(error, said, where) or _unfit(error, said, where, schema)


def _refused(error: psycopg.Error, said: str, where: str) -> EverloreError | None:
    """The database is there and works, but not now, or not for us."""
    match error:
        case pg.ReadOnlySqlTransaction():
            return Unavailable(f"{where} is read-only: nothing was written; make it writable and try again")
        case pg.DiskFull():
            return Unavailable(f"{where} is full ({said}): nothing was written; make room and try again")
        case pg.OutOfMemory() | pg.ConfigurationLimitExceeded() | pg.TooManyConnections():
            return Unavailable(f"{where} has reached a limit ({said}): nothing was written; raise it, or try again")
        case _ if conflict(error) or isinstance(error, pg.LockNotAvailable):
            return Unavailable(f"{where} is busy with other work ({said}); try again")
        case pg.QueryCanceled():
            return Unavailable(f"{where} gave a statement up ({said}); try again, or raise EVEROS_STORE__QUERY_MS")
        case pg.InvalidPassword() | pg.InvalidAuthorizationSpecification() | pg.InvalidCatalogName():
            return Misconfigured(f"{where} refuses us ({said}): correct EVEROS_STORE__URL or DATABASE_URL")
        case pg.InsufficientPrivilege():
            return Misconfigured(f"{where} does not permit that ({said}): give its user the right")
    return None


def _unfit(error: psycopg.Error, said: str, where: str, schema: str) -> EverloreError:
    """It is out of reach, or not as it must be."""
    match error:
        case pg.DataCorrupted() | pg.IndexCorrupted() | pg.IoError():
            return Damaged(f"{where} has damaged files ({said}): let its administrator repair or restore it")
        case psycopg.OperationalError() | psycopg.InterfaceError():
            if "authentication" in said or "not exist" in said:
                return Misconfigured(f"{where} refuses us ({said}): correct EVEROS_STORE__URL or DATABASE_URL")
            return Lost(f"{where} cannot be reached ({said}): check that it runs and its address, and try again")
        case psycopg.DataError():
            return InvalidInput(f"a value cannot be stored in PostgreSQL: {said}")
        case pg.UndefinedObject() | pg.UndefinedFunction() if _EXTENSION.search(said):
            return Misconfigured(f"{where} lacks pgvector ({said}): let an administrator run: CREATE EXTENSION vector")
        case pg.InvalidSchemaName() | pg.UndefinedTable() | pg.UndefinedColumn() | pg.UndefinedObject():
            return Damaged(f"{where}: something of schema {schema} is missing ({said}): restore it from a backup")
        case pg.UndefinedFunction() | pg.DatatypeMismatch() | pg.WrongObjectType() | psycopg.IntegrityError():
            return Damaged(f"{where}: the tables of schema {schema} are not as we made them ({said})")
    return Misconfigured(
        f"{where} refused a statement of Everlore ({said}; {error.sqlstate}): if it is a PostgreSQL that is supported,"
        " report this"
    )
