"""The same statements as everywhere, with `?` for values."""

from __future__ import annotations

import pytest
from databases import Postgres, new_schema, opened

from everlore.errors import EverloreError
from everlore.postgres.tables import PostgresTables


@pytest.mark.parametrize("for_ever", [True, False])
def test_all_of_a_piece_of_work_is_done_or_nothing(database: Postgres, for_ever: bool) -> None:
    with opened(database.url(), new_schema()) as server:
        tables = PostgresTables(server, lasting=for_ever)
        there = f'"{server.schema}".t'
        tables.write(lambda db: db.run(f"CREATE TABLE {there}(a int)"))
        tables.write(lambda db: db.each(f"INSERT INTO {there} VALUES(?)", [(1,), (2,)]))
        with pytest.raises(EverloreError):
            tables.write(lambda db: (db.run(f"DELETE FROM {there} WHERE a = ?", (1,)), db.run("SELECT nothing_such")))
        assert tables.read(lambda db: db.rows(f"SELECT a FROM {there} ORDER BY a")) == [(1,), (2,)]
        assert tables.write(lambda db: db.run(f"DELETE FROM {there}")) == 2
        assert tables.check() == []
