"""Filters as SQL over `memories r`. Values travel as bound parameters only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from everlore.index.postgres.schema import CUT
from everlore.postgres.tenants import owner_uuid, tenant_of
from everlore.types import AllOf, AnyOf, Filter, Predicate, Scope, Where

_OPERATORS = {"eq": "=", "ne": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_INDEXED = ("session_id", "parent_id")
"""Columns whose beginning is indexed."""


@dataclass(frozen=True, slots=True)
class Condition:
    sql: str
    values: tuple[Any, ...] = ()


ALWAYS = Condition("true")
NEVER = Condition("false")


def restriction(where: Where) -> Condition | None:
    """What a query demands of a row besides its owner and kind; None when it demands nothing."""
    wanted: list[Condition] = []
    if where.filter is not None and where.filter != AllOf():
        wanted.append(compiled(where.filter))
    if where.valid_at is not None:
        wanted.append(
            Condition(
                "(r.valid_from IS NULL OR r.valid_from <= %s) AND (r.valid_until IS NULL OR r.valid_until > %s)",
                (where.valid_at, where.valid_at),
            )
        )
    if where.scope is not None and where.owner is None:
        wanted.append(of_scope(where.scope, "r"))
    return joined(wanted, "AND") if wanted else None


def of_scope(scope: Scope, alias: str) -> Condition:
    owners = (
        f"SELECT 1 FROM owners w WHERE w.tenant = {alias}.tenant AND w.owner = {alias}.owner"
        " AND w.app = %s AND w.project = %s"
    )
    return Condition(f"EXISTS({owners})", (scope.app, scope.project))


def partition(where: Where, alias: str, *, kinds: bool = True) -> Condition:
    """Of the owner (or of everyone) and of these kinds, in a table that has both."""
    wanted = [Condition(f"{alias}.kind = ANY(%s)", (list(where.kinds),))] if kinds else []
    if where.owner is not None:
        owner = owner_uuid(where.owner)
        wanted.append(Condition(f"{alias}.tenant = %s AND {alias}.owner = %s", (tenant_of(owner), owner)))
    return joined(wanted, "AND") if wanted else ALWAYS


def compiled(node: Filter) -> Condition:
    match node:
        case Predicate():
            return _sender(node) if node.field == "sender_id" else _column(node)
        case AllOf():
            return joined([compiled(child) for child in node.nodes], "AND") if node.nodes else ALWAYS
        case AnyOf():
            return joined([compiled(child) for child in node.nodes], "OR") if node.nodes else NEVER


def joined(parts: list[Condition], word: str) -> Condition:
    if len(parts) == 1:
        return parts[0]
    sql = f" {word} ".join(f"({part.sql})" for part in parts)
    return Condition(sql, tuple(value for part in parts for value in part.values))


def beginning(column: str, values: list[str]) -> Condition:
    """The column is one of these; says it so that the index on its beginning is used."""
    cut = list(dict.fromkeys(value[:CUT] for value in values))
    return Condition(f"left({column}, {CUT}) = ANY(%s) AND {column} = ANY(%s)", (cut, values))


def _column(node: Predicate) -> Condition:
    column = f"r.{node.field}"
    if node.field == "timestamp":
        if isinstance(node.value, tuple):
            return Condition(f"{column} = ANY(%s::bigint[])", ([int(value) for value in node.value],))
        return Condition(f"{column} {_OPERATORS[node.op]} %s", (int(node.value),))
    values = [str(value) for value in node.value] if isinstance(node.value, tuple) else [str(node.value)]
    if node.op in ("eq", "in"):
        return beginning(column, values) if node.field in _INDEXED else Condition(f"{column} = ANY(%s)", (values,))
    return Condition(f"{column} {_OPERATORS[node.op]} %s", (values[0],))


def _sender(node: Predicate) -> Condition:
    """True of a row that has such a sender; `ne`: that does not have it."""
    if isinstance(node.value, tuple):
        return Condition("r.senders && %s::text[]", (list(node.value),))
    if node.op == "ne":
        return Condition("NOT (%s = ANY(r.senders))", (str(node.value),))
    # `value op ANY(...)` has the value on the left, so the operator looks the other way
    mirrored = {"=": "=", ">": "<", ">=": "<=", "<": ">", "<=": ">="}[_OPERATORS[node.op]]
    return Condition(f'%s COLLATE "C" {mirrored} ANY(r.senders)', (str(node.value),))
