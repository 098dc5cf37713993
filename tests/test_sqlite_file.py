"""A SQLite file as it is made and written to, without the database that is built on it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from uuid import UUID

import apsw
import pytest

from everlore import sqlite_file
from everlore.births import Birth
from everlore.errors import Unavailable


def test_an_empty_file_is_made_for_its_owner_alone_and_only_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.db"
    sqlite_file.create(path)
    assert path.stat().st_size == 0
    if os.name != "nt":
        assert path.stat().st_mode & 0o077 == 0
    path.write_bytes(b"something")
    sqlite_file.create(path)
    assert path.read_bytes() == b"something"


def test_a_file_where_a_folder_must_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(Unavailable):
        sqlite_file.create(tmp_path / "file" / "a.db")


def test_a_file_is_known_whatever_it_is_called(tmp_path: Path) -> None:
    path, other = tmp_path / "a.db", tmp_path / "b.db"
    assert sqlite_file.identity(path) is None
    sqlite_file.create(path)
    seen = sqlite_file.identity(path)
    path.rename(other)
    sqlite_file.create(path)
    assert sqlite_file.identity(other) == seen != sqlite_file.identity(path)


def test_a_block_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    with closing(apsw.Connection(str(tmp_path / "a.db"))) as connection:
        sqlite_file.use_wal(connection)
        assert connection.pragma("journal_mode") == "wal"
        connection.execute("CREATE TABLE told(what)")
        with sqlite_file.transaction(connection, "BEGIN IMMEDIATE", commit=True):
            connection.execute("INSERT INTO told VALUES('kept')")
        with suppress(ZeroDivisionError), sqlite_file.transaction(connection, "BEGIN", commit=True):
            connection.execute("INSERT INTO told VALUES('lost')")
            raise ZeroDivisionError
        with sqlite_file.transaction(connection, "BEGIN", commit=False):
            connection.execute("INSERT INTO told VALUES('looked at')")
        assert not connection.in_transaction
        assert connection.execute("SELECT what FROM told").fetchall() == [("kept",)]


def test_what_a_file_says_of_itself(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as made:
        made.executescript("CREATE TABLE birth(id, commits); PRAGMA user_version = 4")
    with closing(apsw.Connection(str(tmp_path / "a.db"))) as connection:
        assert sqlite_file.version(connection) == 4
        assert sqlite_file.birth(connection) is None
        connection.execute("INSERT INTO birth VALUES('ab12', 3)")
        assert sqlite_file.birth(connection) == Birth("ab12", 3)


def test_a_uuid_is_a_value_and_a_list_is_none(tmp_path: Path) -> None:
    name = UUID(int=10)
    with closing(apsw.Connection(str(tmp_path / "a.db"))) as connection:
        connection.convert_binding = sqlite_file.hexadecimal
        assert connection.execute("SELECT ?", (name,)).fetchall() == [(name.hex,)]
        with pytest.raises(TypeError, match="list"):
            connection.execute("SELECT ?", ([],))
