"""The review toolset: an agent, which is a language model, makes finer what was drafted without one."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from everlore.clock import iso
from everlore.errors import InvalidInput
from everlore.extract.curation import INSTRUCTIONS, reply_schema, shown
from everlore.kinds.base import UTC_CLOCK
from everlore.memory import CurationOutcome, curate, review, save_fact, undo_curation, waiting_for_review
from everlore.memory.review import Item
from everlore.surfaces.contracts.review import IDENTITY
from everlore.surfaces.contracts.toolset import Caller, Toolset, tool
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


Place = Literal[
    "home", "work", "health", "family", "identity", "preference", "habit", "possession", "goal", "contact", "rule"
]
Limit = Annotated[int, {"description": "Stretches to review at once.", "minimum": 1, "maximum": 5}]
Tokens = Annotated[int, {"description": "About how long one may be.", "minimum": 500, "maximum": 30_000}]
Id = Annotated[str | None, {"description": "A certain episode, also one that was reviewed before."}]
Reply = Annotated[
    Any, "One JSON object of reply_schema: title, summary, facts, ends, rules, profile, learnt. Left out to undo."
]


@tool("Get drafts to review")
def memory_review(ask: Caller, limit: Limit = 1, id_: Id = None, tokens: Tokens = 6000) -> dict[str, Json]:
    """Get stretches of talk that were remembered without understanding: their turns, the draft, older statements that
    they may have ended, and the schema of the reply. Each is lent to you for 15 minutes; answer with memory_curate.
    An empty list means that nothing waits."""
    items = review(ask.engine, ask.user, limit=limit, id_=id_ or "", budget=tokens)
    return lent(items, waiting_for_review(ask.engine, ask.user))


@tool("Put a review in the place of a draft", destroys=True, repeatable=True)
def memory_curate(
    ask: Caller,
    id_: Annotated[str, {"description": "Of the item, as memory_review gave it."}],
    lease: Annotated[str, {"description": "Of the item; not needed to undo."}] = "",
    reply: Reply = None,
    undo: Annotated[bool, {"description": "true: put the draft back that a review replaced."}] = False,
) -> dict[str, Json]:
    """Send what you made of a stretch. Right statements are taken, the others refused with reasons: mend them and send
    the whole reply again with the same lease. The draft is kept and can be put back with undo."""
    if undo:
        return outcome_shown(undo_curation(ask.engine, ask.user, id_))
    if reply is None:
        raise InvalidInput("reply is required (object); memory_review tells its schema")
    return outcome_shown(curate(ask.engine, ask.user, id_, lease, _read(reply), ask.client_name or "agent"))


@tool("Save a fact")
def memory_save_fact(
    ask: Caller,
    fact: Annotated[str, "One sentence in the third person that says it all by itself."],
    category: Annotated[Place | None, "Its place in the profile, if it is true of the user for good."] = None,
    replaces: Annotated[list[str] | None, "Ids of facts that are no longer true because of it."] = None,
    valid_from: Annotated[str | None, "From when it holds, e.g. 2026-05-03; now, if left out."] = None,
    evidence: Annotated[str, "What it rests on: a message, a file, a page."] = "",
) -> dict[str, Json]:
    """Save a statement that you know to be true, with what you know of it. What it replaces ends when it begins. What
    is known already is not stored twice: it gets you as one more source."""
    start = UTC_CLOCK.parse(f"{valid_from}T00:00:00Z" if len(valid_from) == 10 else valid_from) if valid_from else None
    key, new = save_fact(
        ask.engine,
        ask.user,
        fact,
        source=ask.client_name or "agent",
        category=category or "",
        replaces=replaces or (),
        valid_from=start,
        evidence=evidence,
    )
    return {"id": key.public_id, "new": new}


def _read(reply: Json) -> Json:
    """Models send objects as JSON text, too."""
    if isinstance(reply, str):
        try:
            reply = json.loads(reply[:LONGEST_REPLY])
        except ValueError:
            raise InvalidInput("reply must be one JSON object of reply_schema") from None
    if len(json.dumps(reply)) > LONGEST_REPLY:
        raise InvalidInput(f"reply must not be longer than {LONGEST_REPLY} characters")
    return reply


def toolset() -> Toolset:
    return Toolset(name="review", identity=IDENTITY, tools=(memory_review, memory_curate, memory_save_fact))
