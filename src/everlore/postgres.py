"""A PostgreSQL database as Everlore uses it: a pool, our own schema in it, locks, errors in our own words.

- A thread that is inside a block works on one connection, and everything it does there, in whatever part, goes
  through that one. So a lock (an advisory lock of the session) and the work under it live and die together, and a
  server needs no more connections than it has threads at work.
- Work is a function of a connection. When the connection is lost, or the database asks for it (deadlock), the
  outermost function is run again; so it must be safe to run twice. Under a lock nothing is run again, because the
  lock went with the connection: the caller gets `Unavailable`, and whatever it did not finish was not acknowledged.
- `tenant` is in every key of every table: 16 bits of a hash of whose data it is. Numbers that name rows carry it in
  their upper bits, so that whoever has a number knows the tenant, and a distributed database knows the node.
- No message of ours holds the password, or any value of a statement.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal, TypeAlias, TypeVar
from uuid import UUID

import psycopg
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.string import StrDumper
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from everlore.errors import Damaged, EverloreError, InvalidInput, Misconfigured, Unavailable


class Lost(Unavailable):
    """The connection went away, and with it whatever was under way on it."""


Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
T = TypeVar("T")

CONNECT_SECONDS = 5
POOL_SECONDS = 10.0
"""How long a request waits for a free connection, or for a database that is away."""
START_SECONDS = 3.0
"""How long an opening waits for a database that is just starting."""
RETRY_SECONDS = 10.0
LOCK_SECONDS = 30.0
TENANT_BITS = 16
NUMBER_BITS = 46

NUL = "\x00"
STANDS_FOR_NUL = "\U0010fffe"
"""PostgreSQL keeps no NUL in a text. This is no character either, and nobody writes it."""


def digest128(*parts: str | bytes) -> UUID:
    """A name for what these parts say together; two that differ never share it."""
    said = blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        said.update(len(data).to_bytes(8, "big") + data)
    return UUID(bytes=said.digest())


def tenant_of(name: UUID) -> int:
    return int.from_bytes(name.bytes[:2], "big")


def numbered(tenant: int, number: int) -> int:
    """A number of a row: says its tenant."""
    return (tenant << NUMBER_BITS) | number


def tenants_of(numbers: Sequence[int]) -> list[int]:
    """The tenants that these numbers say, each once."""
    return sorted({number >> NUMBER_BITS for number in numbers if 0 <= number < 1 << (TENANT_BITS + NUMBER_BITS)})


@dataclass(frozen=True, slots=True)
class Part:
    """The tables of one part of Everlore, and how they came to be.

    `steps`: one script for each version; a script that was released is never changed. Tables of a `derived` part are
    dropped and made anew by the last script when their version is another one.
    """

    name: str
    steps: tuple[str, ...]
    tables: Mapping[str, Literal["tenant", "reference"]]
    derived: bool = False
    sequences: tuple[str, ...] = ()

    @property
    def version(self) -> int:
        return len(self.steps)


@dataclass(slots=True)
class _Mine:
    """What a thread holds."""

    connection: Connection
    locks: set[str] = field(default_factory=set)


class _TextDumper(StrDumper):
    def dump(self, obj: str) -> bytes | bytearray | memoryview | None:
        return super().dump(obj.replace(NUL, STANDS_FOR_NUL) if NUL in obj else obj)


class Server:
    def __init__(
        self,
        url: str,
        *,
        schema: str = "everlore",
        pool_size: int = 20,
        idle_seconds: float = 600.0,
        query_ms: int = 0,
    ) -> None:
        self._url = _plain_url(url)
        self.schema = schema
        self.where, self._password = _described(self._url)
        self._search_path = quoted(schema)
        self._query_ms = query_ms
        self._mine = threading.local()
        self._parts: dict[str, Part] = {}
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            self._url,
            kwargs={"autocommit": True, "connect_timeout": CONNECT_SECONDS, "application_name": "everlore"},
            min_size=0,
            max_size=pool_size,
            max_idle=idle_seconds,
            open=False,
            timeout=POOL_SECONDS,
            reconnect_timeout=CONNECT_SECONDS,
            configure=self._configure,
        )
        self._first_contact()
        self._pool.open()

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run statements that change nothing."""
        return self._run(work, retry=True)

    def write(self, work: Callable[[Connection], T], *, lasting: bool = True, retry: bool = True) -> T:
        """Run `work` in one transaction. Not `lasting`: a crash of the database may lose the latest of these, in
        order, which is no harm to what can be made again."""

        def transaction(connection: Connection) -> T:
            if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                return work(connection)
            with connection.transaction():
                if not lasting:
                    connection.execute("SET LOCAL synchronous_commit = off")
                return work(connection)

        return self._run(transaction, retry=retry)

    @contextlib.contextmanager
    def lock(self, name: str, timeout: float = LOCK_SECONDS) -> Iterator[None]:
        """Hold `name` against every thread of every process. A thread may take it again."""
        mine = self._held()
        if mine is not None and name in mine.locks:
            yield
            return
        key = int.from_bytes(digest128(self.schema, name).bytes[:8], "big", signed=True)
        with contextlib.ExitStack() as stack:
            mine = self._locked(stack, key, name, timeout)
            mine.locks.add(name)
            try:
                yield
            finally:
                mine.locks.discard(name)
                self._unlock(mine.connection, key)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """What this thread reads inside is the state of one moment."""
        held = self._held()
        if held is not None and held.connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            yield
            return
        with contextlib.ExitStack() as stack:
            begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            mine = self._entered(stack, lambda connection: run(connection, begin))
            try:
                yield
            finally:
                with contextlib.suppress(psycopg.Error):
                    mine.connection.execute("ROLLBACK")

    def prepare(self, part: Part) -> None:
        """Bring the tables of a part to its version. Many servers may do so at once."""
        self._parts[part.name] = part
        if self._version(part) == part.version:
            return
        self.write(lambda connection: self._upgrade(connection, part))

    def parts(self) -> list[Part]:
        return list(self._parts.values())

    def distributed(self) -> bool:
        return self.read(lambda c: bool(value(c, "SELECT version FROM versions WHERE part = 'distributed'")))

    def distribute(self) -> list[str]:
        """Spread the tables over the nodes of a Citus cluster; returns the statements that did it."""

        def work(connection: Connection) -> list[str]:
            self._only_one(connection)
            if not value(connection, "SELECT count(*) FROM pg_extension WHERE extname = 'citus'"):
                raise Misconfigured(
                    f"the database {self.where} has no Citus: create the extension there as an administrator"
                    " (CREATE EXTENSION citus), add its workers, and call this again"
                )
            if value(connection, "SELECT version FROM versions WHERE part = 'distributed'"):
                return []
            done = [statement for part in self.parts() for statement in distribution(self.schema, part)]
            for statement in done:
                connection.execute(statement.encode())
            connection.execute("INSERT INTO versions(part, version) VALUES('distributed', 1)")
            return done

        return self.write(work, retry=False)

    def close(self) -> None:
        self._pool.close()

    def holding(self) -> bool:
        """Whether this thread is in the middle of something."""
        return self._held() is not None

    def hidden(self, text: str) -> str:
        """The text without the password, wherever it came from."""
        for secret in (self._url, self._password):
            if secret:
                text = text.replace(secret, "***")
        return text

    def _held(self) -> _Mine | None:
        return getattr(self._mine, "held", None)

    @contextlib.contextmanager
    def _holding(self) -> Iterator[_Mine]:
        """This thread's connection; one from the pool when it has none."""
        held = self._held()
        if held is not None:
            yield held
            return
        with self._pool.connection() as connection:
            self._mine.held = mine = _Mine(connection)
            try:
                yield mine
            finally:
                self._mine.held = None

    def _run(self, work: Callable[[Connection], T], *, retry: bool) -> T:
        held = self._held()
        if held is None:
            return self._again(lambda: self._alone(work), _passing if retry else _never)
        # inside a lock a conflict can be resolved, since the session is as it was; inside a transaction nothing can
        idle = held.connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        return self._again(lambda: work(held.connection), _conflict if retry and idle else _never)

    def _alone(self, work: Callable[[Connection], T]) -> T:
        with self._holding() as mine:
            return work(mine.connection)

    def _again(self, work: Callable[[], T], hopeful: Callable[[psycopg.Error], bool]) -> T:
        """Run it again as long as its errors give hope, within reason."""
        deadline = time.monotonic() + RETRY_SECONDS
        pause = 0.01
        while True:
            with self._explaining():
                try:
                    return work()
                except psycopg.Error as error:
                    if not hopeful(error) or time.monotonic() > deadline:
                        raise
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 2, 1.0)

    def _entered(self, stack: contextlib.ExitStack, begin: Callable[[Connection], object]) -> _Mine:
        """Begin something that lasts, and keep its connection until the stack ends. Nothing was done in it yet, so a
        lost connection is no reason to give up."""

        def enter() -> _Mine:
            with contextlib.ExitStack() as held:
                mine = held.enter_context(self._holding())
                begin(mine.connection)
                stack.push(held.pop_all())
                return mine

        return self._again(enter, _passing if self._held() is None else _never)

    def _locked(self, stack: contextlib.ExitStack, key: int, name: str, timeout: float) -> _Mine:
        try:
            return self._entered(stack, lambda connection: _take(connection, key, timeout))
        except Unavailable as error:
            if isinstance(error.__cause__, pg.LockNotAvailable):
                raise Unavailable(f"{name} is in use by another process; try again") from None
            raise

    def _unlock(self, connection: Connection, key: int) -> None:
        try:
            connection.execute("SELECT pg_advisory_unlock(%s)", (key,))
        except psycopg.Error:
            connection.close()  # with the session goes the lock

    def _configure(self, connection: Connection) -> None:
        connection.adapters.register_dumper(str, _TextDumper)
        # a plan made for any values would be a bad one for lists that are short now and long then
        connection.execute(
            f"SET search_path TO {self._search_path}; SET plan_cache_mode = force_custom_plan;"
            f" SET statement_timeout = {self._query_ms}".encode()
        )

    def _first_contact(self) -> None:
        """Connect once, so that what is wrong is said in full, and make our schema."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                with psycopg.connect(self._url, autocommit=True, connect_timeout=CONNECT_SECONDS) as connection:
                    self._make_schema(connection)
            except psycopg.Error as error:
                if not _passing(error) or time.monotonic() > deadline:
                    raise self._explained(error) from None
                time.sleep(0.2)
            else:
                return

    def _make_schema(self, connection: Connection) -> None:
        connection.adapters.register_dumper(str, _TextDumper)
        ready = value(connection, "SELECT to_regclass(%s)", (f"{quoted(self.schema)}.versions",))
        if ready is None:
            with connection.transaction():
                self._only_one(connection)
                if not value(connection, "SELECT count(*) FROM pg_namespace WHERE nspname = %s", (self.schema,)):
                    connection.execute(f"CREATE SCHEMA {quoted(self.schema)}".encode())
                connection.execute(
                    f"CREATE TABLE IF NOT EXISTS {quoted(self.schema)}.versions("
                    'part text COLLATE "C" PRIMARY KEY, version int NOT NULL)'.encode()
                )
        self._search_path = ", ".join(quoted(name) for name in (self.schema, *self._vector_schema(connection)))

    def _vector_schema(self, connection: Connection) -> list[str]:
        """Where the types of pgvector are, after making them where they are missing."""
        select = "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace"
        found = rows(connection, f"{select} WHERE e.extname = 'vector'")
        if found:
            return [found[0][0]]
        try:
            with connection.transaction():
                self._only_one(connection)
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except (pg.FeatureNotSupported, pg.UndefinedFile, pg.InsufficientPrivilege):
            raise Misconfigured(
                f"the database {self.where} has no pgvector: install it on the database server, then let an"
                " administrator run there: CREATE EXTENSION vector"
            ) from None
        return [found[0] for found in rows(connection, f"{select} WHERE e.extname = 'vector'")]

    def _only_one(self, connection: Connection) -> None:
        """Until the end of the transaction, no other server changes tables."""
        key = int.from_bytes(digest128("everlore", "tables").bytes[:8], "big", signed=True)
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (key,))

    def _version(self, part: Part) -> int:
        select = "SELECT version FROM versions WHERE part = %s"
        return self.read(lambda connection: int(value(connection, select, (part.name,)) or 0))

    def _upgrade(self, connection: Connection, part: Part) -> None:
        self._only_one(connection)
        found = self._version(part)
        if found == part.version:
            return  # another server was quicker
        if found > part.version and not part.derived:
            raise Misconfigured(
                f"the database was used with a newer Everlore ({part.name} version {found}, this one knows"
                f" {part.version}): upgrade this one"
            )
        if part.derived:
            for table in part.tables:
                connection.execute(f"DROP TABLE IF EXISTS {table} CASCADE".encode())
            for sequence in part.sequences:
                connection.execute(f"DROP SEQUENCE IF EXISTS {sequence}".encode())
        for step in part.steps[-1:] if part.derived else part.steps[found:]:
            connection.execute(step.encode())
        if value(connection, "SELECT version FROM versions WHERE part = 'distributed'"):
            for statement in distribution(self.schema, part):
                connection.execute(statement.encode())
        connection.execute(
            "INSERT INTO versions(part, version) VALUES(%s, %s)"
            " ON CONFLICT(part) DO UPDATE SET version = excluded.version",
            (part.name, part.version),
        )

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except UnicodeEncodeError as error:
            raise InvalidInput(f"a text cannot be stored: {error.reason} at {error.start}") from None
        except psycopg.Error as error:
            # its text may hold values of people's memories, so it stays out of logs
            raise self._explained(error) from (error if isinstance(error, pg.LockNotAvailable) else None)

    def _explained(self, error: psycopg.Error) -> EverloreError:
        said = self.hidden(_primary(error))
        match error:
            case PoolTimeout():
                return Unavailable(f"{self.where} cannot be reached, or all connections to it are busy; try again")
            case PoolClosed():
                return Unavailable(f"the connections to {self.where} are closed")
            case pg.ReadOnlySqlTransaction():
                return Unavailable(f"{self.where} is read-only: nothing was written; make it writable and try again")
            case pg.DiskFull() | pg.OutOfMemory():
                return Unavailable(f"{self.where} is full ({said}): nothing was written; make room and try again")
            case _ if _conflict(error) or isinstance(error, pg.LockNotAvailable | pg.QueryCanceled):
                return Unavailable(f"{self.where} is busy with other work ({said}); try again")
            case pg.InvalidPassword() | pg.InvalidAuthorizationSpecification() | pg.InvalidCatalogName():
                return Misconfigured(f"{self.where} refuses us ({said}): correct EVEROS_STORE__URL or DATABASE_URL")
            case pg.InsufficientPrivilege():
                return Misconfigured(f"{self.where} does not permit that ({said}): give its user the right")
            case psycopg.OperationalError() | psycopg.InterfaceError() | pg.InternalError_():
                if "authentication" in said or "not exist" in said:
                    return Misconfigured(f"{self.where} refuses us ({said}): correct EVEROS_STORE__URL or DATABASE_URL")
                return Lost(f"{self.where} cannot be reached ({said}); try again")
            case psycopg.DataError():
                return InvalidInput(f"a value cannot be stored in PostgreSQL: {said}")
            case _:
                return Damaged(f"{self.where}: the tables of schema {self.schema} are not as we made them ({said})")


def distribution(schema: str, part: Part) -> list[str]:
    """The statements that spread a part over a Citus cluster: all tables side by side, by tenant."""
    found = []
    for table, how in part.tables.items():
        name = f"{quoted(schema)}.{table}".replace("'", "''")
        if how == "reference":
            found.append(f"SELECT create_reference_table('{name}')")
        else:
            together = f"{quoted(schema)}.documents".replace("'", "''") if table != "documents" else "none"
            found.append(f"SELECT create_distributed_table('{name}', 'tenant', colocate_with => '{together}')")
    return found


def rows(connection: Connection, statement: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
    return connection.execute(statement.encode(), values).fetchall()


def first(connection: Connection, statement: str, values: Sequence[Any] | None = None) -> tuple[Any, ...] | None:
    return connection.execute(statement.encode(), values).fetchone()


def run(connection: Connection, statement: str, values: Sequence[Any] | None = None) -> int:
    """Returns how many rows it changed."""
    return connection.execute(statement.encode(), values).rowcount


def value(connection: Connection, statement: str, values: Sequence[Any] | None = None) -> Any:
    """The first column of the first row, None if there is no row."""
    found = first(connection, statement, values)
    return found[0] if found else None


def each(connection: Connection, statement: str, values: Sequence[Sequence[Any]]) -> None:
    """Run a statement for each of these, in one go."""
    if values:
        with connection.cursor() as cursor:
            cursor.executemany(statement.encode(), values)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def with_nul(text: str) -> str:
    """A text as it was before it was stored."""
    return text.replace(STANDS_FOR_NUL, NUL) if STANDS_FOR_NUL in text else text


def _take(connection: Connection, key: int, timeout: float) -> None:
    if value(connection, "SELECT pg_try_advisory_lock(%s)", (key,)):
        return
    with connection.transaction():
        connection.execute("SELECT set_config('lock_timeout', %s, true)", (f"{max(1, int(timeout * 1000))}ms",))
        connection.execute("SELECT pg_advisory_lock(%s)", (key,))


def _never(_: psycopg.Error) -> bool:
    return False


def _conflict(error: psycopg.Error) -> bool:
    """Somebody else was quicker; who looks again sees what they did."""
    return isinstance(error, pg.DeadlockDetected | pg.SerializationFailure | pg.UniqueViolation)


def _passing(error: psycopg.Error) -> bool:
    """Whether the same may work in a moment, on another connection."""
    if isinstance(error, PoolClosed | PoolTimeout | pg.LockNotAvailable | pg.QueryCanceled | pg.DiskFull):
        return False
    if _conflict(error) or isinstance(error, pg.TooManyConnections):
        return True
    state = error.sqlstate or ""
    if state:
        return state.startswith("08") or state in ("57P01", "57P02", "57P03", "57P05", "25P02")
    said = _primary(error)
    lost = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return lost and not any(word in said for word in ("authentication", "not exist", "translate", "invalid", "missing"))


def _primary(error: psycopg.Error) -> str:
    """The sentence itself: no detail, which would quote the row, and one line."""
    said = error.diag.message_primary or str(error).partition("\n")[0]
    return said.rpartition("FATAL:")[2].strip()[:300]


def _plain_url(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    if separator and scheme.partition("+")[0] in ("postgres", "postgresql"):
        return f"postgresql://{rest}"
    if separator:
        raise Misconfigured(f"the store's URL begins with {scheme}://, but only postgresql:// is known")
    return url


def _described(url: str) -> tuple[str, str]:
    """What people may see of a URL, and the password they may not."""
    try:
        known = conninfo_to_dict(url)
    except psycopg.Error:
        # the message of the library quotes what it did not understand, which may be the password
        raise Misconfigured("the store's URL cannot be read: write postgresql://user:password@host:5432/name") from None
    place = f"{known.get('host') or 'localhost'}:{known.get('port') or 5432}"
    return f"PostgreSQL at {place}/{known.get('dbname') or known.get('user') or ''}", str(known.get("password") or "")
