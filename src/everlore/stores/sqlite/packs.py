"""Packs: the codes of a thousand vectors in one row, so that a process reads a million of them in a moment.

They are written in the transactions that store the vectors, and cover them by number up to one of them; what came later
is read one by one. A vector that is removed stays in its pack and is named in `dropped`, until so many are that the
packs are written anew. Whoever has read packs follows what comes by number and what goes by the ids of `dropped`, and
reads all again when the generation is another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everlore.database import Connection
from everlore.stores.base import Vector
from everlore.stores.sqlite.hits import Ints, numbers
from everlore.stores.sqlite.schema import EVERYONE
from everlore.stores.vector_math import encode, unit_rows

SIZE = 1024
"""Vectors of a pack. The first of them make the centre for all."""
DROPPED = 8
"""Removed vectors for each pack, after which all are written anew."""

_TYPES = (np.int64, np.int32, np.uint8, np.uint64, np.float32)
"""Of the columns of a pack: units, owners, kinds, signs, factors."""


@dataclass(frozen=True, slots=True)
class Packing:
    """How far the vectors of a model are packed."""

    generation: int
    model: int
    last: int
    """The number of the last vector."""
    centre: Vector | None
    """None before the first pack."""


def current(connection: Connection) -> Packing:
    found = connection.row("SELECT id, model, last, centre FROM packing ORDER BY id DESC LIMIT 1")
    if found is None:
        return Packing(0, 0, 0, None)
    generation, model, last, centre = found
    return Packing(generation, model, last, None if centre is None else np.frombuffer(centre, np.float32))


def begin(connection: Connection, model: int) -> None:
    """Forget the packs, unless they are of this model already."""
    if current(connection).model == model != 0:
        return
    for table in ("packs", "dropped", "packing"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("INSERT INTO packing(model, last) VALUES(?, 0)", (model,))


def step(connection: Connection) -> bool:
    """Pack what came since, if it fills a pack, and drop what was removed, if it is much. True if more may be left."""
    _purge(connection)
    packing = current(connection)
    newest = connection.value("SELECT value FROM meta WHERE name = 'last vector'") or 0
    if newest - packing.last < SIZE or not packing.model:
        return False
    select = (
        "SELECT number, unit, owner, kind, vector FROM vectors WHERE model = ? AND number > ? ORDER BY number LIMIT ?"
    )
    found = connection.rows(select, (packing.model, packing.last, SIZE))
    if not found:
        connection.execute("UPDATE packing SET last = ?", (newest,))
        return False
    if packing.centre is None and len(found) < SIZE:
        return False  # too few to tell where their centre is
    vectors = unit_rows(b"".join(one[4] for one in found), len(found[0][4]) // 2)
    centre = vectors.mean(axis=0) if packing.centre is None else packing.centre
    codes, last = encode(vectors, centre), found[-1][0]
    arrays = [np.array([one[at] for one in found], _TYPES[at - 1]) for at in (1, 2, 3)]
    _insert(connection, last, [*arrays, *codes])
    connection.execute("UPDATE packing SET last = ?, centre = ?", (last, centre.tobytes()))
    return True


def read(connection: Connection, owner: int) -> Iterator[list[NDArray[Any]]]:
    """Units, kinds, signs and factors of all that is packed of an owner (or of everyone), removed ones as well."""
    for _, units, owners, *rest in _each(connection):
        keep = slice(None) if owner == EVERYONE else owners == owner
        yield [column[..., keep] for column in (units, *rest)]


def missing(connection: Connection) -> int:
    """How many vectors the packs should hold and do not, or hold and should not."""
    packing = current(connection)
    held = np.concatenate([np.empty(0, np.int64), *(units for _, units, *_ in _each(connection))])
    select = "SELECT group_concat(unit) FROM vectors WHERE model = ? AND number <= ?"
    wanted = numbers(connection, select, (packing.model, packing.last if packing.centre is not None else 0))
    return len(np.setxor1d(np.setdiff1d(held, _dropped(connection)), wanted))


def _purge(connection: Connection) -> None:
    count = connection.value("SELECT max(id) - min(id) + 1 FROM dropped") or 0
    if count < SIZE or count < DROPPED * connection.value("SELECT count(*) FROM packs"):
        return
    dropped = _dropped(connection)
    kept = [(last, columns, ~np.isin(columns[0], dropped)) for last, *columns in _each(connection)]
    for last, columns, keep in kept:
        if not keep.all():
            connection.execute("DELETE FROM packs WHERE last = ?", (last,))
            if keep.any():
                _insert(connection, last, [column[..., keep] for column in columns])
    connection.execute("DELETE FROM dropped")
    connection.execute("INSERT INTO packing(model, last, centre) SELECT model, last, centre FROM packing")
    connection.execute("DELETE FROM packing WHERE id < (SELECT max(id) FROM packing)")


def _dropped(connection: Connection) -> Ints:
    return numbers(connection, "SELECT group_concat(unit) FROM dropped")


def _insert(connection: Connection, last: int, columns: Sequence[NDArray[Any]]) -> None:
    values = (last, *(np.ascontiguousarray(column).tobytes() for column in columns))
    connection.execute("INSERT INTO packs(last, units, owners, kinds, signs, factors) VALUES(?, ?, ?, ?, ?, ?)", values)


def _each(connection: Connection) -> Iterator[tuple[Any, ...]]:
    for last, *columns in connection.execute("SELECT * FROM packs ORDER BY last"):
        arrays = [np.frombuffer(column, kind) for column, kind in zip(columns, _TYPES, strict=True)]
        yield last, *arrays[:3], *(array.reshape(-1, len(arrays[0])) for array in arrays[3:])
