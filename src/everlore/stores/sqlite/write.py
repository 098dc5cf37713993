"""Bringing the rows of a file up to date. Every function works inside the caller's transaction."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from everlore import database
from everlore.errors import Misconfigured
from everlore.stores.base import Applied, Stamp
from everlore.stores.rows import COLUMNS, columns, tie_of
from everlore.stores.sqlite import packs
from everlore.stores.sqlite.schema import EVERYONE, MOST_KINDS, code
from everlore.stores.tokens import joined, tokens
from everlore.stores.vector_math import packed
from everlore.types import IndexRow, Key, Owner, Problem, Unit

Identity = tuple[int, int, str]
"""(owner, kind, entry): a key in the numbers of this index."""


@dataclass(slots=True)
class Sums:
    """Changes to what is counted, gathered while files are applied and written once."""

    tally: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    lost: Counter[int] = field(default_factory=Counter)

    def count(self, owner: int, kind: int, rows: int = 0, units: int = 0, tokens: int = 0) -> None:
        for who in (owner, EVERYONE):
            sums = self.tally.setdefault((who, kind), [0, 0, 0])
            sums[0] += rows
            sums[1] += units
            sums[2] += tokens

    def lost_unit(self, owner: int) -> None:
        self.lost.update((owner, EVERYONE))

    def write(self, connection: apsw.Connection) -> None:
        for (owner, kind), sums in self.tally.items():
            connection.execute(
                "INSERT INTO tally(owner, kind, rows, units, tokens) VALUES(?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                " rows = rows + excluded.rows, units = units + excluded.units, tokens = tokens + excluded.tokens",
                (owner, kind, *sums),
            )
        for owner in {owner for owner, _ in self.tally}:
            connection.execute(
                "UPDATE owners SET epoch = epoch + 1, lost = lost + ? WHERE id = ?", (self.lost[owner], owner)
            )


class Writer:
    """One write transaction: remembers the numbers of owners and kinds, and the sums to write at its end."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self._owners: dict[Owner, int] = {}
        self._kinds: dict[str, int] = {}
        self._sums = Sums()

    def finish(self) -> None:
        self._sums.write(self.connection)
        self._sums = Sums()

    def replace(
        self,
        path: str,
        stamp: Stamp,
        rows: Sequence[IndexRow],
        problems: Sequence[Problem] = (),
        *,
        partial: bool = False,
        gone: Collection[Key] = (),
    ) -> Applied:
        file = self._file(path, stamp)
        self.connection.execute("DELETE FROM problems WHERE file = ?", (file,))
        self.connection.executemany(
            "INSERT INTO problems(file, path, line, reason) VALUES(?, ?, ?, ?)",
            [(file, problem.path, problem.line, problem.reason) for problem in problems],
        )
        known = self._known(file)
        applied = self._put(file, rows, known)
        if problems or partial:
            certain = set(map(self._identity, gone))
            known = {identity: one for identity, one in known.items() if identity in certain}
        if not known:
            return applied
        self._delete(list(known.values()))
        return Applied(applied.added, applied.changed, len(known))

    def extend(self, path: str, before: Stamp | None, after: Stamp, rows: Sequence[IndexRow]) -> bool:
        found = database.row(
            self.connection,
            "SELECT mtime_ns, size, EXISTS(SELECT 1 FROM problems WHERE file = files.id) FROM files WHERE path = ?",
            (path,),
        )
        if found != (None if before is None else (before.mtime_ns, before.size, 0)):
            return False
        self._put(self._file(path, after), rows, {})
        return True

    def remove(self, path: str) -> Applied:
        file: int | None = database.value(self.connection, "SELECT id FROM files WHERE path = ?", (path,))
        if file is None:
            return Applied()
        known = self._known(file)
        self._delete(list(known.values()))
        self.connection.execute("DELETE FROM problems WHERE file = ?", (file,))
        self.connection.execute("DELETE FROM files WHERE id = ?", (file,))
        return Applied(removed=len(known))

    def put_vectors(self, model: int, units: Sequence[int], vectors: NDArray[np.float32]) -> None:
        packs.begin(self.connection, model)
        number: int = database.value(self.connection, "SELECT value FROM meta WHERE name = 'last vector'") or 0
        for unit, vector in zip(units, packed(vectors), strict=True):
            found = database.row(self.connection, "SELECT owner, kind, model FROM units WHERE id = ?", (unit,))
            # gone by now, or another process was quicker
            if found is None or found[2] in (None, model):
                continue
            number += 1
            self.connection.execute(
                "INSERT OR REPLACE INTO vectors(unit, number, owner, kind, model, vector) VALUES(?, ?, ?, ?, ?, ?)",
                (unit, number, *found[:2], model, vector),
            )
            self.connection.execute("UPDATE units SET model = ? WHERE id = ?", (model, unit))
        self.connection.execute("INSERT OR REPLACE INTO meta(name, value) VALUES('last vector', ?)", (number,))
        for _ in range(2 + len(units) // packs.SIZE):  # faster than they come, if many were left
            if not packs.step(self.connection):
                break

    def clear(self, keep: Collection[str] = ()) -> None:
        """Empty everything that comes from other files. Numbers already given to units and vectors stay given."""
        if keep:
            for (path,) in database.rows(self.connection, "SELECT path FROM files"):
                if path not in keep:
                    self.remove(path)
            return
        for table in ("problems", "files", "rows", "bodies", "edges", "units", "denses", "vectors", "tally"):
            self.connection.execute(f"DELETE FROM {table}")
        self.connection.execute("INSERT INTO words(words) VALUES('delete-all')")
        self.connection.execute("UPDATE owners SET epoch = epoch + 1, lost = lost + 1")
        packs.begin(self.connection, 0)

    def owner(self, owner: Owner) -> int:
        number = self._owners.get(owner)
        if number is None:
            key = (owner.scope.app, owner.scope.project, owner.track, owner.id)
            self.connection.execute("INSERT OR IGNORE INTO owners(app, project, track, name) VALUES(?, ?, ?, ?)", key)
            select = "SELECT id FROM owners WHERE app = ? AND project = ? AND track = ? AND name = ?"
            number = self._owners[owner] = int(database.value(self.connection, select, key))
        return number

    def kind(self, name: str) -> int:
        number = self._kinds.get(name)
        if number is None:
            self.connection.execute("INSERT OR IGNORE INTO kinds(name) VALUES(?)", (name,))
            number = self._kinds[name] = int(
                database.value(self.connection, "SELECT id FROM kinds WHERE name = ?", (name,))
            )
            if number > MOST_KINDS:
                raise Misconfigured(f"the index has room for {MOST_KINDS} kinds of memory; {name!r} is one too many")
        return number

    def _file(self, path: str, stamp: Stamp) -> int:
        found: int = database.value(
            self.connection,
            "INSERT INTO files(path, mtime_ns, size) VALUES(?, ?, ?) ON CONFLICT(path) DO UPDATE SET"
            " mtime_ns = excluded.mtime_ns, size = excluded.size RETURNING id",
            (path, stamp.mtime_ns, stamp.size),
        )
        return found

    def _known(self, file: int) -> dict[Identity, tuple[int, str, int]]:
        select = "SELECT owner, kind, entry, id, digest FROM rows WHERE file = ?"
        return {
            (owner, kind, entry): (number, digest, file)
            for owner, kind, entry, number, digest in database.rows(self.connection, select, (file,))
        }

    def _put(self, file: int, rows: Sequence[IndexRow], known: dict[Identity, tuple[int, str, int]]) -> Applied:
        """Insert and update; what was met is taken out of `known`. Of two rows with one key the later counts."""
        added = changed = 0
        for row in {row.key: row for row in rows}.values():
            identity = self._identity(row.key)
            found = known.pop(identity, None) or self._elsewhere(identity)
            if found is None:
                self._insert(identity, file, row)
                added += 1
            elif found[1] != row.digest:
                self._update(found[0], identity, file, row)
                changed += 1
            elif found[2] != file:
                self.connection.execute("UPDATE rows SET file = ? WHERE id = ?", (file, found[0]))
                changed += 1
        return Applied(added, changed)

    def _identity(self, key: Key) -> Identity:
        return self.owner(key.owner), self.kind(key.kind), key.local_id

    def _elsewhere(self, identity: Identity) -> tuple[int, str, int] | None:
        """The same memory in another file: it was moved, or copied, and the file read last has it."""
        found = database.row(
            self.connection, "SELECT id, digest, file FROM rows WHERE owner = ? AND kind = ? AND entry = ?", identity
        )
        return (found[0], found[1], found[2]) if found else None

    def _insert(self, identity: Identity, file: int, row: IndexRow) -> None:
        self.connection.execute(
            f"INSERT INTO rows(owner, kind, entry, handle, file, {COLUMNS}, senders)"
            " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*identity, row.key.global_id, file, *columns(row), json.dumps(row.sender_ids)),
        )
        number = self.connection.last_insert_rowid()
        self._sums.count(identity[0], identity[1], rows=1)
        self._attach(number, identity, row)

    def _update(self, number: int, identity: Identity, file: int, row: IndexRow) -> None:
        self.connection.execute(
            f"UPDATE rows SET (file, {COLUMNS}, senders) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?",
            (file, *columns(row), json.dumps(row.sender_ids), number),
        )
        self._detach(number)
        units = database.rows(
            self.connection,
            "SELECT u.id, u.length, u.start, u.turn, u.tokens, coalesce(d.dense, '') FROM units u"
            " LEFT JOIN denses d ON d.unit = u.id WHERE u.row = ? ORDER BY u.place",
            (number,),
        )
        self._attach(number, identity, row, units)

    def _attach(self, number: int, identity: Identity, row: IndexRow, old: Sequence[tuple[Any, ...]] = ()) -> None:
        """Write what belongs to a row. Units that stand where the `old` ones stood keep their id and their vector."""
        owner, kind, _ = identity
        data = json.dumps(dict(row.data), ensure_ascii=False)
        self.connection.execute("INSERT INTO bodies(row, data) VALUES(?, ?)", (number, data))
        for place, edge in enumerate(row.edges):
            self.connection.execute(
                "INSERT INTO edges(row, place, owner, relation, target, weight) VALUES(?, ?, ?, ?, ?, ?)",
                (number, place, owner, edge.relation, edge.target, edge.weight),
            )
        tie, start = tie_of(row.key), 0
        for place, unit in enumerate(row.units):
            words = tokens(unit.words)
            before, length, began, *said = old[place] if place < len(old) else (0, 0, 0)
            if before and said == [unit.turn, joined(words), unit.dense]:
                if began != start:
                    self.connection.execute("UPDATE units SET start = ? WHERE id = ?", (start, before))
            else:
                if before:
                    self._delete_unit(owner, kind, before, length)
                self._insert_unit(number, identity, place, tie, start, unit, words)
            start += len(words)
        for unit_id, length, *_ in old[len(row.units) :]:
            self._delete_unit(owner, kind, unit_id, length)

    def _insert_unit(
        self, row: int, identity: Identity, place: int, tie: int, start: int, unit: Unit, words: list[str]
    ) -> None:
        owner, kind, _ = identity
        self.connection.execute(
            "INSERT INTO units(row, place, owner, kind, turn, start, length, tie, model, tokens)"
            " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (row, place, owner, kind, unit.turn, start, len(words), tie, 0 if unit.dense else None, joined(words)),
        )
        number = self.connection.last_insert_rowid()
        if unit.dense:
            self.connection.execute("INSERT INTO denses(unit, dense) VALUES(?, ?)", (number, unit.dense))
        prefix = f" {owner}:"
        self.connection.execute(
            "INSERT INTO words(rowid, tokens) VALUES(?, ?)",
            (code(number, kind, len(words)), f"{prefix}{prefix.join(words)} {' '.join(words)}" if words else ""),
        )
        self._sums.count(owner, kind, units=1, tokens=len(words))

    def _delete_unit(self, owner: int, kind: int, unit: int, length: int) -> None:
        self.connection.execute("DELETE FROM words WHERE rowid = ?", (code(unit, kind, length),))
        self.connection.execute("DELETE FROM vectors WHERE unit = ?", (unit,))
        if self.connection.changes():
            self.connection.execute("INSERT INTO dropped(unit) VALUES(?)", (unit,))
        self.connection.execute("DELETE FROM denses WHERE unit = ?", (unit,))
        self.connection.execute("DELETE FROM units WHERE id = ?", (unit,))
        self._sums.count(owner, kind, units=-1, tokens=-length)
        self._sums.lost_unit(owner)

    def _detach(self, number: int) -> None:
        for table in ("bodies", "edges"):
            self.connection.execute(f"DELETE FROM {table} WHERE row = ?", (number,))

    def _delete(self, known: Sequence[tuple[int, str, int]]) -> None:
        for number, _, _ in known:
            [(owner, kind)] = database.rows(self.connection, "SELECT owner, kind FROM rows WHERE id = ?", (number,))
            for unit, length in database.rows(self.connection, "SELECT id, length FROM units WHERE row = ?", (number,)):
                self._delete_unit(owner, kind, unit, length)
            self._detach(number)
            self.connection.execute("DELETE FROM rows WHERE id = ?", (number,))
            self._sums.count(owner, kind, rows=-1)
