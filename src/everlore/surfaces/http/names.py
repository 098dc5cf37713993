"""The graph of names of an owner: what is spoken of, how often, and what together; the same for page and API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from everlore.engine import Engine
from everlore.graph.names import spelled
from everlore.kinds.registry import kind
from everlore.types import Owner

LINKS_OF_EACH = 3


@dataclass(frozen=True, slots=True)
class Named:
    """A name: the key that memories are linked by, and how it is written."""

    key: str
    name: str
    memories: int


@dataclass(frozen=True, slots=True)
class Names:
    nodes: tuple[Named, ...]
    edges: tuple[tuple[int, int, int], ...]
    """Places of two nodes, and in how many memories they stand together."""


def names_of(engine: Engine, owner: Owner, most: int) -> Names:
    """The names that most memories lead to. Numbers alone, such as years, are no names that people look for."""
    found = [one for one in engine.index.overview.names(owner, most) if any(map(str.isalpha, one[0]))]
    written = spellings(engine, {key: row for key, _, row in found})
    nodes = tuple(Named(key, written.get(key, key), number) for key, number, _ in found)
    place = {node.key: at for at, node in enumerate(nodes)}
    pairs = engine.index.overview.together(owner, list(place), most * LINKS_OF_EACH) if place else []
    return Names(nodes, tuple((place[one], place[other], number) for one, other, number in pairs))


def spellings(engine: Engine, rows: Mapping[str, int]) -> dict[str, str]:
    """How names are written, by their keys, as far as the row that is given for each tells."""
    stored = engine.index.rows.stored(set(rows.values()))
    known = {number: spelled(kind(row.key.kind).text(row.data)) for number, row in stored.items()}
    return {key: known[row][key] for key, row in rows.items() if key in known.get(row, ())}
