"""A store that an older Everlore made, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest
from databases import Postgres, new_schema, opened

from everlore.accounts.store import Accounts
from everlore.accounts.tables import open_file, steps
from everlore.accounts.tokens import digest
from everlore.backends.postgres import SHARED_ACCOUNTS
from everlore.postgres.statements import Connection
from everlore.sql import Tables

TOKEN, DEVICE = "evt_" + "1" * 32, "dev_" + "1" * 40
LATE = 2**50
BEFORE_SCOPES: list[tuple[str, tuple[Any, ...]]] = [
    ("INSERT INTO accounts VALUES('acc_1', 'a', 1, 1)", ()),
    (
        "INSERT INTO agents(id, account, platform, fingerprint, name, version, created) VALUES(?, ?, ?, ?, ?, ?, ?)",
        ("agt_1", "acc_1", "p", "f", "n", "", 1),
    ),
    ("INSERT INTO agent_tokens(hash, agent, prefix, created) VALUES(?, ?, ?, ?)", (digest(TOKEN), "agt_1", "evt_1", 1)),
    (
        "INSERT INTO devices VALUES(?, 'BBBB-BBBB', 'p', 'c', '', 'f', ?, 0, 'approved', 'acc_1')",
        (digest(DEVICE), LATE),
    ),
]


@pytest.fixture(params=["sqlite", "postgres"])
def upgraded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tables]:
    """What was at version 2."""
    if request.param == "sqlite":
        old = apsw.Connection(str(tmp_path / "accounts.db"))
        for statement, values in [
            *((step, ()) for step in steps("integer")[:2]),
            *BEFORE_SCOPES,
            ("PRAGMA user_version=2", ()),
        ]:
            old.execute(statement, values)
        old.close()
        tables = open_file(tmp_path / "accounts.db")
        yield tables
        tables.close()
        return
    database: Postgres = request.getfixturevalue("database")
    with opened(database.url(), new_schema()) as server:
        server.prepare(replace(SHARED_ACCOUNTS, steps=SHARED_ACCOUNTS.steps[:2]))
        for statement, values in BEFORE_SCOPES:
            server.write(partial(Connection.run, sql=statement, values=values))
        server.prepare(SHARED_ACCOUNTS)
        yield server


def test_agents_of_before_keep_what_they_may(upgraded: Tables) -> None:
    assert Accounts(upgraded).authenticate(TOKEN).scopes == ("mem:read", "mem:write")


def test_an_approval_of_before_is_worth_nothing_since_nobody_knows_its_key(upgraded: Tables) -> None:
    assert Accounts(upgraded).poll_device(DEVICE, 5000, None).state == "expired"
