"""A site's database as we open it: read-only at the connection, every statement bounded in time, errors in our words.

Nothing connects before the first question. The tables are looked up once and remembered; what the site lacks is
left out of what is read.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy import event, exc, pool

from everlore.config import EmcpSection
from everlore.errors import Misconfigured, Unavailable
from everlore.logs import get_logger

_POSTGRES: Final = dict.fromkeys(("postgres", "postgresql", "pgsql"), "postgresql+psycopg")
DRIVERS: Final = {"mysql": "mysql+pymysql", "mariadb": "mariadb+pymysql", **_POSTGRES, "sqlite": "sqlite"}
CONNECT_SECONDS: Final = 5
POOL: Final[Mapping[str, Any]] = {"pool_size": 5, "max_overflow": 15, "hide_parameters": True}
PROGRESS_STEPS: Final = 20_000
"""SQLite asks after this many of its steps whether to go on: well under a millisecond."""
SLOW: Final = "the content database took too long: ask for less (a parent, a filter, a smaller offset) or try later"

log = get_logger("everlore.content")


@dataclass(frozen=True, slots=True)
class Site:
    """One site. `table` gives a table with the columns that are really there, None when the site has no such one."""

    engine: sa.Engine
    prefix: str
    shown: str
    """How messages name the database: without user and password."""
    _tables: dict[str, sa.TableClause | None] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def dialect(self) -> str:
        """sqlite, mysql or postgresql; MariaDB is mysql."""
        name = self.engine.dialect.name
        return "mysql" if name == "mariadb" else name

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """One consistent view of the data for the length of a block."""
        with self._translated(), self.engine.connect() as connection, connection.begin():
            yield connection

    def find(self, name: str) -> sa.TableClause | None:
        with self._lock:
            if name not in self._tables:
                with self._translated():
                    self._tables[name] = _look_up(self.engine, self.prefix, name)
            return self._tables[name]

    def table(self, name: str) -> sa.TableClause:
        found = self.find(name)
        if found is None:
            raise Misconfigured(
                f"{self.shown} has no table {self.prefix}{name}: set EVEROS_EMCP__TABLE_PREFIX to the site's prefix"
            )
        return found

    def close(self) -> None:
        self.engine.dispose()

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (exc.DBAPIError, exc.TimeoutError, sqlite3.Error) as error:
            # the statement and its values stay out of the log: they are a client's
            cause = getattr(error, "orig", None) or error
            log.warning("content database", database=self.shown, error=f"{type(cause).__name__}: {cause}"[:300])
            if _timed_out(cause):
                raise Unavailable(SLOW) from None
            if isinstance(error, exc.ProgrammingError | exc.OperationalError):
                self._tables.clear()  # the site may have been upgraded since they were looked up
            raise Unavailable("the content database cannot be read at the moment: try again later") from None


def open_site(section: EmcpSection, embedded: Path) -> Site:
    """The configured database, else the embedded file."""
    given = section.database_url.get_secret_value().strip()
    if not given:
        return Site(_sqlite(embedded, section.statement_seconds), "", "the embedded site")
    try:
        url = sa.make_url(given)
    except (exc.ArgumentError, ValueError):
        raise Misconfigured(
            "EVEROS_EMCP__DATABASE_URL is not a database address; it looks like mysql://user:password@host/database"
        ) from None
    kind = url.drivername.partition("+")[0]
    if kind not in DRIVERS:
        raise Misconfigured(f"EVEROS_EMCP__DATABASE_URL: {kind} is not supported; use {', '.join(DRIVERS)}")
    if kind == "sqlite":
        if not url.database or url.database == ":memory:":
            raise Misconfigured("EVEROS_EMCP__DATABASE_URL: name a file, as in sqlite:////srv/site/database.sqlite")
        engine = _sqlite(Path(url.database), section.statement_seconds)
        return Site(engine, section.table_prefix, f"the database {url.database}")
    engine = _server(url.set(drivername=DRIVERS[kind]), section.statement_seconds)
    return Site(engine, section.table_prefix, f"the database {url.database} on {url.host or 'this machine'}")


def _server(url: sa.URL, seconds: float) -> sa.Engine:
    """A MySQL, MariaDB or PostgreSQL server."""
    mysql = not url.drivername.startswith("postgresql")
    arguments: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS}
    if mysql:
        url = url.update_query_dict({"charset": "utf8mb4"})
        # a server that hangs must not hold a thread for ever
        arguments["read_timeout"] = max(1, round(seconds * 2 + CONNECT_SECONDS))
    pooled = {**POOL, "pool_timeout": CONNECT_SECONDS, "pool_recycle": 300, "pool_pre_ping": True}
    engine = sa.create_engine(url, **pooled, connect_args=arguments, isolation_level="REPEATABLE READ")
    limits = _mysql_limits if mysql else _postgres_limits

    @event.listens_for(engine, "connect")
    def limit(connection: Any, _: object) -> None:
        limits(connection, seconds)

    return engine


def _mysql_limits(connection: Any, seconds: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET SESSION TRANSACTION READ ONLY")
        cursor.execute("SELECT VERSION()")
        version = str(cursor.fetchone()[0])
        if "mariadb" in version.lower():
            cursor.execute("SET SESSION max_statement_time = %s", (seconds,))
        else:
            cursor.execute("SET SESSION max_execution_time = %s", (round(seconds * 1000),))


def _postgres_limits(connection: Any, seconds: float) -> None:
    # outside a transaction, since a rollback would take the settings back
    before, connection.autocommit = connection.autocommit, True
    connection.execute("SET default_transaction_read_only = on")
    connection.execute(f"SET statement_timeout = {round(seconds * 1000)}")
    connection.autocommit = before


def _sqlite(path: Path, seconds: float) -> sa.Engine:
    def connect() -> sqlite3.Connection:
        if not path.is_file():
            raise Misconfigured(
                f"there is no content database {path}: fill the embedded one with `everlore content import FOLDER`, "
                "or set EVEROS_EMCP__DATABASE_URL"
            )
        address = f"file:{quote(str(path.absolute()))}?mode=ro"
        opened = sqlite3.connect(address, seconds, isolation_level=None, check_same_thread=False, uri=True)
        opened.execute("PRAGMA query_only=ON")
        opened.execute("PRAGMA mmap_size=268435456")
        # SQLite's own knows no letters beyond A to Z
        opened.create_function("lower", 1, lambda one: one.lower() if isinstance(one, str) else one, deterministic=True)
        return opened

    engine = sa.create_engine("sqlite://", creator=connect, poolclass=pool.QueuePool, **POOL)

    @event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    @event.listens_for(engine, "before_cursor_execute")
    def limit(connection: sa.Connection, *_: object) -> None:
        deadline = time.monotonic() + seconds
        raw: Any = connection.connection.dbapi_connection
        raw.set_progress_handler(lambda: time.monotonic() > deadline, PROGRESS_STEPS)

    return engine


def _timed_out(cause: object) -> bool:
    """Each database says it in its own way: MariaDB 1969, MySQL 3024, PostgreSQL 57014, SQLite `interrupted`."""
    if getattr(cause, "sqlstate", None) == "57014" or isinstance(cause, exc.TimeoutError | TimeoutError):
        return True
    codes: tuple[Any, ...] = getattr(cause, "args", ())
    return bool(codes) and (codes[0] in (1969, 3024) or str(codes[0]) == "interrupted")


def _look_up(engine: sa.Engine, prefix: str, name: str) -> sa.TableClause | None:
    try:
        found = sa.inspect(engine).get_columns(prefix + name)
    except exc.NoSuchTableError:
        return None
    columns = [sa.column(sa.quoted_name(one["name"], quote=True), _plain(one["type"])) for one in found]
    return sa.table(sa.quoted_name(prefix + name, quote=True), *columns)


def _plain(found: sa.types.TypeEngine[Any]) -> sa.types.TypeEngine[Any]:
    if isinstance(found, sa.Boolean):
        return sa.Boolean()
    if isinstance(found, sa.Integer):
        return sa.BigInteger()
    return sa.Numeric() if isinstance(found, sa.Numeric) else sa.Text()
