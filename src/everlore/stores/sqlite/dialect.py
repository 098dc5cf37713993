"""How SQLite says what the shared questions ask. Owners and kinds are numbers here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from everlore.stores.sql.dialect import ALWAYS, NEVER, OPERATORS, Condition, Dialect, joined
from everlore.stores.sqlite.schema import EVERYONE
from everlore.types import Key, Owner, Predicate, Scope, Where

_KIND = "(SELECT id FROM kinds WHERE name = ?)"
_OWNERS = (  # counted owner by owner in the order of the index, so that a limit ends the walk
    "SELECT app, project, track, name, count FROM (SELECT o.*, (SELECT sum(t.rows) FROM tally t WHERE t.owner = o.id)"
    " AS count FROM owners o) WHERE id <> 0 AND count > 0 AND {} ORDER BY app, project, track, name LIMIT ?"
)


class SqliteDialect(Dialect):
    memories = "memories r"
    columns = (
        "r.id, o.app, o.project, o.track, o.name, k.name, r.entry, f.path, r.session_id, r.parent_type, r.parent_id,"
        " r.timestamp, r.updated, r.senders, r.valid_from, r.valid_until, b.data, r.slot, r.project"
    )
    together = (
        "CROSS JOIN owners o ON o.id = r.owner CROSS JOIN kinds k ON k.id = r.kind"
        " CROSS JOIN files f ON f.id = r.file CROSS JOIN bodies b ON b.row = r.id"
    )
    kind = "k.name"
    units = "CROSS JOIN units u ON u.row = r.id"
    edges = "edges e CROSS JOIN memories r ON r.id = e.row CROSS JOIN kinds k ON k.id = r.kind"
    known = (
        "SELECT r.id, r.handle, o.app, o.project, o.track, o.name, k.name, f.path, r.digest FROM memories r"
        " CROSS JOIN owners o ON o.id = r.owner CROSS JOIN kinds k ON k.id = r.kind CROSS JOIN files f ON f.id = r.file"
    )
    known_units = (
        "SELECT u.row, u.id, u.length, u.start, u.turn, u.tokens, coalesce(d.dense, '') FROM units u"
        " LEFT JOIN denses d ON d.unit = u.id"
    )
    queue = ("INSERT INTO queue(path, generation, due, tries, error)", "?, ?, ?, ?, ?", "ON CONFLICT(path)")
    only_ended = " INDEXED BY memories_ended"
    newest_first = " INDEXED BY memories_newest"

    def beside(self, index: str = "") -> str:
        return f"memories w CROSS JOIN memories r{index} ON r.owner = w.owner AND r.parent_id = w.parent_id"

    def owner(self, owner: Owner, alias: str = "r") -> Condition:
        number = "SELECT id FROM owners WHERE app = ? AND project = ? AND track = ? AND name = ?"
        named = (owner.scope.app, owner.scope.project, owner.track, owner.id)
        return Condition(f"{alias}.owner = ({number})", named)

    def kinds(self, kinds: Sequence[str], alias: str = "r") -> Condition:
        # for one, `=` lets an index give the order too
        among = f"= {_KIND}" if len(kinds) == 1 else f"IN ({', '.join([_KIND] * len(kinds))})"
        return Condition(f"{alias}.kind {among}", tuple(kinds))

    def scope(self, scope: Scope, alias: str = "r") -> Condition:
        owners = "SELECT id FROM owners WHERE app = ? AND project = ?"
        return Condition(f"{alias}.owner IN ({owners})", (scope.app, scope.project))

    def keys(self, keys: Iterable[Key]) -> Condition:
        return self.texts("r.handle", [key.global_id for key in keys])

    def numbers(self, column: str, numbers: Iterable[int]) -> Condition:
        return Condition(f"{column} IN (SELECT value FROM json_each(?))", (json.dumps(list(numbers)),))

    def texts(self, column: str, values: Iterable[str]) -> Condition:
        return Condition(f"{column} IN (SELECT value FROM json_each(?))", (json.dumps(list(values)),))

    def turns(self, turns: Sequence[tuple[str, int]]) -> Condition:
        pairs = "SELECT j.value ->> 0, j.value ->> 1 FROM json_each(?) j"
        return Condition(f"(r.parent_id, u.turn) IN ({pairs})", (json.dumps(turns),))

    def sums(self, where: Where) -> Condition:
        everyone = where.owner is None and where.scope is None
        return Condition("t.owner = ?", (EVERYONE,)) if everyone else self.whose(where, "t")

    def owners(self, scope: Scope | None, limit: int | None) -> Condition:
        demand, values = ("true", ()) if scope is None else ("app = ? AND project = ?", (scope.app, scope.project))
        return Condition(_OWNERS.format(demand), (*values, -1 if limit is None else limit))

    def files(self, paths: Sequence[str]) -> Condition:
        return self.texts("path", paths)

    def file_name(self, path: str) -> tuple[str]:
        return (path,)

    def in_files(self, paths: Sequence[str], keys: Sequence[Key] = ()) -> Condition:
        there = self.files(paths)
        within = Condition(f"r.file IN (SELECT id FROM files WHERE {there.sql})", there.values)
        return joined([within, self.keys(keys)], "OR") if keys else within

    def beginning(self, path: str) -> Condition:
        # no path sorts behind the last one and begins so
        within = "path >= ? AND substr(path, 1, ?) = ? AND path < ?"
        return Condition(within, (path, len(path), path, path + chr(0x10FFFF)))

    def predicate(self, node: Predicate) -> Condition:
        if node.field != "sender_id":
            return _compared(f"r.{node.field}", node.op, node)
        # `ne` is true of a row that does not have the sender, whomever else it has
        negation, op = ("NOT ", "eq") if node.op == "ne" else ("", node.op)
        inner = _compared("s.value", op, node)
        return Condition(f"{negation}EXISTS(SELECT 1 FROM json_each(r.senders) s WHERE {inner.sql})", inner.values)


def of_partition(owner: int | None, kinds: Sequence[int], demand: Condition | None) -> Condition:
    """Memories of an owner (or of everyone; None: of nobody) and these kinds, in numbers, that meet the demand."""
    whose = ALWAYS if owner == EVERYONE else Condition("r.owner = ?", (owner,))
    among = Condition(f"r.kind IN ({', '.join('?' * len(kinds))})", tuple(kinds))
    return joined([whose, among, demand or ALWAYS])


def _compared(column: str, op: str, node: Predicate) -> Condition:
    given = node.value if isinstance(node.value, tuple) else (node.value,)
    values = tuple(int(value) if node.field == "timestamp" else value for value in given)
    if not isinstance(node.value, tuple):
        return Condition(f"{column} {OPERATORS[op]} ?", values)
    return Condition(f"{column} IN ({', '.join('?' * len(values))})", values) if values else NEVER


SAY = SqliteDialect()
compiled, restriction = SAY.compiled, SAY.restriction
