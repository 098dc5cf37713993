"""Everything in the folder of the vault."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore.backends.files import ACCOUNTS, BUFFER, INDEX, FilesBackend
from everlore.errors import Misconfigured


def test_accounts_are_in_the_vaults_file(tmp_path: Path) -> None:
    said: list[str] = []
    accounts = FilesBackend(tmp_path).accounts(said.append)
    key, _ = accounts.create_key("alice")
    accounts.close()
    assert (tmp_path / ".everlore" / ACCOUNTS).is_file()
    again = FilesBackend(tmp_path).accounts(said.append)
    (kept,) = again.keys()
    assert kept.id == key.id
    again.close()
    assert said == []


def test_a_buffer_is_looked_for_without_making_one(tmp_path: Path) -> None:
    backend = FilesBackend(tmp_path)
    assert not backend.has_buffer()
    assert not (tmp_path / ".everlore" / BUFFER).exists()
    backend.buffer().close()
    assert backend.has_buffer()


def test_damage_is_told_and_nothing_is_touched(tmp_path: Path) -> None:
    backend = FilesBackend(tmp_path)
    assert (backend.damage("index"), backend.put_aside()) == ("", [])
    file = tmp_path / ".everlore" / INDEX
    file.parent.mkdir()
    file.write_text("no database at all" * 100)
    assert backend.damage("index").startswith("index.db is damaged (")
    assert file.read_text().startswith("no database")
    backend.index().close()
    assert (backend.damage("index"), backend.put_aside()) == ("", [".everlore/index.db.damaged"])


def test_a_folder_cannot_be_spread(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="only a PostgreSQL"):
        FilesBackend(tmp_path).distribute()
