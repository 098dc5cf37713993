"""The tables of a site, as they are described and made."""

from __future__ import annotations

import sqlalchemy as sa

from everlore.content.tables import INDEXES, MORE_INDEXES, TABLES, describe


def test_each_column_has_its_kind() -> None:
    assert list(TABLES["site_content"])[:3] == ["id", "type", "contentType"]
    assert {TABLES["site_content"][name] for name in ("published", "parent", "alias_visible")} == {"int"}
    assert TABLES["site_tmplvar_contentvalues"] == {"id": "id", "tmplvarid": "int", "contentid": "int", "value": "text"}
    assert {kind for columns in TABLES.values() for kind in columns.values()} == {"id", "int", "flag", "line", "text"}


def test_indexes_are_on_columns_that_are_there() -> None:
    for table, columns, _ in INDEXES + MORE_INDEXES:
        assert set(columns) <= set(TABLES[table])


def test_the_tables_can_be_made_with_a_prefix() -> None:
    engine = sa.create_engine("sqlite://")
    describe("evo_", more_indexes=True).create_all(engine)
    made = sa.inspect(engine)
    assert set(made.get_table_names()) >= {f"evo_{name}" for name in TABLES}
    assert [column["name"] for column in made.get_columns("evo_tags")] == ["id", "name"]
