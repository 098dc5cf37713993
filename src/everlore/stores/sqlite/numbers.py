"""The numbers that stand for owners, kinds and models in this file."""

from __future__ import annotations

import json
from collections.abc import Iterable

import apsw

from everlore.database import row, rows, value
from everlore.stores.sqlite.schema import EVERYONE
from everlore.types import Owner


def owner_number(connection: apsw.Connection, owner: Owner | None) -> int | None:
    """None when nothing of this owner was ever indexed."""
    if owner is None:
        return EVERYONE
    found: int | None = value(
        connection,
        "SELECT id FROM owners WHERE app = ? AND project = ? AND track = ? AND name = ?",
        (owner.scope.app, owner.scope.project, owner.track, owner.id),
    )
    return found


def kind_numbers(connection: apsw.Connection, kinds: Iterable[str]) -> list[int]:
    select = "SELECT k.id FROM kinds k WHERE k.name IN (SELECT value FROM json_each(?)) ORDER BY k.id"
    return [number for (number,) in rows(connection, select, (json.dumps(list(kinds)),))]


def current_model(connection: apsw.Connection) -> tuple[int, str, int] | None:
    """Number, name and dimension of the model whose vectors are compared."""
    select = "SELECT m.id, m.name, m.dimension FROM meta JOIN models m ON m.id = meta.value WHERE meta.name = 'model'"
    found = row(connection, select)
    return (found[0], found[1], found[2]) if found else None
