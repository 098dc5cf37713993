"""Conditions on rows as SQL, as far as every store says them alike. Values travel as bound parameters only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from everlore.types import AllOf, AnyOf, Filter, Predicate, Scope, Where

OPERATORS = {"eq": "=", "ne": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


@dataclass(frozen=True, slots=True)
class Condition:
    sql: str
    values: tuple[Any, ...] = ()


ALWAYS = Condition("true")
NEVER = Condition("false")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one store says a predicate, the scope of a row, and a value that is bound."""

    predicate: Callable[[Predicate], Condition]
    of_scope: Callable[[Scope], Condition]
    mark: str

    def restriction(self, where: Where) -> Condition | None:
        """What a query demands of a row besides its owner and kind; None when it demands nothing."""
        wanted: list[Condition] = []
        if where.filter is not None and where.filter != AllOf():
            wanted.append(self.compiled(where.filter))
        if where.valid_at is not None:
            begun = f"r.valid_from IS NULL OR r.valid_from <= {self.mark}"
            lasting = f"r.valid_until IS NULL OR r.valid_until > {self.mark}"
            wanted.append(Condition(f"({begun}) AND ({lasting})", (where.valid_at, where.valid_at)))
        if where.scope is not None and where.owner is None:
            wanted.append(self.of_scope(where.scope))
        return joined(wanted) if wanted else None

    def compiled(self, node: Filter) -> Condition:
        match node:
            case Predicate():
                return self.predicate(node)
            case AllOf():
                return joined([self.compiled(child) for child in node.nodes]) if node.nodes else ALWAYS
            case AnyOf():
                return joined([self.compiled(child) for child in node.nodes], "OR") if node.nodes else NEVER


def joined(parts: Sequence[Condition], word: str = "AND") -> Condition:
    """Halved again and again: SQLite limits the depth of an expression, and a plain chain is as deep as it is long."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    left, right = joined(parts[:middle], word), joined(parts[middle:], word)
    return Condition(f"({left.sql}) {word} ({right.sql})", left.values + right.values)
