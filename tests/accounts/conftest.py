"""Every test of accounts runs on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import Postgres, emptied, new_schema, opened
from stored import Now

from everlore.accounts.store import Accounts
from everlore.accounts.tables import open_file
from everlore.backends.postgres import SHARED_ACCOUNTS
from everlore.postgres.server import Server
from everlore.sql import Tables


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture(scope="session")
def shared(database: Postgres) -> Iterator[Server]:
    with opened(database.url(), new_schema()) as made:
        made.prepare(SHARED_ACCOUNTS)
        yield made


@pytest.fixture(params=["sqlite", "postgres"])
def tables(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tables]:
    if request.param == "postgres":
        yield emptied(request.getfixturevalue("shared"))
    else:
        file = open_file(tmp_path / "accounts.db")
        yield file
        file.close()


@pytest.fixture
def accounts(tables: Tables, now: Now) -> Accounts:
    return Accounts(tables, now)
