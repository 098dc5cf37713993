"""How PostgreSQL says what the shared questions ask. The tenant is named wherever it is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from everlore.stores.postgres.schema import CUT
from everlore.stores.sql.dialect import ALWAYS, OPERATORS, Condition, Dialect, joined
from everlore.tenants import digest128, file_uuid, owner_uuid, tenant_of, tenants_of
from everlore.types import Key, Owner, Predicate, Scope, Where

_INDEXED = ("r.session_id", "r.parent_id", "r.slot", "e.target", "o.app", "o.project")
"""Columns whose beginning is indexed."""
LIST_GUESSED = 10
_MIRRORED = {"eq": "=", "gt": "<", "gte": "<=", "lt": ">", "lte": ">="}
"""`value op ANY(...)` has the value on the left, so the operator looks the other way."""


class PostgresDialect(Dialect):
    memories = "memories r"
    columns = (
        "r.id, o.app, o.project, o.track, o.name, r.kind, r.entry, r.path, r.session_id, r.parent_type, r.parent_id,"
        " r.timestamp, r.updated, r.senders, r.valid_from, r.valid_until, r.data, r.slot, r.project"
    )
    together = "JOIN owners o ON o.tenant = r.tenant AND o.owner = r.owner"
    kind = "r.kind"
    units = "JOIN units u ON u.tenant = r.tenant AND u.row = r.id"
    edges = "edges e JOIN memories r ON r.tenant = e.tenant AND r.id = e.row"
    entry = f"left(r.entry, {CUT}) {{way}}, r.entry {{way}}"
    known = (
        "SELECT r.id, r.handle, o.app, o.project, o.track, o.name, r.kind, r.path, r.digest FROM memories r"
        " JOIN owners o ON o.tenant = r.tenant AND o.owner = r.owner"
    )
    queue = (
        "INSERT INTO queue(tenant, file, path, number, generation, due, tries, error)",
        "?, ?, ?, nextval('numbers'), ?, ?, ?, ?",
        "ON CONFLICT(tenant, file)",
    )
    known_units = "SELECT u.row, u.id, u.length, u.start, u.turn, u.tokens, u.dense FROM units u"

    def beside(self, index: str = "") -> str:
        same = f"left(r.parent_id, {CUT}) = left(w.parent_id, {CUT}) AND r.parent_id = w.parent_id"
        return f"memories w JOIN memories r{index} ON r.tenant = w.tenant AND r.owner = w.owner AND {same}"

    def owner(self, owner: Owner, alias: str = "r") -> Condition:
        name = owner_uuid(owner)
        return Condition(f"{alias}.tenant = ? AND {alias}.owner = ?", (tenant_of(name), name))

    def kinds(self, kinds: Sequence[str], alias: str = "r") -> Condition:
        return Condition(f"{alias}.kind = ANY(?)", (list(kinds),))

    def scope(self, scope: Scope, alias: str = "r") -> Condition:
        owners = (
            f"SELECT 1 FROM owners s WHERE s.tenant = {alias}.tenant AND s.owner = {alias}.owner"
            " AND s.app = ? AND s.project = ?"
        )
        return Condition(f"EXISTS({owners})", (scope.app, scope.project))

    def keys(self, keys: Iterable[Key]) -> Condition:
        wanted = list(keys)
        of = self._tenants({tenant_of(owner_uuid(key.owner)) for key in wanted}, "r")
        return Condition(f"{of.sql} AND r.handle = ANY(?)", (*of.values, [key.global_id for key in wanted]))

    def _tenants(self, tenants: Iterable[int], alias: str = "") -> Condition:
        """A cluster asks one node where one tenant is named, whatever is joined."""
        wanted, column = sorted(tenants), f"{alias}.tenant" if alias else "tenant"
        return (
            Condition(f"{column} = ?", (wanted[0],)) if len(wanted) == 1 else Condition(f"{column} = ANY(?)", (wanted,))
        )

    def numbers(self, column: str, numbers: Iterable[int]) -> Condition:
        wanted = list(numbers)
        alias, dot, _ = column.partition(".")
        of = self._tenants(tenants_of(wanted), alias if dot else "")
        return Condition(f"{of.sql} AND {column} = ANY(?)", (*of.values, _as_guessed(wanted)))

    def texts(self, column: str, values: Iterable[str]) -> Condition:
        """Of an indexed one it is said so that the index on its beginning is used."""
        wanted = list(values)
        if column not in _INDEXED:
            return Condition(f"{column} = ANY(?)", (wanted,))
        cut = _as_guessed(list(dict.fromkeys(value[:CUT] for value in wanted)))
        return Condition(f"left({column}, {CUT}) = ANY(?) AND {column} = ANY(?)", (cut, _as_guessed(wanted)))

    def turns(self, turns: Sequence[tuple[str, int]]) -> Condition:
        pairs = "SELECT * FROM unnest(?::text[], ?::int[])"
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
            " GROUP BY o.app, o.project, o.track, o.name HAVING sum(t.rows) > 0 ORDER BY 1, 2, 3, 4 LIMIT ?"
        )
        return Condition(select, (*demand.values, limit))

    def files(self, paths: Sequence[str]) -> Condition:
        wanted = [file_uuid(path) for path in paths]
        of = self._tenants(set(map(tenant_of, wanted)))
        return Condition(f"{of.sql} AND file = ANY(?)", (*of.values, wanted))

    def file_name(self, path: str) -> tuple[Any, ...]:
        file = file_uuid(path)
        return tenant_of(file), file, path

    def in_files(self, paths: Sequence[str], keys: Sequence[Key] = ()) -> Condition:
        """A file in its owner's folder has memories of that owner only: no other tenant is asked."""
        files = [file_uuid(path) for path in paths]
        named = "r.file = ANY(?)" if not keys else "(r.file = ANY(?) OR r.handle = ANY(?))"
        values = (files, *([[key.global_id for key in keys]] if keys else ()))
        if any(file == digest128(path) for file, path in zip(files, paths, strict=True)):
            return Condition(named, values)
        of = self._tenants({*map(tenant_of, files), *(tenant_of(owner_uuid(key.owner)) for key in keys)}, "r")
        return Condition(f"{of.sql} AND {named}", (*of.values, *values))

    def beginning(self, path: str) -> Condition:
        return Condition("starts_with(path, ?)", (path,))

    def files_of(self, owner: Owner) -> Condition:
        return joined([Condition("tenant = ?", (tenant_of(owner_uuid(owner)),)), super().files_of(owner)])

    def predicate(self, node: Predicate) -> Condition:
        if node.field == "sender_id":
            return _sender(node)
        column = f"r.{node.field}"
        if node.field == "timestamp":
            if isinstance(node.value, tuple):
                return Condition(f"{column} = ANY(?::bigint[])", ([int(value) for value in node.value],))
            return Condition(f"{column} {OPERATORS[node.op]} ?", (int(node.value),))
        values = [str(value) for value in node.value] if isinstance(node.value, tuple) else [str(node.value)]
        if node.op in ("eq", "in"):
            return self.texts(column, values)
        return Condition(f"{column} {OPERATORS[node.op]} ?", (values[0],))


def _as_guessed(values: list[Any]) -> list[Any]:
    """As long as the planner takes a list to be that it does not know: else one that it knows looks cheaper."""
    return values + values[-1:] * (LIST_GUESSED - len(values))


def partition(where: Where, alias: str, demand: Condition | None = None) -> Condition:
    """Of the owner (or of everyone) and of these kinds, in a table that has both; and what else is demanded."""
    whose = ALWAYS if where.owner is None else SAY.owner(where.owner, alias)
    return joined([SAY.kinds(where.kinds, alias), whose, demand or ALWAYS])


def _sender(node: Predicate) -> Condition:
    """True of a row that has such a sender; `ne`: that does not have it."""
    if isinstance(node.value, tuple):
        return Condition("r.senders && ?::text[]", (list(node.value),))
    if node.op == "ne":
        return Condition("NOT (? = ANY(r.senders))", (str(node.value),))
    return Condition(f'? COLLATE "C" {_MIRRORED[node.op]} ANY(r.senders)', (str(node.value),))


SAY = PostgresDialect()
compiled, restriction = SAY.compiled, SAY.restriction
