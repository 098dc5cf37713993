"""Filters as SQL over `rows r` of SQLite."""

from __future__ import annotations

from collections.abc import Sequence

from everlore.stores.conditions import ALWAYS, NEVER, OPERATORS, Condition, Dialect, joined
from everlore.stores.sqlite.schema import EVERYONE
from everlore.types import Predicate, Scope


def of_scope(scope: Scope, column: str = "r.owner") -> Condition:
    owners = "SELECT id FROM owners WHERE app = ? AND project = ?"
    return Condition(f"{column} IN ({owners})", (scope.app, scope.project))


def of_partition(owner: int | None, kinds: Sequence[int], demand: Condition | None) -> Condition:
    """Rows of an owner (or of everyone; None: of nobody) and these kinds that meet the demand."""
    whose = ALWAYS if owner == EVERYONE else Condition("r.owner = ?", (owner,))
    return joined([whose, of_kinds(kinds), demand or ALWAYS])


def of_kinds(kinds: Sequence[int]) -> Condition:
    return Condition(f"r.kind IN ({', '.join('?' * len(kinds))})", tuple(kinds))


def _predicate(node: Predicate) -> Condition:
    if node.field != "sender_id":
        return _compared(f"r.{node.field}", node.op, node)
    # `ne` is true of a row that does not have the sender, whomever else it has
    negation, op = ("NOT ", "eq") if node.op == "ne" else ("", node.op)
    inner = _compared("s.value", op, node)
    return Condition(f"{negation}EXISTS(SELECT 1 FROM json_each(r.senders) s WHERE {inner.sql})", inner.values)


def _compared(column: str, op: str, node: Predicate) -> Condition:
    given = node.value if isinstance(node.value, tuple) else (node.value,)
    values = tuple(int(value) if node.field == "timestamp" else value for value in given)
    if not isinstance(node.value, tuple):
        return Condition(f"{column} {OPERATORS[op]} ?", values)
    return Condition(f"{column} IN ({', '.join('?' * len(values))})", values) if values else NEVER


_SQLITE = Dialect(_predicate, of_scope, "?")
compiled, restriction = _SQLITE.compiled, _SQLITE.restriction
