"""What an owner speaks of: the names, how often each, and which together; the same for page, API and terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from everlore.engine import Engine
from everlore.graph.names import openers, spelled
from everlore.kinds.registry import kind
from everlore.types import IndexedMemory, Owner

LINKS_OF_EACH = 3
BESIDE = 100
"""Candidates beyond those that are asked for: some turn out to be no names."""
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Named:
    """A name: the key that memories are linked by, how it is written, in how many it stands, and the newest of them."""

    key: str
    name: str
    memories: int
    last: IndexedMemory | None


@dataclass(frozen=True, slots=True)
class Names:
    nodes: tuple[Named, ...]
    edges: tuple[tuple[int, int, int], ...]
    """Places of two nodes, and in how many memories they stand together."""


def names_of(engine: Engine, owner: Owner, most: int) -> Names:
    nodes = tuple(spoken_of(engine, owner, most))
    place = {node.key: at for at, node in enumerate(nodes)}
    pairs = engine.index.overview.together(owner, list(place), most * LINKS_OF_EACH) if place else []
    return Names(nodes, tuple((place[one], place[other], number) for one, other, number in pairs))


def spoken_of(engine: Engine, owner: Owner, most: int) -> list[Named]:
    """The names that most memories lead to. Left out is what nobody looks for: numbers alone, such as years; words that
    have their capital from the beginning of a sentence and are written small elsewhere; parts of longer names."""
    counted = engine.index.overview.names(owner, most + BESIDE)
    found = [one for one in counted if any(map(str.isalpha, one[0]))]
    stored = engine.index.rows.stored({row for *_, row in found})
    texts = {row: _text(one) for row, one in stored.items()}
    written = {row: spelled(text) for row, text in texts.items()}
    small = {word for text in texts.values() for word in _WORD.findall(text) if word.islower()}
    begin = {row: openers(text, small) for row, text in texts.items()}
    whole: dict[str, int] = {}
    for key, number, _ in found:
        last = key.rpartition(" ")[2]
        whole[last] = max(whole.get(last, 0), number if " " in key else 0)
    named = [
        Named(key, written.get(row, {}).get(key) or _own_name(stored.get(row)) or key, number, stored.get(row))
        for key, number, row in found
        if key not in begin.get(row, ()) and whole.get(key, 0) < number
    ]
    return named[:most]


def spellings(engine: Engine, rows: Mapping[str, int]) -> dict[str, str]:
    """How names are written, by their keys, as far as the row that is given for each tells."""
    stored = engine.index.rows.stored(set(rows.values()))
    known = {number: spelled(_text(row)) for number, row in stored.items()}
    return {key: known[row][key] for key, row in rows.items() if key in known.get(row, ())}


def _text(row: IndexedMemory) -> str:
    return kind(row.key.kind).text(row.data)


def _own_name(row: IndexedMemory | None) -> str:
    return str(row.data.get("name", "")) if row else ""
