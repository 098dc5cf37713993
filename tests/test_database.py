"""A SQLite file: transactions, upgrades, damage, and files that vanish."""

from __future__ import annotations

import threading
from pathlib import Path

import apsw
import pytest
from vaults import within

from everlore import database
from everlore.database import Connection, Database, Schema
from everlore.errors import Damaged, Unavailable


def upgrade(connection: apsw.Connection, found: int) -> None:
    if not found:
        connection.execute("CREATE TABLE said(words TEXT)")


def opened(path: Path, *, derived: bool = False) -> Database:
    return Database(path, Schema(1, upgrade), durable=False, derived=derived, remedy="restore it")


def test_a_write_is_seen_after_it_ends_and_not_at_all_when_it_fails(tmp_path: Path) -> None:
    db = opened(tmp_path / "x.db")
    with db.writing() as connection:
        connection.execute("INSERT INTO said VALUES('tea')")
    with pytest.raises(Damaged, match="not as we wrote it"), db.writing() as connection:
        connection.execute("INSERT INTO said VALUES('milk'); INSERT INTO unknown VALUES('milk')")
    with db.reading() as connection:
        assert connection.rows("SELECT words FROM said") == [("tea",)]
        assert connection.row("SELECT words FROM said WHERE words = ?", ("milk",)) is None
        assert connection.value("SELECT count(*) FROM said") == 1
    db.close()


def test_a_block_inside_another_is_part_of_it(tmp_path: Path) -> None:
    db = opened(tmp_path / "x.db")
    other = Connection(str(tmp_path / "x.db"))
    with db.writing() as outer:
        with db.writing() as inner:
            assert inner is outer
            inner.execute("INSERT INTO said VALUES('tea')")
        assert other.value("SELECT count(*) FROM said") == 0, "nothing is committed before the outer one ends"
    assert other.value("SELECT count(*) FROM said") == 1
    other.close()
    db.close()


def test_a_damaged_file_is_put_aside_only_where_it_is_derived(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"garbage " * 2000)
    harmed = opened(path)
    with pytest.raises(Damaged, match="restore it"), harmed.reading():
        pass
    harmed.close()
    assert path.read_bytes() == b"garbage " * 2000
    db = opened(path, derived=True)
    assert db.sound()
    assert Path(f"{path}.damaged").read_bytes() == b"garbage " * 2000
    db.close()


def test_what_was_moved_away_is_not_written_to_and_not_made_anew(tmp_path: Path) -> None:
    db = opened(tmp_path / "x.db")
    (tmp_path / "x.db").rename(tmp_path / "y.db")
    for one in (db, opened(tmp_path / "x.db")):
        with pytest.raises(Damaged, match="put it back"), one.writing():
            pass
    assert not (tmp_path / "x.db").exists()
    (tmp_path / "y.db").rename(tmp_path / "x.db")
    with db.writing() as connection:
        connection.execute("INSERT INTO said VALUES('tea')")
    db.close()


def test_a_closed_database_says_so(tmp_path: Path) -> None:
    db = opened(tmp_path / "x.db")
    db.close()
    with pytest.raises(Unavailable), db.reading():
        pass


def log_bytes(db: Database) -> int:
    return Path(f"{db.path}-wal").stat().st_size


def test_a_large_write_leaves_no_log_larger_than_the_file(tmp_path: Path) -> None:
    db = opened(tmp_path / "x.db")
    with db.writing() as connection:
        connection.executemany("INSERT INTO said VALUES(?)", [("tea " * 1000,)] * 5000)
    assert log_bytes(db) <= min(database.LOG_BYTES, db.path.stat().st_size)
    db.close()


def test_a_log_that_grew_beside_a_long_reader_is_emptied_when_that_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "AGAIN_SECONDS", 0.1)
    db = opened(tmp_path / "x.db")
    with db.writing() as connection:
        connection.execute("INSERT INTO said VALUES('tea')")
    reading, done = threading.Event(), threading.Event()

    def read_long() -> None:
        with db.reading() as connection:
            assert connection.value("SELECT count(*) FROM said") == 1
            reading.set()
            done.wait(60)
            assert connection.value("SELECT count(*) FROM said") == 1

    reader = threading.Thread(target=read_long)
    reader.start()
    assert reading.wait(60)
    for _ in range(10):
        with db.writing() as connection:
            connection.executemany("INSERT INTO said VALUES(?)", [("tea " * 1000,)] * 500)
    assert log_bytes(db) > database.LOG_BYTES
    done.set()
    reader.join()

    def shrunk() -> bool:
        db.shrink_log()
        return log_bytes(db) <= database.LOG_BYTES

    within(60, shrunk)
    db.close()


def test_readers_who_take_turns_do_not_let_the_log_grow_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is always one of them at it, so that SQLite alone never comes to begin its log anew."""
    monkeypatch.setattr(database, "AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(database, "READERS_SECONDS", 10.0)
    db = opened(tmp_path / "x.db")
    stop = threading.Event()
    mine, other = threading.Semaphore(1), threading.Semaphore(0)

    def read_in_turn(before: threading.Semaphore, after: threading.Semaphore) -> None:
        while not stop.is_set():
            before.acquire(timeout=60)
            with db.reading() as connection:
                connection.value("SELECT count(*) FROM said")
                after.release()
                stop.wait(0.02)

    readers = [threading.Thread(target=read_in_turn, args=pair) for pair in ((mine, other), (other, mine))]
    for reader in readers:
        reader.start()
    written = 0
    for _ in range(12):
        with db.writing() as connection:
            connection.executemany("INSERT INTO said VALUES(?)", [("tea " * 1000,)] * 500)
        written += 500 * 4000
    stop.set()
    for reader in readers:
        reader.join()
    assert log_bytes(db) <= database.LOG_BYTES < written / 2
    db.close()
