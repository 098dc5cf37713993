"""Everything in one database."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from databases import Postgres, new_schema

from everlore import config
from everlore.backends.files import FilesBackend
from everlore.backends.postgres import PostgresBackend
from everlore.errors import Misconfigured


def test_accounts_of_the_folder_are_taken_over(tmp_path: Path, database: Postgres) -> None:
    with closing(FilesBackend(tmp_path).accounts(print)) as accounts:
        _, secret = accounts.create_key("alice")
    store = {"url": database.url(), "schema": new_schema()}
    with closing(PostgresBackend(config.load(memory={"root": tmp_path}, store=store))) as backend:
        said: list[str] = []
        assert backend.accounts(said.append).authenticate(secret).account.name == "alice"
        assert len(said) == 1
        backend.vault().try_write()
        assert (backend.damage("index"), backend.put_aside()) == ("", [])
        with pytest.raises(Misconfigured, match="CREATE EXTENSION citus"):
            backend.distribute()
