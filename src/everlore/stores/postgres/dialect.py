"""How PostgreSQL says what the shared questions ask. The tenant is named wherever it is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everlore.postgres.tenants import file_uuid, owner_uuid, tenant_of, tenants_of
from everlore.stores.postgres.schema import CUT, key_uuid, of_file
from everlore.stores.sql.dialect import ALWAYS, OPERATORS, Condition, Dialect, joined
from everlore.types import Key, Owner, Predicate, Scope, Where

_INDEXED = ("r.session_id", "r.parent_id", "r.slot", "e.target", "o.app", "o.project")
"""Columns whose beginning is indexed."""
_MIRRORED = {"eq": "=", "gt": "<", "gte": "<=", "lt": ">", "lte": ">="}
"""`value op ANY(...)` has the value on the left, so the operator looks the other way."""


class PostgresDialect(Dialect):
    memories = "memories r"
    columns = (
        "r.id, o.app, o.project, o.track, o.name, r.kind, r.entry, r.path, r.session_id, r.parent_type, r.parent_id,"
        " r.timestamp, r.updated, r.senders, r.valid_from, r.valid_until, r.data, r.slot"
    )
    together = "JOIN owners o ON o.tenant = r.tenant AND o.owner = r.owner"
    kind = "r.kind"
    units = "JOIN units u ON u.tenant = r.tenant AND u.row = r.id"
    edges = "edges e JOIN memories r ON r.tenant = e.tenant AND r.id = e.row"
    entry = f"left(r.entry, {CUT}) {{way}}, r.entry {{way}}"
    mark = "%s"

    def beside(self, index: str = "") -> str:
        same = f"left(r.parent_id, {CUT}) = left(w.parent_id, {CUT}) AND r.parent_id = w.parent_id"
        return f"memories w JOIN memories r{index} ON r.tenant = w.tenant AND r.owner = w.owner AND {same}"

    def owner(self, owner: Owner, alias: str = "r") -> Condition:
        name = owner_uuid(owner)
        return Condition(f"{alias}.tenant = %s AND {alias}.owner = %s", (tenant_of(name), name))

    def kinds(self, kinds: Sequence[str], alias: str = "r") -> Condition:
        return Condition(f"{alias}.kind = ANY(%s)", (list(kinds),))

    def scope(self, scope: Scope, alias: str = "r") -> Condition:
        owners = (
            f"SELECT 1 FROM owners s WHERE s.tenant = {alias}.tenant AND s.owner = {alias}.owner"
            " AND s.app = %s AND s.project = %s"
        )
        return Condition(f"EXISTS({owners})", (scope.app, scope.project))

    def keys(self, keys: Iterable[Key]) -> Condition:
        wanted = list(keys)
        tenants = sorted({tenant_of(owner_uuid(key.owner)) for key in wanted})
        return Condition("r.tenant = ANY(%s) AND r.key = ANY(%s)", (tenants, [key_uuid(key) for key in wanted]))

    def numbers(self, column: str, numbers: Iterable[int]) -> Condition:
        wanted, alias = list(numbers), column.partition(".")[0]
        tenants = tenants_of(wanted)
        if len(tenants) == 1:  # a cluster asks one node then, whatever is joined
            return Condition(f"{alias}.tenant = %s AND {column} = ANY(%s)", (tenants[0], wanted))
        return Condition(f"{alias}.tenant = ANY(%s) AND {column} = ANY(%s)", (tenants, wanted))

    def texts(self, column: str, values: Iterable[str]) -> Condition:
        """Of an indexed one it is said so that the index on its beginning is used."""
        wanted = list(values)
        if column not in _INDEXED:
            return Condition(f"{column} = ANY(%s)", (wanted,))
        cut = list(dict.fromkeys(value[:CUT] for value in wanted))
        return Condition(f"left({column}, {CUT}) = ANY(%s) AND {column} = ANY(%s)", (cut, wanted))

    def turns(self, turns: Sequence[tuple[str, int]]) -> Condition:
        pairs = "SELECT * FROM unnest(%s::text[], %s::int[])"
        given = ([parent for parent, _ in turns], [turn for _, turn in turns])
        return Condition(f"(r.parent_id, u.turn) IN ({pairs})", given)

    def sums(self, where: Where) -> Condition:
        return self.whose(where, "t")

    def owners(self, scope: Scope | None, limit: int | None) -> Condition:
        demand = ALWAYS
        if scope is not None:
            demand = joined([self.texts("o.app", [scope.app]), self.texts("o.project", [scope.project])])
        select = (
            "SELECT o.app, o.project, o.track, o.name, sum(t.rows) FROM owners o"
            f" JOIN tally t ON t.tenant = o.tenant AND t.owner = o.owner WHERE {demand.sql}"
            " GROUP BY o.app, o.project, o.track, o.name HAVING sum(t.rows) > 0 ORDER BY 1, 2, 3, 4 LIMIT %s"
        )
        return Condition(select, (*demand.values, limit))

    def file(self, path: str) -> Condition:
        file = file_uuid(path)
        return Condition("tenant = %s AND file = %s", (tenant_of(file), file))

    def in_file(self, path: str) -> Condition:
        return Condition(*of_file(path))

    def beginning(self, path: str) -> Condition:
        return Condition("starts_with(path, %s)", (path,))

    def files_of(self, owner: Owner) -> Condition:
        return joined([Condition("tenant = %s", (tenant_of(owner_uuid(owner)),)), super().files_of(owner)])

    def predicate(self, node: Predicate) -> Condition:
        if node.field == "sender_id":
            return _sender(node)
        column = f"r.{node.field}"
        if node.field == "timestamp":
            if isinstance(node.value, tuple):
                return Condition(f"{column} = ANY(%s::bigint[])", ([int(value) for value in node.value],))
            return Condition(f"{column} {OPERATORS[node.op]} %s", (int(node.value),))
        values = [str(value) for value in node.value] if isinstance(node.value, tuple) else [str(node.value)]
        if node.op in ("eq", "in"):
            return self.texts(column, values)
        return Condition(f"{column} {OPERATORS[node.op]} %s", (values[0],))


def partition(where: Where, alias: str, demand: Condition | None = None) -> Condition:
    """Of the owner (or of everyone) and of these kinds, in a table that has both; and what else is demanded."""
    whose = ALWAYS if where.owner is None else SAY.owner(where.owner, alias)
    return joined([SAY.kinds(where.kinds, alias), whose, demand or ALWAYS])


def _sender(node: Predicate) -> Condition:
    """True of a row that has such a sender; `ne`: that does not have it."""
    if isinstance(node.value, tuple):
        return Condition("r.senders && %s::text[]", (list(node.value),))
    if node.op == "ne":
        return Condition("NOT (%s = ANY(r.senders))", (str(node.value),))
    return Condition(f'%s COLLATE "C" {_MIRRORED[node.op]} ANY(r.senders)', (str(node.value),))


SAY = PostgresDialect()
compiled, restriction = SAY.compiled, SAY.restriction
