"""Accounts that were kept in a file go into the database once."""

from __future__ import annotations

from pathlib import Path

from databases import Postgres, new_schema, opened

from everlore.accounts.store import Accounts
from everlore.accounts.tables import open_file
from everlore.accounts.takeover import taken_over
from everlore.backends.postgres import SHARED_ACCOUNTS


def test_a_database_takes_over_the_files_accounts_once(tmp_path: Path, database: Postgres) -> None:
    path = tmp_path / "accounts.db"
    kept_in_a_file = open_file(path)
    file = Accounts(kept_in_a_file)
    _, secret = file.create_key("alice")
    with opened(database.url(), new_schema()) as server:
        server.prepare(SHARED_ACCOUNTS)
        said = [taken_over(path, server)]
        taken = Accounts(server)
        assert taken.authenticate(secret).account.name == "alice"
        said.append(taken_over(path, server))
        file.create_key("bob")
        said.append(taken_over(path, server))
        (kept,) = taken.keys()
        assert kept.name == "alice"
    kept_in_a_file.close()
    assert [line.split()[:2] for line in said] == [["took", "over"], [], ["1", "keys"]]


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, database: Postgres) -> None:
    path = tmp_path / "accounts.db"
    path.write_text("no database at all" * 100)
    with opened(database.url(), new_schema()) as server:
        server.prepare(SHARED_ACCOUNTS)
        assert "were not taken over" in taken_over(path, server)
