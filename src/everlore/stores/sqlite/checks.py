"""Whether the file of the index can be read, and its parts agree with each other."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw

from everlore.database import Connection
from everlore.stores.sqlite import packs
from everlore.stores.sqlite.schema import LENGTH_BITS, LONGEST, UNIT_SHIFT

_UNIT = f"(u.id << {UNIT_SHIFT}) + (u.kind << {LENGTH_BITS}) + min(u.length, {LONGEST})"
_COUNTS = {
    "units are missing from the text index": (
        f"SELECT count(*) FROM units u WHERE NOT EXISTS(SELECT 1 FROM words_docsize d WHERE d.id = ({_UNIT}))"
    ),
    "entries of the text index belong to no unit": (
        "SELECT count(*) FROM words_docsize d WHERE NOT EXISTS("
        f"SELECT 1 FROM units u WHERE u.id = d.id >> {UNIT_SHIFT} AND d.id = ({_UNIT}))"
    ),
    "units belong to no memory": "SELECT count(*) FROM units WHERE row NOT IN (SELECT id FROM memories)",
    "units that want a vector have no text for it": (
        "SELECT count(*) FROM units WHERE model IS NOT NULL AND id NOT IN (SELECT unit FROM denses)"
    ),
    "vectors belong to no unit": "SELECT count(*) FROM vectors WHERE unit NOT IN (SELECT id FROM units)",
    "units name a vector that is not there": (
        "SELECT count(*) FROM units u LEFT JOIN vectors v ON v.unit = u.id"
        " WHERE coalesce(u.model, 0) <> coalesce(v.model, 0)"
    ),
    "memories belong to no file": "SELECT count(*) FROM memories WHERE file NOT IN (SELECT id FROM files)",
    "memories have no body": "SELECT count(*) FROM memories WHERE id NOT IN (SELECT row FROM bodies)",
    "counts of memories are wrong": (
        "SELECT count(*) FROM (SELECT owner, kind, count(*) n FROM memories GROUP BY owner, kind"
        " UNION ALL SELECT 0, kind, count(*) FROM memories GROUP BY kind) c"
        " FULL JOIN tally t ON t.owner = c.owner AND t.kind = c.kind WHERE coalesce(c.n, 0) <> coalesce(t.rows, 0)"
    ),
    "counts of units are wrong": (
        "SELECT count(*) FROM (SELECT owner, kind, count(*) n, sum(length) l FROM units GROUP BY owner, kind"
        " UNION ALL SELECT 0, kind, count(*), sum(length) FROM units GROUP BY kind) c"
        " FULL JOIN tally t ON t.owner = c.owner AND t.kind = c.kind"
        " WHERE coalesce(c.n, 0) <> coalesce(t.units, 0) OR coalesce(c.l, 0) <> coalesce(t.tokens, 0)"
    ),
}


def damage(path: Path) -> str:
    """Why SQLite cannot read this file; empty if it can, or if there is none. Changes nothing, as opening it would."""
    if not path.is_file():
        return ""
    try:
        with closing(Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            connection.value("SELECT count(*) FROM sqlite_schema")
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError) as error:
        return str(error)
    except apsw.Error:
        pass  # busy, or without rights: whoever opens it will say so
    return ""


def check(connection: Connection) -> list[str]:
    """In sentences; empty when all is well. Needs a write transaction, because the check of FTS5 is an insert."""
    found: list[str] = []
    try:
        connection.execute("INSERT INTO words(words) VALUES('integrity-check')")
    except (apsw.CorruptError, apsw.SQLError) as error:
        found.append(f"the text index is damaged ({error})")
    for what, select in _COUNTS.items():
        number = connection.value(select)
        if number:
            found.append(f"{number} {what}")
    if number := packs.missing(connection):
        found.append(f"{number} vectors are packed and should not be, or should be and are not")
    return found
