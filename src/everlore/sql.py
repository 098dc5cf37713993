"""What is asked of a database whose statements are the same text everywhere, with `?` for values.

`work` may be run again when a connection was lost, also after a commit whose answer did not arrive; so it must be safe
to run twice. Of two that write the same row, one waits for the other and then sees what it did.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Row = tuple[Any, ...]


class Session(Protocol):
    """A connection, for the length of one piece of work."""

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]: ...

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Returns how many rows it changed."""

    def each(self, sql: str, values: Sequence[Row]) -> None:
        """Run it for each of these."""


class Tables(Protocol):
    def read(self, work: Callable[[Session], T]) -> T:
        """`work` changes nothing. Each of its statements sees the newest state."""

    def write(self, work: Callable[[Session], T]) -> T:
        """All of it is done, or nothing."""

    def check(self) -> list[str]: ...

    def close(self) -> None: ...


def row(db: Session, sql: str, values: Sequence[Any] = ()) -> Row | None:
    """The first row, if there is one."""
    return next(iter(db.rows(sql, values)), None)


def value(db: Session, sql: str, values: Sequence[Any] = ()) -> Any:
    """The first column of the first row, None if there is no row."""
    found = row(db, sql, values)
    return found[0] if found else None
