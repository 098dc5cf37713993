"""The tables of a site, as they are described and made."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from everlore.content.tables import INDEXES, MORE_INDEXES, TABLES, embedded


def test_each_column_has_its_kind() -> None:
    assert list(TABLES["site_content"])[:3] == ["id", "type", "contentType"]
    assert {TABLES["site_content"][name] for name in ("published", "parent", "alias_visible")} == {"int"}
    assert TABLES["site_tmplvar_contentvalues"] == {"id": "id", "tmplvarid": "int", "contentid": "int", "value": "text"}
    assert {kind for columns in TABLES.values() for kind in columns.values()} == {"id", "int", "flag", "line", "text"}


def test_indexes_are_on_columns_that_are_there() -> None:
    for table, columns, _ in INDEXES + MORE_INDEXES:
        assert set(columns) <= set(TABLES[table])


def test_the_tables_of_the_embedded_site_can_be_made_again() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in [*embedded(), *embedded()]:
            connection.execute(statement)
        for table, columns in TABLES.items():
            made = connection.execute("SELECT name, type, pk FROM pragma_table_info(?)", (table,)).fetchall()
            assert [name for name, _, _ in made] == list(columns)
            assert all(bool(pk) == (columns[name] == "id") for name, _, pk in made)
        (indexes,) = connection.execute("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'ix_%'").fetchone()
        assert indexes == len(INDEXES + MORE_INDEXES)
