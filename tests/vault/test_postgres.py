"""A vault in a database: what is written is queued for indexing by the same transaction."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from databases import Postgres, new_schema, opened

from everlore.errors import InvalidInput
from everlore.postgres.server import Server
from everlore.stores.postgres.index import open_index
from everlore.vault.postgres import PostgresVault

PATH = "default_app/default_project/users/alice/user.md"


@pytest.fixture
def tables(database: Postgres) -> Iterator[Server]:
    with opened(database.url(), new_schema()) as server:
        open_index(server)
        yield server


def _queued(server: Server) -> list[tuple[str, int]]:
    return [(path, written) for path, written in server.read(lambda c: c.rows("SELECT path, written FROM queue"))]


def test_what_is_written_waits_to_be_indexed(tables: Server) -> None:
    vault = PostgresVault(tables)
    first = vault.change(PATH, lambda _: "one").after
    assert first is not None
    assert _queued(tables) == [(PATH, first.mtime_ns)]
    second = vault.change(PATH, lambda _: "two").after
    assert second is not None
    assert second.mtime_ns > first.mtime_ns
    assert vault.differing(dict) == [PATH]
    assert list(vault.walk("default_app")) == [(PATH, second.mtime_ns, 3)]


def test_what_no_file_can_hold_is_refused_and_nothing_is_queued(tables: Server) -> None:
    vault = PostgresVault(tables)
    with pytest.raises(InvalidInput, match="half a character"):
        vault.change(PATH, lambda _: "\ud800")
    assert (vault.read(PATH), _queued(tables)) == (None, [])
