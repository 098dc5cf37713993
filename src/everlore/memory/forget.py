"""Forget: remove a memory from its file. The cascade takes it from the index, and an episode's facts with it.

The profile loses what nothing else speaks for.
"""

from __future__ import annotations

from functools import partial

from everlore.cascade import index_file, require_profile, unsay
from everlore.engine import Engine
from everlore.errors import Damaged, NotFound, Unreadable
from everlore.kinds import PLACES
from everlore.types import Key, Owner, Stored
from everlore.vault.markdown import without


def forget(engine: Engine, owner: Owner, public_id: str) -> int:
    """Returns how many memories went: the one named, and the facts of an episode."""
    key = _key(owner, public_id)
    stored = engine.index.find([key]).get(key) if key else None
    if key is None or stored is None:
        raise NotFound(f"no memory {public_id!r} of this owner; list them with /get to see their ids")
    return remove(engine, stored)


def remove(engine: Engine, stored: Stored) -> int:
    """Forget a memory that the index has; it is well when somebody was quicker. Copies with the same id go too."""
    key = stored.key
    facts = engine.index.children(key.owner, "fact", [stored.parent_id]) if key.kind == "episode" else []
    if key.kind in ("episode", "fact"):
        require_profile(engine, key.owner)  # before anything is gone, since nobody would come back for the profile
    if key.kind == "fact" and (profile_path := unsay(engine, key.owner, [stored])):
        index_file(engine, profile_path)
    path = ""
    while stored.path != path:
        path = stored.path
        try:
            engine.vault.update(path, partial(_without, key))
        except Unreadable:
            raise
        except Damaged as error:
            raise Unreadable(f"{path}, {error}") from None
        index_file(engine, path, gone=[stored.parent_id], deleted=[key.entry])
        stored = engine.index.find([key]).get(key, stored)  # a copy in another file, which was not read until now
    return 1 + len(facts)


def _without(key: Key, text: str | None) -> str | None:
    """A sheet is one memory, and goes as a whole."""
    return None if PLACES[key.kind].layout == "sheet" else without([key.entry], text)


def _key(owner: Owner, public_id: str) -> Key | None:
    if public_id == f"profile_{owner.id}" and owner.track == "user":
        return Key(owner, "profile", "profile")
    entry = public_id.removeprefix(f"{owner.id}_")
    if entry == public_id:
        return None
    for place in PLACES.values():
        if place.track == owner.track and place.layout and entry.startswith(f"{place.prefix}_"):
            return Key(owner, place.kind, entry)
    return None
