"""Forget: remove a memory from its file. Sync takes it from the index, an episode's facts and cases with it, and
computes profile and skills without them."""

from __future__ import annotations

from everlore.engine import Engine
from everlore.kinds.registry import kind, parts_of
from everlore.memory.read import named
from everlore.sync.dependents import hanging_on, take_out
from everlore.sync.indexing import index_file
from everlore.sync.projection import read_profile
from everlore.types import IndexedMemory, Owner


def forget(engine: Engine, owner: Owner, public_id: str) -> int:
    """Returns how many memories went: the one named, and the facts and cases of an episode."""
    return remove(engine, named(engine, owner, public_id))


def remove(engine: Engine, stored: IndexedMemory) -> int:
    """Forget a memory that the index has; it is well when somebody was quicker. Copies with the same id go too."""
    key = stored.key
    parts = parts_of(key.kind)
    gone = 1 + len(hanging_on(engine, key.owner, key.kind, [stored.parent_id]))
    if any(kind(name).in_profile for name in (key.kind, *parts)):
        read_profile(engine, key.owner)  # refused before anything is gone: a broken profile would go on telling it
    path = ""
    while stored.path != path:
        path = stored.path
        if kind(key.kind).has_own_file:  # one memory, which goes as a whole, whatever the file holds by now
            engine.vault.remove(path)
        else:
            take_out(engine, path, [key.local_id])
        index_file(engine, path, gone=[stored.parent_id], deleted=[key.local_id])
        stored = engine.index.rows.find([key]).get(key, stored)  # a copy in another file, which was not read until now
    return gone
