"""Reading through EverMe: search, context, single memories and pages of them, as the gateway's JSON.

A caller reaches its whole scope: what any surface saved there, for any user or agent, is found here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from pydantic.alias_generators import to_camel

from everlore.clock import Clock
from everlore.engine import Engine
from everlore.errors import NotFound
from everlore.extract.sentences import split
from everlore.kinds.episode import parse_turns
from everlore.kinds.registry import key_of
from everlore.kinds.registry import kind as kind_of
from everlore.memory import listing, profile, remove
from everlore.models.base import asked_once
from everlore.search import Hit, Query, recall
from everlore.search.answering import about_oneself, leaves_open
from everlore.search.filters import holds
from everlore.search.passages import likeness
from everlore.search.recipes import CONTEXT
from everlore.stores.tokens import query_terms, tokens
from everlore.surfaces.contracts.everme import markdown
from everlore.surfaces.contracts.passages import facts, quotations
from everlore.surfaces.contracts.quoting import line, whose
from everlore.types import Filter, IndexedMemory, Json, Message, Owner, Predicate, Scope, Track

TYPES = ("episodic_memory", "profile", "raw_message", "agent_memory")
TOP_K = 5  # of each sort, in a context
MOST_OWNERS = 16
"""Owners of a scope that a search looks at: the one asking first, then those with the most memories."""
MOST_WAITING = 500
LISTED = {"episodic_memory": "episode", "profile": "profile", "agent_case": "case", "agent_skill": "skill"}
_NAMES = {kind: name for name, kind in LISTED.items()}
LAST_TURNS, LAST_LINES = 2, 4
"""Turns that tell how a session ended, and lines beside its subject at most."""
BRIEF = 200
"""Characters of each."""
NEAR = 0.3
"""What a line of a profile or a waiting message must have to do with a query, in [0, 1]."""
_FIELDS = {
    "episode": ("subject", "summary", "episode"),
    "case": ("task_intent", "approach", "quality_score", "key_insight"),
    "skill": ("name", "description", "content", "confidence", "maturity_score"),
}
"""Of a kind's data, what is shown; of others their content."""


@dataclass(frozen=True, slots=True)
class Person:
    """Whose memories: a user and the agent that works for them, in one scope, and the project they are at."""

    scope: Scope
    user: str
    agent: str
    project: str | None = None

    @property
    def owner(self) -> Owner:
        return Owner(self.scope, "user", self.user)


def search(
    engine: Engine,
    person: Person,
    query: str,
    top_k: int,
    *,
    types: Collection[str] = TYPES,
    chosen: Filter | None = None,
    by_time: bool = False,
) -> dict[str, Json]:
    """`chosen` narrows by the memory API's filters; `by_time` orders the best ones by their time."""
    users, agents = owners(engine, person)
    engine = replace(engine, embedder=asked_once(engine.embedder))
    asked = (*(users if "episodic_memory" in types else ()), *(agents if "agent_memory" in types else ()))
    queries = [Query(owner, query, top_k=top_k, filter=chosen, project=person.project) for owner in asked]
    hits = [hit for one in queries for hit in recall(engine, one, CONTEXT).best]

    def best(found_as: str) -> list[dict[str, Json]]:
        mine = [hit for hit in hits if kind_of(hit.stored.key.kind).found_as == found_as]
        top = sorted(mine, key=lambda hit: (-hit.score, hit.stored.key.public_id))[:top_k]
        in_order = sorted(top, key=lambda hit: -hit.stored.timestamp) if by_time else top
        return [_scored(hit, engine.clock) for hit in in_order]

    return {
        "items": best("episode"),
        "profiles": _profile_lines(engine, users, query, chosen)[:top_k] if "profile" in types else [],
        "rawMessages": _waiting(engine, person, query, chosen)[:top_k] if "raw_message" in types else [],
        "agentMemory": {"cases": best("case"), "skills": best("skill")},
    }


def owners(engine: Engine, person: Person) -> tuple[list[Owner], list[Owner]]:
    """Users and agents of the scope, the asking ones first."""
    known = sorted(engine.index.rows.owners(person.scope), key=lambda pair: (-pair[1], pair[0].id))

    def ordered(track: Track, first: str) -> list[Owner]:
        own = Owner(person.scope, track, first)
        others = [owner for owner, _ in known if owner.track == track and owner != own]
        return [own, *others][:MOST_OWNERS]

    return ordered("user", person.user), ordered("agent", person.agent)


def context(engine: Engine, person: Person, query: str, budget: int, *, fitting_only: bool = False) -> dict[str, Json]:
    """What a session should know of its user, of what went before, and of the query.

    Nothing, if there is a query that no memory fits: it is somebody's prompt, and is better left alone. One that speaks
    of the user themselves ("What do I drink?") is told who they are, unless it is `fitting_only`, as for prompts."""
    row, known = profile(engine, person.owner), None
    if row is not None:  # without what holds in other projects
        here = (None, "", person.project)
        infos = [one for one in row.data["explicit_info"] if person.project is None or one.get("project") in here]
        known = {**row.data, "explicit_info": infos}
    types = ("episodic_memory", "agent_memory", "raw_message")
    found = search(engine, person, query, TOP_K, types=types) if query else {}
    fits = (
        not query
        or (not fitting_only and about_oneself(query))
        or any((found["items"], found["rawMessages"], *found["agentMemory"].values()))
    )
    text = markdown.context(known, found, last_session(engine, person), budget) if fits else ""
    now = engine.clock.show(engine.clock.now())
    return {
        "profile": None if row is None else dict(row.data),
        "context": text,
        "memoryCount": markdown.line_count(text),
        "cachedAt": now,
        "generatedAt": now,
    }


