"""Reading without ranking: listings, a user's profile, and messages that wait."""

from __future__ import annotations

from typing import Literal

from everlore.engine import Engine
from everlore.index.base import Page
from everlore.kinds import profile as profiles
from everlore.types import Filter, Message, Owner, Scope, Stored, Where


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
) -> Page:
    return engine.index.page(
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
) -> Stored | None:
    rows = listing(engine, owner, profiles.PLACE.kind, filter=filter, page_size=1).rows
    return rows[0] if rows else None


def unprocessed(engine: Engine, scope: Scope, session_id: str) -> list[Message]:
    """Messages of a session that are accepted but not extracted yet, in order."""
    return engine.buffer.unprocessed(scope, session_id)
