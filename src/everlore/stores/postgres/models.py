"""Which model's vectors are compared: the current one of the database, if this process works with it too."""

from __future__ import annotations

from dataclasses import dataclass

from everlore.postgres.statements import Connection, first
from everlore.stores.base import Vector


@dataclass(slots=True)
class OurModel:
    mine: tuple[str, int] | None = None
    """Name and dimension of the model that this process works with, once it said so."""

    def ours(self, query: Vector) -> str | None:
        """The model whose vectors this process may compare with this one: its own, or any when it never said."""
        if self.mine is None:
            return None
        return self.mine[0] if self.mine[1] == len(query) else ""

    def current(self, connection: Connection) -> tuple[int, int] | None:
        """Number and dimension of the current model. None when there is none, and in a process that still works
        with another one: it must neither compare nor store vectors of two models, and finds by words alone."""
        found = current_model(connection)
        if found is None or (self.mine is not None and found[1:] != self.mine):
            return None
        return found[0], found[2]


def current_model(connection: Connection) -> tuple[int, str, int] | None:
    found = first(connection, "SELECT id, name, dimension FROM models WHERE current")
    return (found[0], found[1], found[2]) if found else None
