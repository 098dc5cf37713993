"""Where accounts are kept, and that those of a file go into the database once."""

from __future__ import annotations

from pathlib import Path

from databases import Postgres, new_schema, opened

from everlore.accounts.choose import FILE, open_accounts


def test_without_a_database_they_are_in_the_vaults_file(tmp_path: Path) -> None:
    said: list[str] = []
    accounts = open_accounts(tmp_path, None, said.append)
    key, _ = accounts.create_key("alice")
    accounts.close()
    assert (tmp_path / FILE).is_file()
    again = open_accounts(tmp_path, None, said.append)
    (kept,) = again.keys()
    assert kept.id == key.id
    again.close()
    assert said == []


def test_a_database_takes_over_the_files_accounts_once(tmp_path: Path, database: Postgres) -> None:
    file = open_accounts(tmp_path, None, print)
    _, secret = file.create_key("alice")
    said: list[str] = []
    with opened(database.url(), new_schema()) as server:
        taken = open_accounts(tmp_path, server, said.append)
        assert taken.authenticate(secret).account.name == "alice"
        open_accounts(tmp_path, server, said.append)
        file.create_key("bob")
        open_accounts(tmp_path, server, said.append)
        (kept,) = taken.keys()
        assert kept.name == "alice"
    file.close()
    assert [line.split()[:2] for line in said] == [["took", "over"], ["1", "keys"]]
