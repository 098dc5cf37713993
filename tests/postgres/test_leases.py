"""Locks that are rows: one holder at a time, nothing left behind, and nobody writes under a lock that is lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from databases import Postgres, new_schema, opened

from everlore.errors import Unavailable
from everlore.postgres.parts import Part
from everlore.postgres.server import Server

NOTES = Part("notes", ("CREATE TABLE notes(tenant int PRIMARY KEY, said text)",), {"notes": "tenant"})
PATIENCE = 60.0


@pytest.fixture
def servers(database: Postgres) -> Iterator[tuple[Server, Server]]:
    url, schema = database.database(), new_schema()
    with opened(url, schema) as one, opened(url, schema) as two:
        one.prepare(NOTES)
        yield one, two


def left(server: Server) -> int:
    """Leases and advisory locks that anybody holds in this database."""
    locks = "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE l.locktype = 'advisory'"
    locks += " AND d.datname = current_database()"
    return int(server.read(lambda c: c.value("SELECT count(*) FROM leases") + c.value(locks)))


@pytest.mark.parametrize("patience", [0.0, 0.001])
def test_under_heavy_contention_one_has_it_and_nothing_is_left(servers: tuple[Server, Server], patience: float) -> None:
    inside: list[int] = []
    together: list[int] = []
    counted = {"taken": 0, "refused": 0}
    guard = threading.Lock()

    def contend(number: int) -> None:
        for _ in range(40):
            try:
                with servers[number % 2].lock("a", patience):
                    inside.append(number)
                    together.append(len(inside))
                    inside.remove(number)
            except Unavailable:
                with guard:
                    counted["refused"] += 1
            else:
                with guard:
                    counted["taken"] += 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(contend, range(8)))
    assert counted["taken"] + counted["refused"] == 8 * 40
    assert all(counted.values())
    assert set(together) == {1}
    assert left(servers[0]) == 0


def test_who_waits_gets_it_and_an_error_inside_leaves_nothing(servers: tuple[Server, Server]) -> None:
    one, two = servers
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with one.lock("a"):
            entered.set()
            leave.wait(PATIENCE)
            raise ZeroDivisionError

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(hold)
        assert entered.wait(PATIENCE)
        with pytest.raises(Unavailable, match="in use by another process"), two.lock("a", 0.05):
            pass
        leave.set()
        with two.lock("a", PATIENCE):
            assert left(two) == 1
        with pytest.raises(ZeroDivisionError):
            held.result()
    assert left(two) == 0


def test_what_a_dead_process_held_is_free_after_a_while(servers: tuple[Server, Server]) -> None:
    one, two = servers
    with one.lock("a"):
        one._leases.close()  # as if it were gone: it renews no more
        two.write(lambda c: c.run("UPDATE leases SET until = clock_timestamp() - interval '1 second'"))
        with two.lock("a", 0):
            assert left(two) == 1


def test_a_lease_is_renewed_as_long_as_it_is_held(servers: tuple[Server, Server]) -> None:
    one, two = servers
    with one.lock("a"):
        two.write(lambda c: c.run("UPDATE leases SET until = clock_timestamp() - interval '1 second'"))
        over = "SELECT count(*) FROM leases WHERE until < clock_timestamp()"
        deadline = time.monotonic() + PATIENCE
        while two.read(lambda c: c.value(over)) and time.monotonic() < deadline:
            time.sleep(0.1)
        with pytest.raises(Unavailable), two.lock("a", 0):
            pass


def test_nothing_is_written_under_a_lock_that_another_has_by_now(
    servers: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = servers
    monkeypatch.setattr("everlore.postgres.leases.SURE_SECONDS", 0.0)
    with one.lock("a"):
        one.write(lambda c: c.run("INSERT INTO notes VALUES(1, 'mine')"))  # asked, and it is still ours
        one._leases.close()
        two.write(lambda c: c.run("UPDATE leases SET until = clock_timestamp() - interval '1 second'"))
        with two.lock("a", 0), pytest.raises(Unavailable, match="taken over by another process"):
            one.write(lambda c: c.run("INSERT INTO notes VALUES(2, 'not mine')"))
    assert one.read(lambda c: c.value("SELECT count(*) FROM notes")) == 1


def test_a_thread_may_take_it_again_and_other_threads_wait_for_it_here(servers: tuple[Server, Server]) -> None:
    one, _ = servers
    with one.lock("a"), one.lock("a", 0):
        assert left(one) == 1
        with ThreadPoolExecutor(1) as pool, pytest.raises(Unavailable):
            pool.submit(one.lock("a", 0).__enter__).result()
    assert left(one) == 0
