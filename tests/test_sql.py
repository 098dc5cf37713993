"""Small helpers over a session."""

from __future__ import annotations

from pathlib import Path

import apsw

from everlore.database import Database, Schema


def test_the_first_row_and_the_first_value(tmp_path: Path) -> None:
    def make(connection: apsw.Connection, _: int) -> None:
        connection.execute("CREATE TABLE t(a, b)")

    tables = Database(tmp_path / "t.db", Schema(1, make), durable=False, derived=True, remedy="")
    assert tables.write(lambda db: db.run("INSERT INTO t VALUES(?, ?)", (1, "x"))) == 1
    tables.write(lambda db: db.each("INSERT INTO t VALUES(?, ?)", [(2, "y"), (3, "z")]))
    assert tables.read(lambda db: db.row("SELECT a, b FROM t ORDER BY a")) == (1, "x")
    assert tables.read(lambda db: db.value("SELECT max(a) FROM t")) == 3
    assert tables.read(lambda db: (db.row("SELECT 1 WHERE false"), db.value("SELECT 1 WHERE false"))) == (None, None)
    assert tables.faults() == []
    tables.close()
