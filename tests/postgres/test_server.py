"""The database as we use it: what happens when it goes away, refuses, or is shared with others."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import psycopg
import pytest
from clusters import one_database
from databases import Postgres, new_schema, opened
from stored import alike, embed, fill, message, row
from stored import where as within

from everlore.errors import EverloreError, InvalidInput, Misconfigured, Unavailable
from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.postgres.statements import Connection
from everlore.stores.postgres.buffer import PostgresBuffer
from everlore.stores.postgres.index import open_index
from everlore.types import Scope
from everlore.vault.postgres import PostgresVault

NOTES = Part("notes", ("CREATE TABLE notes(tenant int PRIMARY KEY, said text)",), {"notes": "tenant"})


@pytest.fixture
def server(database: Postgres) -> Iterator[Server]:
    with opened(database.url(), new_schema()) as made:
        yield made


def kill_all(database: Postgres) -> int:
    """End every session of ours, as a restart of the database does."""
    done = database.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ~ '^everlore '")
    return len(done)


def said(server: Server) -> list[str]:
    return server.read(lambda c: [row[0] for row in c.execute("SELECT said FROM notes ORDER BY tenant").fetchall()])


def test_a_lost_connection_is_not_noticed(server: Server, database: Postgres) -> None:
    server.prepare(NOTES)
    server.write(lambda c: c.execute("INSERT INTO notes VALUES(1, 'one')"))
    assert kill_all(database) >= 1
    assert said(server) == ["one"]
    kill_all(database)
    server.write(lambda c: c.execute("INSERT INTO notes VALUES(2, 'two')"))
    assert said(server) == ["one", "two"]


def test_a_connection_lost_in_the_middle_of_a_transaction_repeats_it_whole(server: Server, database: Postgres) -> None:
    server.prepare(NOTES)
    attempts: list[int] = []

    def work(connection: Connection) -> None:
        attempts.append(1)
        connection.execute("INSERT INTO notes VALUES(%s, 'x')", (len(attempts),))
        if len(attempts) == 1:
            kill_all(database)
        connection.execute("INSERT INTO notes VALUES(%s, 'y')", (100 + len(attempts),))

    server.write(work)
    assert said(server) == ["x", "y"]
    assert len(attempts) == 2


def test_a_lock_outlives_a_lost_connection(server: Server, database: Postgres) -> None:
    server.prepare(NOTES)
    with server.lock("a"):
        kill_all(database)
        server.write(lambda c: c.execute("INSERT INTO notes VALUES(1, 'one')"))
        assert said(server) == ["one"]
        with opened(database.url(), server.schema) as other, pytest.raises(Unavailable), other.lock("a", 0):
            pass
    with server.lock("a", 1):
        assert said(server) == ["one"]


def test_a_vault_change_survives_a_lost_connection(server: Server, database: Postgres) -> None:
    open_index(server)
    vault = PostgresVault(server)
    path = "default_app/default_project/users/alice/user.md"
    runs: list[int] = []

    def edit(text: str | None) -> str:
        runs.append(1)
        if len(runs) == 1:
            kill_all(database)
        return f"{text or ''}x"

    assert vault.change(path, edit).before is None
    found = vault.read(path)
    assert found is not None
    assert found.text == "x"


def test_deadlocks_are_resolved_by_trying_again(server: Server) -> None:
    server.prepare(NOTES)
    server.write(lambda c: c.execute("INSERT INTO notes VALUES(1, ''), (2, '')"))
    both = threading.Barrier(2)
    met: list[int] = []

    def work(first: int, second: int) -> None:
        def change(connection: Connection) -> None:
            connection.execute("UPDATE notes SET said = said || 'x' WHERE tenant = %s", (first,))
            if len(met) < 2:
                met.append(1)
                both.wait(60)
            connection.execute("UPDATE notes SET said = said || 'x' WHERE tenant = %s", (second,))

        server.write(change)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, (1, 2), (2, 1)))
    assert said(server) == ["xx", "xx"]


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("connection to the remote node n1:5432 failed", "08006"),
        ("could not commit transaction for shard 102008 on at least one active node", "XX000"),
        ("postmaster was shut down, exiting", "XX000"),
    ],
)
def test_a_node_that_does_not_answer_is_tried_again_and_named(server: Server, said: str, state: str) -> None:
    """The coordinator of a cluster tells so on a connection that is well itself."""
    tries: list[int] = []

    def ask(failing: int, connection: Connection) -> int:
        tries.append(1)
        if len(tries) <= failing:
            connection.execute(f"DO $$ BEGIN RAISE EXCEPTION '{said}' USING ERRCODE = '{state}'; END $$")
        return len(tries)

    with server.lock("a session"):
        assert server.write(partial(ask, 1)) == 2
        tries.clear()
        with pytest.raises(Unavailable, match=r"a node of PostgreSQL at .* does not answer"):
            server.write(partial(ask, 10_000))
        assert server.write(partial(ask, 0)) == len(tries)


def test_servers_that_start_at_once_make_the_tables_once(database: Postgres) -> None:
    url, schema = database.database(), new_schema()

    def start(_: int) -> list[str]:
        with opened(url, schema) as made:
            PostgresVault(made)
            open_index(made)
            return PostgresBuffer(made).check()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(start, range(4))) == [[]] * 4


def test_parts_are_brought_up_step_by_step_and_newer_ones_are_left_alone(server: Server) -> None:
    server.prepare(NOTES)
    server.write(lambda c: c.execute("INSERT INTO notes VALUES(1, 'kept')"))
    second = Part("notes", (*NOTES.steps, "ALTER TABLE notes ADD more text DEFAULT 'new'"), NOTES.tables)
    server.prepare(second)
    assert server.read(lambda c: c.value("SELECT said || more FROM notes")) == "keptnew"
    with pytest.raises(Misconfigured, match="newer Everlore"):
        server.prepare(NOTES)


def test_versions_of_a_derived_part_live_side_by_side(server: Server) -> None:
    first = Part("x", ("CREATE TABLE x(tenant int)",), {"x": "tenant"}, derived=True)
    second = Part("x", ("", "CREATE TABLE x(tenant int, y int)"), {"x": "tenant"}, derived=True)
    server.prepare(first)
    server.write(lambda c: c.execute("INSERT INTO x VALUES(1)"))
    server.prepare(second)
    assert server.read(lambda c: c.value("SELECT count(y) FROM x")) == 0
    assert server.beside("x") == [first.home(server.schema)]
    server.prepare(first)  # an older program beside a newer one: it finds what it had, and leaves the other alone
    assert server.read(lambda c: c.value("SELECT count(*) FROM x")) == 1
    assert server.beside("x") == [second.home(server.schema)]


def test_what_older_versions_left_is_dropped_when_none_of_them_runs(database: Postgres) -> None:
    """And a newer one is left alone, as are tables of ours that are not derived."""

    def made(version: int) -> Part:
        return Part("x", (*[""] * (version - 1), f"CREATE TABLE x(v{version} int)"), {"x": "tenant"}, derived=True)

    url = database.database()
    with opened(url, "my") as server:
        server.prepare(NOTES)
        for version in (1, 3, 2):
            server.prepare(made(version))
        server.write(lambda c: c.run("INSERT INTO versions VALUES('x', 1); CREATE TABLE my.x(legacy int)"))
        with psycopg.connect(url, application_name="everlore") as older:
            older.execute("SELECT 1")
            with pytest.raises(Unavailable, match="stop it first"):
                server.tidy()
        deadline = time.monotonic() + 60
        while database.run("SELECT 1 FROM pg_stat_activity WHERE application_name = 'everlore'"):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert sorted(server.tidy()) == ["x", "x_1"]
        assert server.tidy() == []
        assert server.beside("x") == ["my_x_3"]
        left = (
            "SELECT format('%s.%s', schemaname, tablename) FROM pg_tables WHERE tablename IN ('x', 'notes') ORDER BY 1"
        )
        assert server.read(lambda c: [name for (name,) in c.rows(left)]) == ["my.notes", "my_x_2.x", "my_x_3.x"]


def test_pgvector_goes_where_everyone_finds_it_and_is_used_where_it_is(database: Postgres) -> None:
    where = "SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector'"
    for prepared, expected in (("CREATE SCHEMA everlore", "public"), (None, "extensions")):
        url = database.database()
        with psycopg.connect(url, autocommit=True) as connection:
            if prepared:  # called as the user: new things without a schema would go there
                connection.execute(prepared.encode())
            else:
                connection.execute("CREATE SCHEMA extensions")
                connection.execute("CREATE EXTENSION vector SCHEMA extensions")
        with opened(url, "everlore") as server:
            index = open_index(server)
            index.upkeep.use_model("m", 16)
            fill(index, row("af_1", "text 1"))
            embed(index, {"text 1": 1})
            assert len(alike(index, 1, within(), 5)) == 1
            assert server.read(lambda c: c.value(where)) == expected


def test_a_read_only_database_says_so_and_keeps_what_it_has(database: Postgres) -> None:
    url, schema = database.database(), new_schema()
    with opened(url, schema) as made:
        PostgresBuffer(made).append([message(1)])
    database.run(f"ALTER DATABASE {url.rpartition('/')[2]} SET default_transaction_read_only = on")
    with opened(url, schema) as made:
        buffer = PostgresBuffer(made)
        with pytest.raises(Unavailable, match="read-only"):
            buffer.append([message(2)])
        assert [one.id for one in buffer.session(Scope(), "s1")[1]] == ["m1"]


@pytest.mark.parametrize(
    ("url", "kind", "words"),
    [
        ("postgresql://u:s3cret@127.0.0.1:1/x", Unavailable, "127.0.0.1:1/x cannot be reached"),
        ("mysql://u:s3cret@host/x", Misconfigured, "only postgresql"),
        ("postgresql://u:s3cret@[half/x", Misconfigured, "cannot be read"),
        ("host=127.0.0.1 password=s3cret wrong", Misconfigured, "cannot be read"),
    ],
)
def test_urls_that_lead_nowhere(
    url: str, kind: type[EverloreError], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everlore.postgres.server.START_SECONDS", 0.0)
    with pytest.raises(kind) as caught:
        Server(url)
    assert words in str(caught.value)
    assert "s3cret" not in str(caught.value)


@one_database
def test_a_wrong_password_is_named_as_a_setting_and_never_shown(database: Postgres) -> None:
    with pytest.raises(Misconfigured, match="EVEROS_STORE__URL") as caught:
        Server(database.url().replace(database.password, "wr0ng"))
    assert "wr0ng" not in str(caught.value)


def test_a_missing_database_and_missing_rights_are_explained(database: Postgres) -> None:
    with pytest.raises(Misconfigured, match="does not exist"):
        Server(database.url("nowhere"))
    database.run("DROP ROLE IF EXISTS guest")
    database.run(f"CREATE ROLE guest LOGIN PASSWORD '{database.password}'")
    with pytest.raises(Misconfigured, match="does not permit"):
        Server(database.url(user="guest"), schema=new_schema())


def test_errors_quote_no_values(server: Server) -> None:
    server.prepare(NOTES)
    server.write(lambda c: c.execute("ALTER TABLE notes ADD CHECK (said <> 'private words')"))
    with pytest.raises(EverloreError) as caught:
        server.write(lambda c: c.execute("INSERT INTO notes VALUES(1, 'private words')"))
    assert "private words" not in str(caught.value)
    assert caught.value.__cause__ is None
    with pytest.raises(InvalidInput, match="cannot be stored"):
        server.write(lambda c: c.execute("INSERT INTO notes VALUES(2, %s)", ("half \ud800",)))


def test_names_of_schemas_are_quoted(database: Postgres) -> None:
    url = database.database()
    for schema in ('My "odd"; schema', "select"):
        with opened(url, schema) as made:
            assert PostgresBuffer(made).append([message(1)]) == 1
    with psycopg.connect(url) as connection:
        assert connection.execute('SELECT count(*) FROM "select".messages').fetchone() == (1,)


def test_a_listener_is_woken_by_others_and_by_what_is_written_here(server: Server, database: Postgres) -> None:
    server.prepare(NOTES)
    woken, stop = threading.Event(), threading.Event()
    thread = threading.Thread(target=server.listen, args=(woken.set, stop))
    thread.start()
    try:
        with opened(database.url(), server.schema) as other:
            deadline = time.monotonic() + 60
            while not woken.is_set() and time.monotonic() < deadline:  # it may not listen yet
                other.write(other.notify)
                woken.wait(0.1)
            assert woken.is_set()
        woken.clear()
        server.write(lambda c: c.execute("INSERT INTO notes VALUES(1, 'one')"))
        assert woken.is_set()
    finally:
        stop.set()
        thread.join()
