"""The file that holds the accounts."""

from __future__ import annotations

from pathlib import Path

import apsw

from everlore.accounts.sqlite import STEPS, SqliteTables
from everlore.accounts.store import Accounts


def test_only_hashes_are_in_the_file(tmp_path: Path) -> None:
    accounts = Accounts(SqliteTables(tmp_path / "accounts.db"))
    key, secret = accounts.create_key("alice")
    accounts.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert key.prefix.encode() in kept
    assert secret[8:].encode() not in kept


def test_uploads_that_lay_in_a_folder_are_taken_into_the_file(tmp_path: Path) -> None:
    old = apsw.Connection(str(tmp_path / "accounts.db"))
    old.execute(STEPS[0])
    old.execute("INSERT INTO uploads VALUES('obj_1', 'acc', 'n', 3, 'h', 9, 1)")
    old.execute("PRAGMA user_version=1")
    old.close()
    folder = tmp_path / "uploads"
    folder.mkdir()
    (folder / "obj_1").write_bytes(b"abc")
    (folder / "obj_2.part").write_bytes(b"half")
    for _ in range(2):
        accounts = Accounts(SqliteTables(tmp_path / "accounts.db"))
        assert accounts.content("obj_1") == b"abc"
        accounts.close()
        assert not folder.exists()
