"""Reading without ranking: listings, a memory by its id, a user's profile, and messages that wait."""

from __future__ import annotations

from typing import Literal

from everlore.engine import Engine
from everlore.errors import NotFound
from everlore.kinds import profile as profiles
from everlore.kinds.registry import all_kinds
from everlore.stores.base import ListingPage
from everlore.types import Filter, IndexedMemory, Key, Message, Owner, Scope, Where


def listing(
    engine: Engine,
    owner: Owner,
    kinds: str | tuple[str, ...],
    *,
    filter: Filter | None = None,  # noqa: A002 - the contract's own word
    sort_by: Literal["timestamp", "updated"] = "timestamp",
    descending: bool = True,
    page: int = 1,
    page_size: int = 20,
) -> ListingPage:
    return engine.index.rows.page(
        Where(owner, (kinds,) if isinstance(kinds, str) else kinds, filter),
        sort_by=sort_by,
        descending=descending,
        offset=(page - 1) * page_size,
        limit=page_size,
    )


def profile(
    engine: Engine,
    owner: Owner,
    filter: Filter | None = None,  # noqa: A002 - the contract's own word
) -> IndexedMemory | None:
    rows = listing(engine, owner, profiles.PROFILE.name, filter=filter, page_size=1).rows
    return rows[0] if rows else None


def named(engine: Engine, owner: Owner, public_id: str) -> IndexedMemory:
    """The memory that goes by this id of a contract."""
    key = _key(owner, public_id)
    stored = engine.index.rows.find([key]).get(key) if key else None
    if stored is None:
        raise NotFound(f"no memory {public_id!r} of this owner; list them with /get to see their ids")
    return stored


def unprocessed(engine: Engine, scope: Scope, session_id: str) -> list[Message]:
    """Messages of a session that are accepted but not extracted yet, in order."""
    return engine.buffer.unprocessed(scope, session_id)


def _key(owner: Owner, public_id: str) -> Key | None:
    if public_id == f"profile_{owner.id}" and owner.track == "user":
        return Key(owner, profiles.PROFILE.name, "profile")
    entry = public_id.removeprefix(f"{owner.id}_")
    if entry == public_id:
        return None
    for kind in all_kinds():
        if kind.track == owner.track and entry.startswith(f"{kind.code}_"):
            return Key(owner, kind.name, entry)
    return None
