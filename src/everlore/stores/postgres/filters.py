"""Filters as SQL over `memories r` of PostgreSQL."""

from __future__ import annotations

from everlore.postgres.tenants import owner_uuid, tenant_of
from everlore.stores.conditions import ALWAYS, OPERATORS, Condition, Dialect, joined
from everlore.stores.postgres.schema import CUT
from everlore.types import Predicate, Scope, Where

_INDEXED = ("session_id", "parent_id")
"""Columns whose beginning is indexed."""
_MIRRORED = {"eq": "=", "gt": "<", "gte": "<=", "lt": ">", "lte": ">="}
"""`value op ANY(...)` has the value on the left, so the operator looks the other way."""


def of_scope(scope: Scope, alias: str = "r") -> Condition:
    owners = (
        f"SELECT 1 FROM owners w WHERE w.tenant = {alias}.tenant AND w.owner = {alias}.owner"
        " AND w.app = %s AND w.project = %s"
    )
    return Condition(f"EXISTS({owners})", (scope.app, scope.project))


def of_owner(where: Where, alias: str) -> Condition:
    """Of the owner, or of everyone."""
    if where.owner is None:
        return ALWAYS
    owner = owner_uuid(where.owner)
    return Condition(f"{alias}.tenant = %s AND {alias}.owner = %s", (tenant_of(owner), owner))


def partition(where: Where, alias: str, demand: Condition | None = None) -> Condition:
    """Of the owner (or of everyone) and of these kinds, in a table that has both; and what else is demanded."""
    kinds = Condition(f"{alias}.kind = ANY(%s)", (list(where.kinds),))
    return joined([kinds, of_owner(where, alias), demand or ALWAYS])


def beginning(column: str, values: list[str]) -> Condition:
    """The column is one of these; says it so that the index on its beginning is used."""
    cut = list(dict.fromkeys(value[:CUT] for value in values))
    return Condition(f"left({column}, {CUT}) = ANY(%s) AND {column} = ANY(%s)", (cut, values))


def _predicate(node: Predicate) -> Condition:
    if node.field == "sender_id":
        return _sender(node)
    column = f"r.{node.field}"
    if node.field == "timestamp":
        if isinstance(node.value, tuple):
            return Condition(f"{column} = ANY(%s::bigint[])", ([int(value) for value in node.value],))
        return Condition(f"{column} {OPERATORS[node.op]} %s", (int(node.value),))
    values = [str(value) for value in node.value] if isinstance(node.value, tuple) else [str(node.value)]
    if node.op in ("eq", "in"):
        return beginning(column, values) if node.field in _INDEXED else Condition(f"{column} = ANY(%s)", (values,))
    return Condition(f"{column} {OPERATORS[node.op]} %s", (values[0],))


def _sender(node: Predicate) -> Condition:
    """True of a row that has such a sender; `ne`: that does not have it."""
    if isinstance(node.value, tuple):
        return Condition("r.senders && %s::text[]", (list(node.value),))
    if node.op == "ne":
        return Condition("NOT (%s = ANY(r.senders))", (str(node.value),))
    return Condition(f'%s COLLATE "C" {_MIRRORED[node.op]} ANY(r.senders)', (str(node.value),))


_POSTGRES = Dialect(_predicate, of_scope, "%s")
compiled, restriction = _POSTGRES.compiled, _POSTGRES.restriction
