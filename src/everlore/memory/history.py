"""What was true when: everything that was ever held of an owner, and the chain that one statement belongs to.

Superseding deletes nothing, so the past can be asked: each memory says from when until when it held, and what ended it.
"""

from __future__ import annotations

from collections.abc import Sequence

from everlore.engine import Engine
from everlore.kinds import fact
from everlore.kinds.registry import kind, kinds_where, parts_of
from everlore.memory.notes import successor
from everlore.memory.read import named
from everlore.stores.base import ListingPage
from everlore.sync.projection import PAGE
from everlore.types import IndexedMemory, Key, Owner, Where


def held(engine: Engine, owner: Owner, at: int | None = None, *, page: int = 1, page_size: int = 20) -> ListingPage:
    """What an owner's memory states, the newest first; only what held `at` a moment, if one is given."""
    stating = kinds_where(lambda one: one.states and one.track == owner.track)
    where = Where(owner, stating, valid_at=at)
    return engine.index.rows.page(where, offset=(page - 1) * page_size, limit=page_size)


def history(engine: Engine, owner: Owner, public_id: str) -> list[IndexedMemory]:
    """What stood in the place of a memory before it and after it, the oldest first. Of an episode, or another whole:
    its parts."""
    known = named(engine, owner, public_id)
    if parts := parts_of(known.key.kind):
        return [row for part in parts for row in engine.index.rows.children(owner, part, [known.parent_id])]
    chain = {known.key: known}
    following = successors(engine, [known]).get(known.key)
    while following and following.key not in chain:
        chain[following.key] = following
        following = successors(engine, [following]).get(following.key)
    ended = ended_by(engine, owner) if kind(known.key.kind).in_profile else {}
    waiting = list(chain.values())
    while waiting:
        later = waiting.pop()
        before = [row for row in ended.get(later.key.global_id, ()) if row.key not in chain]
        chain |= {row.key: row for row in before}
        waiting += before
    return sorted(chain.values(), key=lambda row: (row.timestamp, row.key.local_id))


def successors(engine: Engine, rows: Sequence[IndexedMemory]) -> dict[Key, IndexedMemory]:
    """What superseded each of these, as far as it is known. A file may name any memory, also one of another account:
    only those of the same scope count."""
    named = {row.key: handle for row in rows if (handle := successor(row))}
    found = engine.index.rows.by_global_id(named.values())
    ended_by = {key: found[handle] for key, handle in named.items() if handle in found}
    return {key: row for key, row in ended_by.items() if row.key.owner.scope == key.owner.scope}


def ended_by(engine: Engine, owner: Owner) -> dict[str, list[IndexedMemory]]:
    """The facts of an owner that have ended, by the handle of what superseded them. A statement may end one that is
    filed under another slot, so all are looked at."""
    ended: dict[str, list[IndexedMemory]] = {}
    offset = 0
    while rows := engine.index.rows.page(Where(owner, (fact.FACT.name,)), offset=offset, limit=PAGE).rows:
        for row in rows:
            if handle := successor(row):
                ended.setdefault(handle, []).append(row)
        offset += len(rows)
    return ended
