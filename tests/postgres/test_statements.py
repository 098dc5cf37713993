"""Texts as PostgreSQL keeps them, which has no NUL, and as we gave them."""

from __future__ import annotations

from databases import Postgres, new_schema, opened

from everlore.postgres.parts import Part
from everlore.postgres.statements import each, first, quoted, rows, run, value

NOTES = Part("notes", ("CREATE TABLE notes(tenant int PRIMARY KEY, said text, all_said text[])",), {"notes": "tenant"})


def test_a_text_with_a_nul_comes_back_as_it_was_given(database: Postgres) -> None:
    with opened(database.url(), new_schema()) as server:
        server.prepare(NOTES)
        insert = "INSERT INTO notes VALUES(%s, %s, %s)"
        server.write(lambda c: each(c, insert, [(1, "a\0b", ["\0", "plain"]), (2, "plain", [])]))
        found = server.read(lambda c: rows(c, "SELECT said, all_said FROM notes ORDER BY tenant"))
        assert found == [("a\0b", ["\0", "plain"]), ("plain", [])]
        assert server.read(lambda c: value(c, "SELECT tenant FROM notes WHERE said = %s", ("a\0b",))) == 1
        assert server.write(lambda c: run(c, "DELETE FROM notes")) == 2
        assert server.read(lambda c: first(c, "SELECT said FROM notes")) is None
        assert server.read(lambda c: value(c, "SELECT said FROM notes")) is None


def test_a_name_is_quoted() -> None:
    assert quoted('a"b') == '"a""b"'