def last_session(engine: Engine, person: Person) -> list[str]:
    """What the newest talk in this project was about, what it left open, and how it ended."""
    here = None if person.project is None else Predicate("project", "eq", person.project)
    rows = listing(engine, person.owner, "episode", filter=here, page_size=1).rows
    if not rows or not (turns := parse_turns(str(rows[0].data["episode"]))[1]):
        return []
    row, day = rows[0], engine.clock.show(rows[0].timestamp)[:10]
    told: list[str] = []
    for number, turn in enumerate(turns):
        ends = number >= len(turns) - LAST_TURNS
        left = [turn.text] if ends else [one for one in split(turn.text) if leaves_open(one)]
        origin, by = (day, "how it ended" if ends else "left open"), turn.speaker
        told += [line(one, whose=whose(row, by), by=by, origin=origin, most=BRIEF) for one in left]
    return [line(row.data["subject"], origin=(day, "about")), *told[-LAST_LINES:]]


def get(engine: Engine, person: Person, public_id: str) -> dict[str, Json]:
    row = find(engine, person, public_id)
    return {"type": _NAMES.get(row.key.kind, row.key.kind), "item": shown(row, engine.clock)}


def page(engine: Engine, person: Person, memory_type: str, number: int, size: int) -> dict[str, Json]:
    """Newest first, over all owners of the scope."""
    kind = LISTED[memory_type]
    users, agents = owners(engine, person)
    of_kind = users if kind_of(kind).track == "user" else agents
    pages = [listing(engine, owner, kind, page_size=number * size) for owner in of_kind]
    rows = sorted((row for one in pages for row in one.rows), key=lambda row: (-row.timestamp, row.key.public_id))
    part = rows[(number - 1) * size : number * size]
    items = [{"type": memory_type, "item": shown(row, engine.clock)} for row in part]
    return {"items": items, "totalCount": sum(one.total for one in pages)}


def forget(engine: Engine, person: Person, public_id: str) -> int:
    return remove(engine, find(engine, person, public_id)).count


def find(engine: Engine, person: Person, public_id: str) -> IndexedMemory:
    """A memory of the scope by its id, whoever owns it."""
    users, agents = owners(engine, person)
    found = engine.index.rows.find([key for owner in (*users, *agents) if (key := key_of(owner, public_id))])
    if not found:
        raise NotFound("no memory goes by that id; search or list them to see their ids")
    return next(iter(found.values()))


def shown(row: IndexedMemory, clock: Clock) -> dict[str, Json]:
    kind, owner = row.key.kind, row.key.owner
    told: dict[str, Json] = {"id": row.key.public_id, f"{owner.track}Id": owner.id}
    told["timestamp"] = clock.show(row.updated if kind == "skill" else row.timestamp)
    if kind == "profile":
        return told | {"profileData": dict(row.data)}
    if kind != "skill":
        told["sessionId"] = row.session_id
    if kind == "episode":
        told |= {"type": "episodic_memory", "senderIds": list(row.sender_ids)}
    if kind not in _FIELDS:
        return told | {"content": str(row.data.get("content", ""))}
    return told | {to_camel(name): row.data[name] for name in _FIELDS[kind]}


def _scored(hit: Hit, clock: Clock) -> dict[str, Json]:
    item = shown(hit.stored, clock) | {"score": hit.score}
    if hit.stored.key.owner.track == "user":  # what a run or a skill is for stands in its own fields
        item["passages"] = quotations(hit, clock)
    if hit.stored.key.kind == "episode":
        item["atomicFacts"] = facts(hit)
    elif hit.stored.key.kind not in _FIELDS:
        item["type"] = hit.stored.key.kind
    return item


def _profile_lines(engine: Engine, users: Sequence[Owner], query: str, chosen: Filter | None) -> list[dict[str, Json]]:
    """Lines of profiles that have to do with the query, each an element of its own, as plugins show them. A profile is
    of no session."""
    lines: list[tuple[IndexedMemory, dict[str, Json]]] = []
    for row in filter(None, (profile(engine, owner, chosen) for owner in users)):
        told = [("explicit_info", one["description"], one) for one in row.data["explicit_info"]]
        traits = row.data["implicit_traits"]
        told += [("implicit_trait", f"{one['trait']}: {one['description']}", one) for one in traits]
        lines += [(row, {"item_type": sort, "embed_text": text, **one}) for sort, text, one in told]
    scores = likeness(engine, query, [(row.key.owner, str(data["embed_text"])) for row, data in lines])
    ranked = sorted(zip(scores, lines, strict=True), key=lambda pair: -pair[0])
    return [
        shown(row, engine.clock) | {"profileData": data, "score": round(score, 6)}
        for score, (row, data) in ranked
        if score >= NEAR
    ]


def _waiting(engine: Engine, person: Person, query: str, chosen: Filter | None) -> list[dict[str, Json]]:
    """Messages that no memory was made of yet."""
    terms = query_terms(query)

    def share(message: Message) -> float:
        return len(set(terms).intersection(tokens(message.text))) / len(terms) if terms else 0.0

    waiting = engine.buffer.waiting(person.scope, MOST_WAITING)
    scored = [(share(one), one) for one in waiting if chosen is None or holds(chosen, one)]
    scored.sort(key=lambda pair: (-pair[0], -pair[1].timestamp))
    return [
        {
            "id": message.id,
            "sessionId": message.session_id,
            "senderId": message.sender_id,
            "senderName": message.speaker,
            "role": message.role,
            "timestamp": engine.clock.show(message.timestamp),
            "contentItems": [{"type": "text", "text": message.text}],
        }
        for score, message in scored
        if score >= NEAR
    ]
