"""A PostgreSQL database as Everlore uses it: a pool of connections, transactions, locks, and trying again."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import ConnectionPool

from everlore import __version__
from everlore.errors import EverloreError, InvalidInput, Misconfigured
from everlore.postgres.errors import explained, patience, primary
from everlore.postgres.leases import PART as LEASES
from everlore.postgres.leases import Leases
from everlore.postgres.names import Names, quoted
from everlore.postgres.parts import DISTRIBUTED, Part, beside, distribute, make_schema, tidy, upgrade, version
from everlore.postgres.replica import Replica
from everlore.postgres.statements import Connection, configure
from everlore.tenants import digest128

T = TypeVar("T")

CONNECT_SECONDS = 5
SESSION: dict[str, Any] = {
    "autocommit": True,
    "connect_timeout": CONNECT_SECONDS,
    "application_name": f"everlore {__version__}",
}
POOL_SECONDS = 10.0
"""How long a request waits for a free connection, or for a database that is away."""
START_SECONDS = 3.0
"""How long an opening waits for a database that is just starting."""
LOCK_SECONDS = 30.0
INDEX_WRITERS = "index writers"
"""The name that all who write rows of files share, and who makes the index anew has alone."""
LISTEN_SECONDS, LISTEN_AGAIN_SECONDS = 1.0, 20.0
"""How long a listener waits before it looks whether it shall stop, and before it connects again."""


class Server:
    def __init__(
        self,
        url: str,
        *,
        schema: str = "everlore",
        pool_size: int = 20,
        idle_seconds: float = 600.0,
        query_ms: int = 0,
        read_url: str = "",
    ) -> None:
        self._url = _plain_url(url)
        self.schema = schema
        self.where, self._password = _described(self._url)
        self._others = (read_url, _described(_plain_url(read_url))[1]) if read_url else ()
        self._names = Names(schema)
        self._limit = f"SET LOCAL statement_timeout = {query_ms};" if query_ms else ""
        self._mine = threading.local()
        self._parts: dict[str, Part] = {}
        self._woken: list[Callable[[], None]] = []
        self._channel = f"everlore_{digest128(schema).hex[:16]}"
        self._pool = self._connections(self._url, pool_size, idle_seconds)
        self._replica = Replica(self._connections(_plain_url(read_url), pool_size, idle_seconds)) if read_url else None
        self._leases = Leases(self.apart)
        self._first_contact()
        self._pool.open()
        if self._replica is not None:
            self._replica.pool.open()
        try:
            self.prepare(LEASES)
        except BaseException:
            self.close()
            raise

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run statements that change nothing."""
        return self._run(self._together(work, lasting=False) if self._limit else work, retry=True)

    def look(self, work: Callable[[Connection], T]) -> T:
        """The same for a search: on the replica, when there is one that has what this process wrote, and nothing is
        decided under a lock."""
        if self._replica is not None and self._held() is None and not self._leases.any():
            with self._replica.ready() as connection:
                if connection is not None:
                    with contextlib.suppress(psycopg.Error):  # cancelled by what it has to replay, perhaps
                        return (self._together(work, lasting=False) if self._limit else work)(connection)
        return self.read(work)

    def write(self, work: Callable[[Connection], T], *, lasting: bool = True, retry: bool = True) -> T:
        """Run `work` in one transaction, the one that this thread is in if it is in one. Not `lasting`: a crash of the
        database may lose the latest of these, in order, which is no harm to what can be made again."""
        self._leases.check()
        done = self._run(self._together(work, lasting=lasting, changing=True), retry=retry)
        if self._replica is not None and self._held() is None:
            self.apart(self._replica.note)
        for wake in self._woken:
            wake()
        return done

    def hold(self, connection: Connection, names: Iterable[str], shared: str = "") -> None:
        """Hold these names against all others until the transaction ends, and one together with others who share it.
        In one order, so that no two wait for each other."""
        held: set[int] = self._mine.keys
        keys = sorted({self._key(name) for name in names} - held)
        calls = ["pg_advisory_xact_lock(?)"] * len(keys)
        if shared and self._key(shared) not in held:
            keys, calls = [self._key(shared), *keys], ["pg_advisory_xact_lock_shared(?)", *calls]
        if keys:
            limit = f"set_config('lock_timeout', '{LOCK_SECONDS:.0f}s', true)"
            connection.run(f"SELECT {', '.join([limit, *calls])}", keys)
            held.update(keys)

    def _key(self, name: str) -> int:
        return int.from_bytes(digest128(self.schema, name).bytes[:8], "big", signed=True)

    def notify(self, connection: Connection) -> None:
        """Wake the other processes once this transaction is done."""
        connection.run("SELECT pg_notify(?, '')", (self._channel,))

    def listen(self, wake: Callable[[], None], stop: threading.Event) -> None:
        """Call `wake` whenever somebody here has written, or another process notifies, until `stop` is set. For that a
        connection of its own is kept; behind a proxy it may hear nothing, so nobody may count on it."""
        self._woken.append(wake)
        try:
            while not stop.is_set():
                with contextlib.suppress(psycopg.Error), Connection.connect(self._url, **SESSION) as connection:
                    configure(connection, self._names)
                    connection.run(f"LISTEN {quoted(self._channel)}")
                    while not stop.is_set():
                        for _ in connection.notifies(timeout=LISTEN_SECONDS, stop_after=1):
                            wake()
                stop.wait(LISTEN_AGAIN_SECONDS)
        finally:
            self._woken.remove(wake)

    def _together(
        self, work: Callable[[Connection], T], *, lasting: bool, changing: bool = False
    ) -> Callable[[Connection], T]:
        """In one transaction, with settings that end with it; in the one that is under way, if one is."""

        def transaction(connection: Connection) -> T:
            if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                if lasting and not self._mine.lasting:
                    connection.run("SET LOCAL synchronous_commit TO DEFAULT")
                    self._mine.lasting = True
                return work(connection)
            settings = self._limit if lasting or not changing else f"{self._limit}SET LOCAL synchronous_commit = off;"
            self._mine.keys, self._mine.lasting = set(), lasting
            with connection.transaction():
                if settings:
                    connection.run(settings)
                return work(connection)

        return transaction

    def lock(self, name: str, timeout: float = LOCK_SECONDS) -> AbstractContextManager[None]:
        """Hold `name` against every thread of every process. A thread may take it again."""
        return self._leases.hold(name, timeout)

    def apart(self, work: Callable[[Connection], T]) -> T:
        """Statements that each stand for themselves, on a connection of their own, whatever this thread is doing."""

        def attempt() -> T:
            with self._pool.connection() as connection:
                return work(connection)

        return self._again(attempt)

    def prepare(self, part: Part) -> None:
        """Bring the tables of a part to its version. Many servers may do so at once."""
        self._parts[part.name] = part
        self._names.place(part.home(self.schema), (*part.tables, *part.sequences))
        if self.read(lambda connection: version(connection, part.row)) != part.version:
            self.write(lambda connection: upgrade(connection, self.schema, part))

    def parts(self) -> list[Part]:
        return list(self._parts.values())

    def missing(self) -> list[str]:
        """Tables that were made, of what cannot be derived, and are not there."""
        parts = [part for part in self.parts() if not part.derived]
        named = [f"{quoted(self.schema)}.{quoted(table)}" for part in parts for table in part.tables]
        return self.read(lambda db: [one for one in named if db.value("SELECT to_regclass(?)", (one,)) is None])

    def beside(self, name: str) -> list[str]:
        """Schemas in which other versions of Everlore keep their tables of this derived part."""
        part = self._parts.get(name)
        return [] if part is None else list(self.read(lambda c: beside(c, self.schema, part)).values())

    def tidy(self) -> list[str]:
        """Drop what older versions derived and nobody uses any more; returns its names."""
        derived = [part for part in self.parts() if part.derived]
        return self.write(
            lambda c: [name for part in derived for name in tidy(c, self.schema, self.where, part)], retry=False
        )

    def distributed(self) -> bool:
        return self.read(lambda connection: bool(version(connection, DISTRIBUTED)))

    def distribute(self) -> list[str]:
        """Spread the tables over the nodes of a Citus cluster; returns the statements that did it."""
        return self.write(lambda c: distribute(c, self.schema, self.where, self.parts()), retry=False)

    def close(self) -> None:
        self._leases.close()
        if self._replica is not None:
            self._replica.pool.close()
        self._pool.close()

    def hidden(self, text: str) -> str:
        """The text without the password, wherever it came from."""
        for secret in (self._url, self._password, *self._others):
            if secret:
                text = text.replace(secret, "***")
        return text

    def _held(self) -> Connection | None:
        """The connection that this thread is at work on."""
        return getattr(self._mine, "held", None)

    def _run(self, work: Callable[[Connection], T], *, retry: bool) -> T:
        held = self._held()
        if held is None:
            return self._again(lambda: self._alone(work), retry=retry)
        return self._again(lambda: work(held), retry=False)  # only the outermost may be run again

    def _alone(self, work: Callable[[Connection], T]) -> T:
        with self._pool.connection() as connection:
            self._mine.held = connection
            try:
                return work(connection)
            finally:
                self._mine.held = None

    def _again(self, work: Callable[[], T], *, retry: bool = True) -> T:
        """Run it again as long as its errors give hope, within reason."""
        began = time.monotonic()
        pause = 0.01
        while True:
            with self._explaining():
                try:
                    return work()
                except psycopg.Error as error:
                    if not retry or time.monotonic() - began >= patience(error):
                        raise
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 2, 1.0)

    def _connections(self, url: str, most: int, idle_seconds: float) -> ConnectionPool[Connection]:
        return ConnectionPool(
            url,
            connection_class=Connection,
            kwargs=SESSION,
            min_size=0,
            max_size=most,
            max_idle=idle_seconds,
            open=False,
            timeout=POOL_SECONDS,
            reconnect_timeout=CONNECT_SECONDS,
            configure=partial(configure, names=self._names),
        )

    def _first_contact(self) -> None:
        """Connect once, so that what is wrong is said in full, and make our schema."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                with Connection.connect(self._url, **SESSION) as connection:
                    configure(connection, self._names)
                    make_schema(connection, self.schema, self.where)
            except psycopg.Error as error:
                if not patience(error) or time.monotonic() > deadline:
                    raise self._explained(error) from None
                time.sleep(0.2)
            else:
                return

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except UnicodeEncodeError as error:
            raise InvalidInput(f"a text cannot be stored: {error.reason} at {error.start}") from None
        except psycopg.Error as error:
            # its text may hold values of people's memories, so it stays out of logs
            raise self._explained(error) from None

    def _explained(self, error: psycopg.Error) -> EverloreError:
        return explained(error, self.hidden(primary(error)), self.where, self.schema)


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
