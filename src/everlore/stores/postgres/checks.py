"""Whether the parts of the index agree with each other."""

from __future__ import annotations

from everlore.postgres.statements import Connection, value

_UNIT = "u.tenant = {0}.tenant AND u.id = {0}.unit"
_COUNTS = {
    "units belong to no memory": (
        "SELECT count(*) FROM units u LEFT JOIN memories r ON r.tenant = u.tenant AND r.id = u.row WHERE r.id IS NULL"
    ),
    "memories belong to no owner": (
        "SELECT count(*) FROM memories r LEFT JOIN owners o ON o.tenant = r.tenant AND o.owner = r.owner"
        " WHERE o.owner IS NULL"
    ),
    "vectors belong to no unit": (
        f"SELECT count(*) FROM vectors v LEFT JOIN units u ON {_UNIT.format('v')} WHERE u.id IS NULL"
    ),
    "units wait for a vector and are not there": (
        f"SELECT count(*) FROM waiting w LEFT JOIN units u ON {_UNIT.format('w')} WHERE u.id IS NULL"
    ),
    "units have no vector and do not wait for one": (
        "SELECT count(*) FROM units u LEFT JOIN waiting w ON w.tenant = u.tenant AND w.unit = u.id"
        " LEFT JOIN vectors v ON v.tenant = u.tenant AND v.unit = u.id"
        " WHERE u.dense <> '' AND w.unit IS NULL AND v.unit IS NULL"
    ),
    "units hold more words than they say": "SELECT count(*) FROM units WHERE cardinality(words) > 2 * length",
    "memories belong to no file": ("SELECT count(*) FROM (SELECT file FROM memories EXCEPT SELECT file FROM files) f"),
    "counts of memories are wrong": (
        "SELECT count(*) FROM (SELECT tenant, owner, kind, count(*) n FROM memories GROUP BY tenant, owner, kind) c"
        " FULL JOIN tally t ON t.tenant = c.tenant AND t.owner = c.owner AND t.kind = c.kind"
        " WHERE coalesce(c.n, 0) <> coalesce(t.rows, 0)"
    ),
    "counts of units are wrong": (
        "SELECT count(*) FROM (SELECT tenant, owner, kind, count(*) n, sum(length) l FROM units"
        " GROUP BY tenant, owner, kind) c"
        " FULL JOIN tally t ON t.tenant = c.tenant AND t.owner = c.owner AND t.kind = c.kind"
        " WHERE coalesce(c.n, 0) <> coalesce(t.units, 0) OR coalesce(c.l, 0) <> coalesce(t.tokens, 0)"
    ),
}


def check(connection: Connection) -> list[str]:
    """In sentences; empty when all is well."""
    found = ((value(connection, select), what) for what, select in _COUNTS.items())
    return [f"{number} {what}" for number, what in found if number]
