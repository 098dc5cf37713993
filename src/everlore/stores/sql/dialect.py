"""What stores say differently, in fragments of SQL, so that the questions themselves are the same text for each.

Values travel as bound parameters only. `r` is the table of memories, `u` of units, `e` of edges, `t` of sums.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from everlore.kinds.paths import owner_dir
from everlore.types import AllOf, AnyOf, Filter, Key, Owner, Predicate, Scope, Where

OPERATORS = {"eq": "=", "ne": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


@dataclass(frozen=True, slots=True)
class Condition:
    sql: str
    values: tuple[Any, ...] = ()


ALWAYS = Condition("true")
NEVER = Condition("false")


class Dialect(ABC):
    memories: str
    """The table of memories, called `r`."""
    columns: str
    """Of a memory, as `rows.memory` reads them;"""
    together: str
    """the joins that give them,"""
    kind: str
    """and the name of its kind."""
    units: str
    """Joins the units of a memory."""
    edges: str
    """The table of edges, joined with their memories."""
    known: str
    """Memories as writing sees them: number, handle, owner (four columns), kind, path and digest."""
    known_units: str
    """Units as writing sees them: memory, number, length, start, turn, tokens and the text to be embedded."""
    queue: tuple[str, str, str]
    """Inserts files into the queue: the statement, a row of what `file_name` gives, its generation, when it is due,
    tries and error, and what comes before what is done with one that is there."""
    only_ended: str = ""
    newest_first: str = ""
    """Behind the table of memories: which index to use, where the database would not see it."""
    entry: str = "r.entry {way}"
    """Orders by the entry."""

    @abstractmethod
    def beside(self, index: str = "") -> str:
        """Memories `w`, joined with those `r` that came from the same cells."""

    @abstractmethod
    def owner(self, owner: Owner, alias: str = "r") -> Condition: ...

    @abstractmethod
    def kinds(self, kinds: Sequence[str], alias: str = "r") -> Condition: ...

    @abstractmethod
    def scope(self, scope: Scope, alias: str = "r") -> Condition: ...

    @abstractmethod
    def keys(self, keys: Iterable[Key]) -> Condition: ...

    @abstractmethod
    def numbers(self, column: str, numbers: Iterable[int]) -> Condition:
        """A column of ids is one of these. A node of a cluster that has none of them is not asked."""

    @abstractmethod
    def texts(self, column: str, values: Iterable[str]) -> Condition: ...

    @abstractmethod
    def turns(self, turns: Sequence[tuple[str, int]]) -> Condition:
        """The unit is of one of these turns (parent id, turn)."""

    @abstractmethod
    def sums(self, where: Where) -> Condition:
        """The sums `t` of the owner, the scope or everyone, by kind."""

    @abstractmethod
    def owners(self, scope: Scope | None, limit: int | None) -> Condition:
        """The whole statement: the four parts of each owner, and its number of memories."""

    @abstractmethod
    def files(self, paths: Sequence[str]) -> Condition:
        """Of the table of files."""

    @abstractmethod
    def file_name(self, path: str) -> tuple[Any, ...]:
        """How a file is named in a table, its path last."""

    @abstractmethod
    def in_files(self, paths: Sequence[str], keys: Sequence[Key] = ()) -> Condition:
        """Of memories: in these files, or one of these wherever it is."""

    @abstractmethod
    def beginning(self, path: str) -> Condition:
        """Files whose path begins so."""

    def files_of(self, owner: Owner) -> Condition:
        """Those in an owner's folder."""
        return self.beginning(f"{owner_dir(owner)}/")

    @abstractmethod
    def predicate(self, node: Predicate) -> Condition: ...

    def stored(self, more: str = "", index: str = "") -> str:
        """Memories as `rows.memory` reads them, with `more` columns before."""
        return f"SELECT {more}{self.columns} FROM {self.memories}{index} {self.together}"

    def permitted(self, where: Where) -> Condition:
        """What is true of the memories that a query may touch."""
        return joined([self.of_owner(where), self.kinds(where.kinds), self.restriction(where) or ALWAYS])

    def of_owner(self, where: Where) -> Condition:
        return ALWAYS if where.owner is None else self.owner(where.owner)

    def whose(self, where: Where, alias: str) -> Condition:
        """Of the owner, of the scope, or of everyone."""
        if where.owner is not None:
            return self.owner(where.owner, alias)
        return ALWAYS if where.scope is None else self.scope(where.scope, alias)

    def restriction(self, where: Where) -> Condition | None:
        """What a query demands of a memory besides its owner and kind; None when it demands nothing."""
        wanted: list[Condition] = []
        if where.filter is not None and where.filter != AllOf():
            wanted.append(self.compiled(where.filter))
        if where.valid_at is not None:
            begun = "r.valid_from IS NULL OR r.valid_from <= ?"
            lasting = "r.valid_until IS NULL OR r.valid_until > ?"
            wanted.append(Condition(f"({begun}) AND ({lasting})", (where.valid_at, where.valid_at)))
        if where.scope is not None and where.owner is None:
            wanted.append(self.scope(where.scope))
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
