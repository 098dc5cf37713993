"""The file that holds the accounts."""

from __future__ import annotations

from pathlib import Path

import apsw

from everlore.accounts.store import Accounts
from everlore.accounts.tables import open_file, steps


def test_only_hashes_are_in_the_file(tmp_path: Path) -> None:
    file = open_file(tmp_path / "accounts.db")
    key, secret = Accounts(file).create_key("alice")
    file.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert key.prefix.encode() in kept
    assert secret[8:].encode() not in kept


def test_a_file_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    old = apsw.Connection(str(tmp_path / "accounts.db"))
    old.execute(steps("integer")[0])
    old.execute("INSERT INTO accounts VALUES('acc_1', 'alice', 1, 5)")
    old.execute("PRAGMA user_version=1")
    old.close()
    for name in ("laptop", "desktop"):
        file = open_file(tmp_path / "accounts.db")
        accounts = Accounts(file)
        key, secret = accounts.create_key(name, account="acc_1")
        assert accounts.authenticate(secret).account == key.account
        assert key.account.main
        file.close()
