"""What a search asks of the index again and again, looked up once: inside a snapshot, and for as long as the file is
the same."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from everlore.database import Connection, Database
from everlore.stores.base import TermStats
from everlore.stores.frequencies import Frequencies
from everlore.stores.sqlite import vectors, words
from everlore.stores.sqlite.hits import Ints
from everlore.stores.sqlite.schema import EVERYONE
from everlore.types import Owner, Where

T = TypeVar("T")


@dataclass(slots=True)
class Remembered:
    """What is kept in memory of one file. Of another file in its place nothing of it holds."""

    file: tuple[int, int] | None
    parts: vectors.Parts = field(default_factory=vectors.Parts)
    frequencies: Frequencies[int] = field(default_factory=lambda: Frequencies(words.OWNERS_REMEMBERED))


class Lookups:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._mine = threading.local()
        self._remembered = Remembered(db.file())
        self.mine: tuple[str, int] | None = None
        """Name and dimension of the model that this process works with, once it said so."""

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._db.reading():
            if self._known() is not None:
                yield
                return
            self._mine.known = {}
            try:
                yield
            finally:
                self._mine.known = None

    def remembered(self) -> Remembered:
        kept, file = self._remembered, self._db.file()
        if kept.file != file:
            kept = self._remembered = Remembered(file)
        return kept

    def forget(self) -> None:
        self._remembered = Remembered(None)

    def once(self, what: tuple[object, ...], look_up: Callable[[], T]) -> T:
        """The same answer as before, inside a snapshot."""
        known = self._known()
        if known is None:
            return look_up()
        if what not in known:
            known[what] = look_up()
        found: T = known[what]
        return found

    def owner(self, connection: Connection, owner: Owner | None) -> int | None:
        return self.once(("owner", owner), lambda: _owner_number(connection, owner))

    def place(self, connection: Connection, where: Where) -> tuple[int | None, list[int]]:
        kinds = self.once(("kinds", where.kinds), lambda: _kind_numbers(connection, where.kinds))
        return self.owner(connection, where.owner), kinds

    def model(self, connection: Connection) -> tuple[int, int] | None:
        """Number and dimension of the current model. None when there is none, and in a process that still works
        with another one: it must neither compare nor store vectors of two models, and finds by words alone."""
        found = self.once(("model",), lambda: current_model(connection))
        if found is None or (self.mine is not None and found[1:] != self.mine):
            return None
        return found[0], found[2]

    def statistics(self, connection: Connection, terms: Sequence[str], owner: int) -> TermStats:
        return self.once(
            ("terms", owner, *terms), lambda: words.statistics(connection, self.remembered().frequencies, terms, owner)
        )

    def lists(self, connection: Connection, owner: int) -> words.Lists:
        return lambda term: self.once(("list", owner, term), lambda: words.occurrences(connection, owner, term))

    def list_read(self, owner: int | None, term: str) -> Ints | None:
        """The list of a term, if it was read in this snapshot."""
        found: Ints | None = (self._known() or {}).get(("list", owner, term))
        return found

    def view(self, connection: Connection, owner: int, model: tuple[int, int]) -> vectors.View:
        return self.once(("vectors", owner, *model), lambda: self.remembered().parts.view(connection, owner, *model))

    def _known(self) -> dict[object, Any] | None:
        known: dict[object, Any] | None = getattr(self._mine, "known", None)
        return known


def _owner_number(connection: Connection, owner: Owner | None) -> int | None:
    """None when nothing of this owner was ever indexed."""
    if owner is None:
        return EVERYONE
    found: int | None = connection.value(
        "SELECT id FROM owners WHERE app = ? AND project = ? AND track = ? AND name = ?",
        (owner.scope.app, owner.scope.project, owner.track, owner.id),
    )
    return found


def _kind_numbers(connection: Connection, kinds: Iterable[str]) -> list[int]:
    select = "SELECT k.id FROM kinds k WHERE k.name IN (SELECT value FROM json_each(?)) ORDER BY k.id"
    return [number for (number,) in connection.rows(select, (json.dumps(list(kinds)),))]


def current_model(connection: Connection) -> tuple[int, str, int] | None:
    """Number, name and dimension of the model whose vectors are compared."""
    select = "SELECT m.id, m.name, m.dimension FROM meta JOIN models m ON m.id = meta.value WHERE meta.name = 'model'"
    found = connection.row(select)
    return (found[0], found[1], found[2]) if found else None
