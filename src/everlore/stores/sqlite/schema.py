"""The tables of the embedded index. Another version than ours is dropped and made anew: all of it is derived.

- `memories` is slim so that filters and joins stay in memory; what only listing needs is in `bodies`.
- `words` is an FTS5 index without content: a map from a token to the units that hold it. Every token is there
  twice, as `<owner>:<token>` and as `<token>`, so that a query for one owner walks only that owner's list.
  Its row number says, besides the unit, the kind and the length of the unit (`code`), so that ranking needs no
  look at any other table.
- `tally` and `owners` carry sums for each owner, and under owner 0 for all of them together.
- Ids of units and numbers of vectors are never given twice, so that caches in other processes can follow.
"""

from __future__ import annotations

from importlib.resources import files

from everlore.database import Connection, Schema

VERSION = 7
EVERYONE = 0
KIND_BITS = 6
LENGTH_BITS = 10
MOST_KINDS = (1 << KIND_BITS) - 1
LONGEST = (1 << LENGTH_BITS) - 1
UNIT_SHIFT = KIND_BITS + LENGTH_BITS

_TABLES = (files("everlore.stores.sqlite") / "index.sql").read_text(encoding="utf-8")


def code(unit: int, kind: int, length: int) -> int:
    """The row number of a unit in `words`."""
    return (unit << UNIT_SHIFT) + (kind << LENGTH_BITS) + min(length, LONGEST)


def _upgrade(connection: Connection, found: int) -> None:
    if found:
        _drop_all(connection)
    connection.execute(_TABLES)


def _drop_all(connection: Connection) -> None:
    virtual = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'"
    plain = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    for select in (virtual, plain):
        for (name,) in connection.rows(select):
            quoted = name.replace('"', '""')
            connection.execute(f'DROP TABLE IF EXISTS "{quoted}"')


SCHEMA = Schema(VERSION, _upgrade)
