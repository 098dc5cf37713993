"""Review: drafted episodes are lent to whoever has a model, each to one reviewer at a time.

The queue is the episodes that nobody has reviewed, so it is as durable as the files; a lease with a time-out, kept
beside the buffer, keeps two reviewers from taking the same one.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlore import extract
from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.kinds.case import CASE
from everlore.kinds.episode import DRAFTED, EPISODE, parse_turns, turn_moment
from everlore.kinds.fact import FACT, Fact, from_row
from everlore.kinds.paths import owner_dir
from everlore.memory.read import named
from everlore.stores.tokens import query_terms, tokens
from everlore.types import Cell, IndexedMemory, Key, Owner, Predicate, Where

if TYPE_CHECKING:
    from everlore.extract.curation import Offered, Stretch, TurnShown

LEASE_SECONDS = 900
TOKENS = 6000
CHARACTERS_PER_TOKEN = 3
"""Fewer than English has, so that other languages fit as well."""
OFFERED = 20
"""Older statements that a reply may end."""
LOOKED_AT = 1000
"""The newest statements, among which they are chosen."""
MOST = 20
"""Episodes that one call lends."""


@dataclass(frozen=True, slots=True)
class Item:
    """A drafted episode, lent to one reviewer until a moment."""

    id: str
    lease: str
    until: int
    session_id: str
    stretch: Stretch


def waiting(engine: Engine, owner: Owner) -> int:
    """How many of an owner's episodes nobody has reviewed."""
    return len(_drafted(engine, owner))


def newest_drafts(engine: Engine, owner: Owner, most: int) -> list[IndexedMemory]:
    """Of those that nobody has reviewed, so many that were written last, the latest talk first."""
    rows = engine.index.rows.stored(sorted(_drafted(engine, owner))[-most:]).values()
    return sorted(rows, key=lambda row: (row.timestamp, row.key.local_id), reverse=True)


def _drafted(engine: Engine, owner: Owner) -> list[int]:
    return engine.index.rows.in_slots(owner, EPISODE.name, [DRAFTED]).get(DRAFTED, [])


def lend(engine: Engine, stored: IndexedMemory, seconds: int, budget: int) -> Item | None:
    """None while somebody else has it. The caller holds the queue's lock."""
    if lease_of(engine, stored):
        return None
    token, until = secrets.token_hex(8), engine.clock.now() + seconds * 1000
    engine.buffer.keep_draft(_place(stored), json.dumps({"lease": token, "until": until}))
    return Item(stored.key.public_id, token, until, stored.session_id, stretch_of(engine, stored, budget))


def queue_lock(engine: Engine, owner: Owner) -> AbstractContextManager[None]:
    return engine.vault.lock(f"review:{owner_dir(owner)}")


def lease_of(engine: Engine, stored: IndexedMemory) -> str:
    """The lease that holds now, "" for none."""
    kept = engine.buffer.draft(_place(stored))
    known = json.loads(kept) if kept else {}
    return str(known["lease"]) if known and known["until"] > engine.clock.now() else ""


def give_back(engine: Engine, stored: IndexedMemory) -> None:
    engine.buffer.finish(_place(stored))


def _place(stored: IndexedMemory) -> Cell:
    """Where the buffer keeps the lease of an episode: beside what else it keeps of the session."""
    return Cell(f"review:{stored.key.global_id}", stored.key.owner.scope, stored.session_id, ())


def episode_named(engine: Engine, owner: Owner, public_id: str) -> IndexedMemory:
    stored = named(engine, owner, public_id)
    if stored.key.kind != EPISODE.name:
        raise InvalidInput(f"{public_id} is a {stored.key.kind}; only episodes are reviewed")
    return stored


def stretch_of(engine: Engine, stored: IndexedMemory, budget: int = 0) -> Stretch:
    """What there is to review, in about so many tokens; 0: all of it, as replies are checked against."""
    assistants = frozenset(stored.data.get("assistants", ()))
    turns = tuple(
        extract.curation.TurnShown(
            number,
            turn_moment(stored.timestamp, turn.time),
            turn.speaker,
            "assistant" if turn.speaker in assistants else "user",
            turn.text,
        )
        for number, turn in enumerate(parse_turns(str(stored.data["episode"]))[1], 1)
    )
    drafts = drafted_facts(engine, stored)
    return extract.curation.Stretch(
        turns=_clipped(turns, budget * CHARACTERS_PER_TOKEN) if budget else turns,
        title=str(stored.data["subject"]),
        summary=str(stored.data["summary"]),
        facts=tuple((fact.text, fact.turn + 1) for fact in drafts),
        older=_older(engine, stored, drafts, turns),
        has_run=bool(runs_of(engine, stored)),
        zone=engine.clock.zone,
    )


def drafted_facts(engine: Engine, stored: IndexedMemory) -> list[Fact]:
    return [from_row(row) for row in engine.index.rows.children(stored.key.owner, FACT.name, [stored.parent_id])]


def runs_of(engine: Engine, stored: IndexedMemory) -> list[IndexedMemory]:
    """What agents did in the same stretch."""
    where = Where(None, (CASE.name,), Predicate("parent_id", "eq", stored.parent_id), scope=stored.key.owner.scope)
    return engine.index.rows.page(where, limit=2).rows


def _clipped(turns: Sequence[TurnShown], room: int) -> tuple[TurnShown, ...]:
    """Long turns lose their middle; what still finds no room is only counted."""
    each = max(200, room // max(1, len(turns)))
    shown: list[TurnShown] = []
    for turn in turns:
        text = turn.text if len(turn.text) <= each else f"{turn.text[: each * 2 // 3]} … {turn.text[-(each // 3) :]}"
        room -= len(text)
        shown.append(replace(turn, text=text if room >= 0 else "…"))
    return tuple(shown)


def _older(
    engine: Engine, stored: IndexedMemory, drafts: Sequence[Fact], turns: Sequence[TurnShown]
) -> tuple[Offered, ...]:
    """What the talk may have ended: what its draft ended, then what stands and shares words with it."""
    owner, made = stored.key.owner, {fact.local_id for fact in drafts}
    rows = engine.index.rows.page(Where(owner, (FACT.name,)), limit=LOOKED_AT).rows
    said = {term for turn in turns if turn.role == "user" for term in query_terms(turn.text)}
    found: list[tuple[float, Fact]] = []
    for fact in (from_row(row) for row in rows if row.timestamp <= stored.timestamp and row.key.local_id not in made):
        words = set(tokens(fact.text))
        shared = 1.0 if fact.superseded_by in made else len(said & words) / (1 + len(words))
        if shared and (shared == 1.0 or fact.valid_until is None):
            found.append((shared, fact))
    best = sorted(found, key=lambda one: (-one[0], -one[1].timestamp))[:OFFERED]
    return tuple(
        extract.curation.Offered(
            Key(owner, FACT.name, fact.local_id).public_id, fact.text, fact.valid_from or fact.timestamp
        )
        for _, fact in best
    )
