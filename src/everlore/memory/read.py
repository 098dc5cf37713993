"""Reading without ranking: listings, a memory by its id, a user's profile, and messages that wait."""

from __future__ import annotations

from typing import Literal

from everlore.engine import Engine
from everlore.errors import NotFound
from everlore.kinds import profile as profiles
from everlore.kinds.registry import key_of
from everlore.stores.base import ListingPage
from everlore.types import Filter, IndexedMemory, Message, Owner, Scope, Where


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
    key = key_of(owner, public_id)
    stored = engine.index.rows.find([key]).get(key) if key else None
    if stored is None:
        raise NotFound(f"no memory {public_id!r} of this owner; list them with /get to see their ids")
    return stored


def unprocessed(engine: Engine, scope: Scope, session_id: str) -> list[Message]:
    """Messages of a session that are accepted but not extracted yet, in order."""
    return engine.buffer.unprocessed(scope, session_id)
