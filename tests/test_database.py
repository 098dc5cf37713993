"""A SQLite file: transactions, upgrades, damage, and files that vanish."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from everlore.database import Database, Schema, row, rows, value
from everlore.errors import Damaged, Unavailable


def upgrade(connection: apsw.Connection, found: int) -> None:
    if not found:
        connection.execute("CREATE TABLE said(words TEXT)")


def opened(path: Path, *, derived: bool = False) -> Database:
    return Database(path, Schema(1, upgrade), durable=False, derived=derived, remedy="restore it")


def test_a_write_is_seen_after_it_ends_and_not_at_all_when_it_fails(tmp_path: Path) -> None:
    db = opened(tmp_path / "x.db")
    with db.write() as connection:
        connection.execute("INSERT INTO said VALUES('tea')")
    with pytest.raises(Damaged, match="not as we wrote it"), db.write() as connection:
        connection.execute("INSERT INTO said VALUES('milk'); INSERT INTO unknown VALUES('milk')")
    with db.read() as connection:
        assert rows(connection, "SELECT words FROM said") == [("tea",)]
        assert row(connection, "SELECT words FROM said WHERE words = ?", ("milk",)) is None
        assert value(connection, "SELECT count(*) FROM said") == 1
    db.close()


def test_a_block_inside_another_is_part_of_it(tmp_path: Path) -> None:
    db = opened(tmp_path / "x.db")
    other = apsw.Connection(str(tmp_path / "x.db"))
    with db.write() as outer:
        with db.write() as inner:
            assert inner is outer
            inner.execute("INSERT INTO said VALUES('tea')")
        assert value(other, "SELECT count(*) FROM said") == 0, "nothing is committed before the outer one ends"
    assert value(other, "SELECT count(*) FROM said") == 1
    other.close()
    db.close()


def test_a_damaged_file_is_put_aside_only_where_it_is_derived(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"garbage " * 2000)
    with pytest.raises(Damaged, match="restore it"):
        opened(path)
    assert path.read_bytes() == b"garbage " * 2000
    db = opened(path, derived=True)
    assert db.sound()
    assert Path(f"{path}.damaged").read_bytes() == b"garbage " * 2000
    db.close()


def test_what_was_moved_away_is_not_written_to(tmp_path: Path) -> None:
    db = opened(tmp_path / "x.db")
    db.require_place()
    (tmp_path / "x.db").rename(tmp_path / "y.db")
    with pytest.raises(Unavailable, match="put it back"):
        db.require_place()
    (tmp_path / "y.db").rename(tmp_path / "x.db")
    db.require_place()
    db.close()


def test_a_closed_database_says_so(tmp_path: Path) -> None:
    db = opened(tmp_path / "x.db")
    db.close()
    with pytest.raises(Unavailable), db.read():
        pass
