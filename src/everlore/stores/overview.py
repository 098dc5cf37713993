"""What people ask of an index who look at the whole of it (`Overview`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from everlore.types import IndexedMemory, Owner, Where


class Overview(Protocol):
    """What people ask who look at the whole of it: sums, not memories one by one."""

    def density(self, where: Where, size: int, *, ended: bool = False) -> dict[int, int]:
        """How many rows there are in each stretch of so many milliseconds, counted from the epoch: by when they were
        told, or by when they `ended`."""

    def ended(self, where: Where, begin: int, end: int, limit: int) -> list[IndexedMemory]:
        """Rows that ended in this stretch, the latest first."""

    def changed(self, where: Where, since: int, limit: int) -> list[IndexedMemory]:
        """Rows whose file was written after a moment, the latest first."""

    def sessions(self, where: Where, offset: int, limit: int) -> list[tuple[str, int, int, int]]:
        """Sessions with the number of their rows, their first and their last moment, the latest first."""

    def doubled(self, owner: Owner, kind: str, limit: int) -> list[str]:
        """The slots that more than one row fills which has no end."""

    def names(self, owner: Owner, limit: int) -> list[tuple[str, int, int]]:
        """The names that most memories of an owner lead to, each with how many do and the newest of their rows."""

    def together(self, owner: Owner, names: Sequence[str], limit: int) -> list[tuple[str, str, int]]:
        """Which of these stand in the same memories, and in how many."""
