"""A drafted episode as a reviewer sees it, and what became of a reply: the same over MCP, HTTP and the command line."""

from __future__ import annotations

from everlore.clock import iso
from everlore.extract.curation import INSTRUCTIONS, reply_schema, shown
from everlore.memory import CurationOutcome
from everlore.memory.review import Item
from everlore.types import Json

LONGEST_REPLY = 200_000
"""Characters of a reply as JSON."""


def lent(items: list[Item], waiting: int) -> dict[str, Json]:
    """Instructions and schema once, then the episodes."""
    told = {"instructions": INSTRUCTIONS, "reply_schema": reply_schema()} if items else {}
    return {**told, "items": [item_shown(item) for item in items], "waiting": waiting}


def item_shown(item: Item) -> dict[str, Json]:
    lease = {"id": item.id, "lease": item.lease, "lease_until": iso(item.until), "session_id": item.session_id}
    return {**lease, **shown(item.stretch)}


def outcome_shown(outcome: CurationOutcome) -> dict[str, Json]:
    return {
        "id": outcome.id,
        "state": outcome.state,
        "changed": outcome.taken,
        "changes": outcome.changes.splitlines(),
        "refused": [{"where": one.where, "reason": one.reason} for one in outcome.refused],
    }
