"""The sentences of a hit that matched, and its facts, as every contract shows them beside its own fields. Pure."""

from __future__ import annotations

from typing import Any

from everlore.clock import Clock
from everlore.kinds.registry import kind
from everlore.search import Hit
from everlore.surfaces.contracts.quoting import whose


def passages(found: Hit, clock: Clock) -> dict[str, Any]:
    """`{"passages": [...]}`, or nothing where there is but one and it is all that the memory says."""
    whole = kind(found.stored.key.kind).text(found.stored.data).strip()
    if not found.passages or [one.text for one in found.passages if one.valid_until is None] == [whole]:
        return {}
    return {"passages": quotations(found, clock)}


def quotations(found: Hit, clock: Clock) -> list[dict[str, Any]]:
    """Each passage, with whose words it is."""
    return [one.shown(clock) | {"whose": whose(found.stored, one.speaker)} for one in found.passages]


def facts(found: Hit) -> list[dict[str, Any]]:
    return [
        {"id": one.stored.key.public_id, "content": one.stored.data["content"], "score": one.score}
        for one in found.facts
    ]
