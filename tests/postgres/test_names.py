"""Tables are found by their schema, whatever session a statement meets."""

from __future__ import annotations

import pytest

from everlore.errors import Misconfigured
from everlore.postgres.names import Names, quoted


@pytest.fixture
def names() -> Names:
    made = Names("my")
    made.place("my", ["documents"])
    made.place("my_index_4", ["queue", "units", "numbers"])
    made.vectors = "extra"
    return made


@pytest.mark.parametrize(
    ("plain", "qualified"),
    [
        ("SELECT 1 FROM units u JOIN queue ON x", 'SELECT 1 FROM "my_index_4".units u JOIN "my_index_4".queue ON x'),
        ("INSERT INTO queue(a) VALUES(nextval('numbers'))", None),
        ("UPDATE documents SET a = documents.b", 'UPDATE "my".documents SET a = documents.b'),
        ("DELETE FROM queue USING units", 'DELETE FROM "my_index_4".queue USING "my_index_4".units'),
        ("CREATE INDEX units_x ON units(x)", 'CREATE INDEX units_x ON "my_index_4".units(x)'),
        ("CREATE TABLE IF NOT EXISTS units(x int)", 'CREATE TABLE IF NOT EXISTS "my_index_4".units(x int)'),
        ("SELECT units FROM unitary, versions_x", "SELECT units FROM unitary, versions_x"),
        ("SELECT version FROM versions", 'SELECT version FROM "my".versions'),
        ("vector halfvec, x::vector <=> y", 'vector "extra".halfvec, x::"extra".vector OPERATOR("extra".<=>) y'),
        ("halfvec_cosine_ops, v::halfvec(3)", '"extra".halfvec_cosine_ops, v::"extra".halfvec(3)'),
    ],
)
def test_names_after_words_that_announce_a_table_are_qualified(names: Names, plain: str, qualified: str | None) -> None:
    said = qualified or """INSERT INTO "my_index_4".queue(a) VALUES(nextval('"my_index_4".numbers'))"""
    assert names.qualified(plain) == said
    assert names.qualified(plain) == said  # from memory


def test_a_name_is_quoted_and_one_that_cannot_be_is_refused() -> None:
    assert quoted('a"b') == '"a""b"'
    with pytest.raises(Misconfigured, match="without %"):
        Names("50%")
