"""What is asked of a database whose statements are the same text everywhere, with `?` for values.

`work` may be run again when a connection was lost, also after a commit whose answer did not arrive; so it must be safe
to run twice. Of two that write the same row, one waits for the other and then sees what it did.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

PARAMETERS = 10_000
"""Values in one statement. Databases take more, but what is sent and planned at once should stay small."""

T = TypeVar("T")
Row = tuple[Any, ...]


class Session:
    """A connection, for the length of one piece of work."""

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """What a statement gives, if it gives anything."""
        raise NotImplementedError

    def often(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """The same of a question for which one plan is good whatever the values: a database may keep it."""
        return self.rows(sql, values)

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Returns how many rows it changed."""
        raise NotImplementedError

    def each(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        """Run it for each of these, in one go."""
        raise NotImplementedError

    def many(
        self, insert: str, values: Sequence[Sequence[Any]], then: str = "", more: Sequence[Any] = (), row: str = ""
    ) -> list[Row]:
        """Insert all of these by one statement, which a cluster gives to their node in one go: `INSERT INTO t(a, b)`,
        what comes after the values with `more` values of its own, and how a row is written, unless each value stands
        for itself. Returns what it returns."""
        found: list[Row] = []
        width = len(values[0]) if values else 1
        one = f"({row or ', '.join('?' * width)})"
        for start in range(0, len(values), PARAMETERS // width):
            some = values[start : start + PARAMETERS // width]
            statement = f"{insert} VALUES {', '.join([one] * len(some))} {then}"
            found += self.rows(statement, [*(value for given in some for value in given), *more])
        return found

    def load(self, into: str, values: Sequence[Sequence[Any]]) -> None:
        """Insert new rows into `t(a, b)`, as many as there are."""
        raise NotImplementedError

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """The first row, if there is one."""
        return next(iter(self.rows(sql, values)), None)

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The first column of the first row, None if there is no row."""
        found = self.row(sql, values)
        return found[0] if found else None


class Tables(Protocol):
    def read(self, work: Callable[[Any], T]) -> T:
        """`work` changes nothing. Each of its statements sees the newest state."""

    def write(self, work: Callable[[Any], T]) -> T:
        """All of it is done, or nothing."""
