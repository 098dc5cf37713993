"""Filters as SQL over `rows r`. Values travel as bound parameters only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from everlore.index.schema import EVERYONE
from everlore.types import AllOf, AnyOf, Filter, Predicate, Scope, Where

Value: TypeAlias = str | int

_OPERATORS = {"eq": "=", "ne": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


@dataclass(frozen=True, slots=True)
class Condition:
    sql: str
    values: tuple[Value, ...] = ()


ALWAYS = Condition("1")
NEVER = Condition("0")


def restriction(where: Where) -> Condition | None:
    """What a query demands of a row besides its owner and kind; None when it demands nothing."""
    wanted: list[Condition] = []
    if where.filter is not None and where.filter != AllOf():
        wanted.append(compiled(where.filter))
    if where.valid_at is not None:
        wanted.append(
            Condition(
                "(r.valid_from IS NULL OR r.valid_from <= ?) AND (r.valid_until IS NULL OR r.valid_until > ?)",
                (where.valid_at, where.valid_at),
            )
        )
    if where.scope is not None and where.owner is None:
        wanted.append(of_scope(where.scope))
    return _joined(wanted, "AND") if wanted else None


def of_scope(scope: Scope, column: str = "r.owner") -> Condition:
    owners = "SELECT id FROM owners WHERE app = ? AND project = ?"
    return Condition(f"{column} IN ({owners})", (scope.app, scope.project))


def of_partition(owner: int, kinds: Sequence[int], demand: Condition | None) -> Condition:
    """Rows of an owner (or of everyone) and these kinds that meet the demand."""
    found = Condition(f"r.kind IN ({', '.join('?' * len(kinds))})", tuple(kinds))
    if owner != EVERYONE:
        found = _joined([Condition("r.owner = ?", (owner,)), found], "AND")
    return found if demand is None else _joined([found, demand], "AND")


def compiled(node: Filter) -> Condition:
    match node:
        case Predicate():
            return _sender(node) if node.field == "sender_id" else _column(node)
        case AllOf():
            return _joined([compiled(child) for child in node.nodes], "AND") if node.nodes else ALWAYS
        case AnyOf():
            return _joined([compiled(child) for child in node.nodes], "OR") if node.nodes else NEVER


def _joined(parts: list[Condition], word: str) -> Condition:
    """Halved again and again: SQLite limits the depth of an expression, and a plain chain is as deep as it is long."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    left, right = _joined(parts[:middle], word), _joined(parts[middle:], word)
    return Condition(f"({left.sql}) {word} ({right.sql})", left.values + right.values)


def _column(node: Predicate) -> Condition:
    column = f"r.{node.field}"
    if isinstance(node.value, tuple):
        return _one_of(column, node)
    return Condition(f"{column} {_OPERATORS[node.op]} ?", (_typed(node, node.value),))


def _sender(node: Predicate) -> Condition:
    """True of a row that has such a sender; `ne`: that does not have it."""
    positive = Predicate("sender_id", "eq", node.value) if node.op == "ne" else node
    inner = (
        _one_of("s.value", positive)
        if isinstance(positive.value, tuple)
        else Condition(f"s.value {_OPERATORS[positive.op]} ?", (positive.value,))
    )
    negation = "NOT " if node.op == "ne" else ""
    return Condition(f"{negation}EXISTS(SELECT 1 FROM json_each(r.senders) s WHERE {inner.sql})", inner.values)


def _one_of(column: str, node: Predicate) -> Condition:
    assert isinstance(node.value, tuple)
    values = tuple(_typed(node, value) for value in node.value)
    return Condition(f"{column} IN ({', '.join('?' * len(values))})", values) if values else NEVER


def _typed(node: Predicate, value: Value) -> Value:
    return int(value) if node.field == "timestamp" else value
