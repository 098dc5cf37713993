"""The tools, resources and prompts of the Memory Server contract on the engine.

Records come first, but nothing is hidden: memories that other surfaces stored are found, listed and read here too,
with their kind for a type. They have no tags, so a question for tags leaves them out.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import parse_qs, unquote, urlsplit

from everlore.clock import iso
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound, Unavailable
from everlore.kinds import record
from everlore.kinds.registry import kind
from everlore.logs import get_logger
from everlore.memory.records import save_record
from everlore.search import Hit, Query, recall
from everlore.search.recipes import ALONE, MEMORIES, RECORDS
from everlore.stores.base import Vector
from everlore.surfaces.contracts.passages import passages
from everlore.surfaces.contracts.quoting import as_json
from everlore.surfaces.contracts.records import IDENTITY, fields
from everlore.surfaces.contracts.records.environment import ENVIRONMENT
from everlore.surfaces.contracts.records.fields import MOST_LISTED
from everlore.surfaces.contracts.toolset import Argument, Caller, Content, Items, Prompt, Resource, Toolset, tool
from everlore.types import AllOf, IndexedMemory, Predicate, Where

RECORD = record.RECORD.name
OTHERS = tuple(kind for kind in MEMORIES if kind != RECORD)
RECENT = 20
MOST_RECENT = 100

log = get_logger("everlore.mcp.records")


def _begin() -> None:
    root = logging.getLogger()
    if ENVIRONMENT.log_level:
        root.setLevel(ENVIRONMENT.log_level.upper())
    if ENVIRONMENT.debug_log:
        try:
            handler = logging.FileHandler(ENVIRONMENT.debug_log, encoding="utf-8")
            handler.setFormatter(root.handlers[0].formatter if root.handlers else None)
            root.addHandler(handler)
        except OSError as error:
            log.warning("MCP_DEBUG_LOG_PATH cannot be written", error=str(error))
    for complaint in ENVIRONMENT.complaints:
        log.warning(complaint)


@tool("Save a memory", repeatable=True)
def memory_create(
    ask: Caller,
    type_: Annotated[fields.Name, "What it is: note, decision, runbook, todo, ..."],
    content: Annotated[
        fields.Body,
        f'A JSON object, at most {ENVIRONMENT.max_content} characters as JSON; wrap plain text as {{"text": "..."}}',
    ],
    source: Annotated[fields.Name, "Where it comes from, e.g. chat://session-1"],
    *,
    tags: Annotated[fields.Tags, f"Tags to find it by, such as project:alpha. {fields.TAG_FORM}"] = (),
    confidence: fields.Confidence,
) -> Items:
    """Save a structured memory. Idempotent: the same type, source and content are one memory;
    saving it again merges the tags and keeps the higher confidence."""
    saved = save_record(ask.engine, ask.user, type_, content, source, tags, confidence)
    shown = {
        "id": saved.local_id,
        "type": saved.type,
        "tags": list(saved.tags),
        "confidence": saved.confidence,
        "createdAt": iso(saved.created),
        "updatedAt": iso(saved.updated),
    }
    return Items((shown,))


@tool("Search memories", reads=True)
def memory_search(
    ask: Caller,
    query: fields.Query,
    type_: fields.Type = None,
    tags: fields.WantedTags = (),
    limit: fields.Limit = ENVIRONMENT.default_limit,
) -> Items:
    """Find memories by meaning, best first. Returns ids, types, tags and similarity (0 to 1) with links;
    read mem://item/{id} for the content."""
    vector = _embedded(ask.engine, query)
    found: list[Hit] = []
    for where in _places(ask, type_, tags, ask.engine.clock.now()):
        asked = Query(None, query, limit, filter=where.filter, scope=where.scope, kinds=where.kinds, vector=vector)
        found += recall(ask.engine, asked, RECORDS).best
    best = sorted(found, key=lambda hit: (-hit.score, -hit.stored.timestamp, hit.stored.key.global_id))[:limit]
    # with the sentences that matched, where a longer text is behind the link
    items = tuple(item(hit.stored, similarity=hit.score) | passages(hit, ask.engine.clock) for hit in best)
    return Items(items, tuple(link(hit.stored) for hit in best))


@tool("List memories", reads=True)
def memory_list(
    ask: Caller, type_: fields.Type = None, tags: fields.WantedTags = (), limit: fields.Most = None
) -> Items:
    """List memories by type and tags, newest first, with links to their content."""
    rows = _newest(ask, type_, tags, limit or MOST_LISTED)
    return Items(tuple(item(row) for row in rows), tuple(link(row) for row in rows))


def _newest(ask: Caller, type_: str | None, tags: tuple[str, ...], limit: int) -> list[IndexedMemory]:
    rows: list[IndexedMemory] = []
    for where in _places(ask, type_, tags):
        kinds = tuple(kind for kind in where.kinds if kind not in ALONE)
        alone = tuple(kind for kind in where.kinds if kind in ALONE)
        rows += ask.engine.index.rows.newest(replace(where, kinds=kinds), alone, limit=limit).rows
    return sorted(rows, key=lambda row: (-row.timestamp, row.key.global_id))[:limit]


def _places(ask: Caller, type_: str | None, tags: tuple[str, ...], valid_at: int | None = None) -> list[Where]:
    """Where records with this type and all of these tags are, and where other memories are that may be meant."""
    type_, scope = (type_ or "").strip(), ask.user.scope
    demands = [Predicate("sender_id", "eq", tag) for tag in tags]
    demands += [Predicate("parent_type", "eq", type_)] if type_ else []
    places = [Where(None, (RECORD,), AllOf(tuple(demands)) if demands else None, valid_at=valid_at, scope=scope)]
    others = tuple(kind for kind in OTHERS + ALONE if type_ in ("", kind))
    if others and not tags:
        places.append(Where(None, others, valid_at=valid_at, scope=scope))
    return places


def _embedded(engine: Engine, query: str) -> Vector:
    """The query's vector. The model may still be loading, which is waited for; what fails is tried again."""
    for attempt in range(ENVIRONMENT.retries - 1):
        try:
            return engine.embedder.query(query)
        except Unavailable as error:
            log.info("embedding the query failed, trying again", error=str(error))
            time.sleep(0.2 * 2**attempt)
    return engine.embedder.query(query)


def _read(ask: Caller, uri: str) -> Content:
    parts = urlsplit(uri)
    rest = unquote(parts.path.strip("/"))
    asked = parse_qs(parts.query, keep_blank_values=True).get("limit", [None])[-1]
    place = parts.netloc if parts.scheme == "mem" else ""
    if place == "item" and rest:
        return Content(as_json(whole(_item(ask, rest))))
    if place not in ("recent", "by-tags", "by-type") or (place == "recent") == bool(rest):
        raise InvalidInput(
            f"there is no resource {uri[:200]}; there are mem://item/{{id}}, mem://recent?limit=20,"
            " mem://by-tags/{tags}?limit=20 and mem://by-type/{type}?limit=20"
        )
    tags = [tag for tag in rest.split(",") if tag.strip()] if place == "by-tags" else []
    limit = fields.limit(asked, RECENT, MOST_RECENT)
    rows = _newest(ask, rest if place == "by-type" else None, fields.tags(tags, "tags"), limit)
    return Content(as_json([short(row) for row in rows]))


def _item(ask: Caller, number: str) -> IndexedMemory:
    rows, mine, number = ask.engine.index.rows, ask.user, number.lower()
    found = rows.by_global_id([number]).get(number)
    if found is not None and found.key.owner.scope == mine.scope and found.key.kind in (*MEMORIES, *ALONE):
        return found
    for owner in (mine, *(owner for owner, _ in rows.owners(mine.scope) if owner != mine)):
        for row in rows.find([record.key(owner, number)]).values():
            return row
    raise NotFound(f"Memory not found: {number[:100]}")


def whole(row: IndexedMemory) -> dict[str, Any]:
    """A record as the contract shows it; any other memory alike, with its kind for a type and without tags."""
    number, said = row.key.local_id.removeprefix(f"{record.RECORD.code}_"), row.data
    if row.key.kind != RECORD:
        number, text = row.key.global_id, kind(row.key.kind).text(row.data)
        said = {"type": row.key.kind, "tags": (), "confidence": 1.0, "json": {"text": text}}
        said["source"] = f"everlore://{row.key.kind}/{row.key.public_id}"
    return {
        "id": number,
        "type": said["type"],
        "tags": list(said["tags"]),
        "confidence": said["confidence"],
        "created_at": iso(row.timestamp),
        "updated_at": iso(row.updated),
        "content": said["json"],
        "source": said["source"],
    }


def short(row: IndexedMemory) -> dict[str, Any]:
    return {name: value for name, value in whole(row).items() if name not in ("content", "source")}


def item(row: IndexedMemory, **more: float) -> dict[str, Any]:
    told = whole(row)
    return {"id": told["id"], "type": told["type"], **more, "tags": told["tags"], "createdAt": told["created_at"]}


def link(row: IndexedMemory) -> Resource:
    number = whole(row)["id"]
    return Resource(uri=f"mem://item/{number}", name=f"memory:{number}", description=f"Full content for {number}")


RESOURCES = (
    Resource("mem://recent", "Recent memories", f"Most recent {RECENT} items"),
    Resource("mem://recent?limit={limit}", "Recent memories", "The newest items", template=True),
    Resource("mem://by-tags/{tags}?limit={limit}", "Memories by tags", "Tags with commas between", template=True),
    Resource("mem://by-type/{type}?limit={limit}", "Memories by type", "Items of one type", template=True),
    Resource("mem://item/{id}", "Memory", "One memory with its content", template=True),
)


def _recall_prompt(arguments: Mapping[str, str]) -> str:
    scope = f" with the tags {arguments['tags']}" if arguments.get("tags") else ""
    limit = f" and limit {arguments['limit']}" if arguments.get("limit") else ""
    return (
        f"Recall what is known about: {arguments['query']}\n\nCall memory_search with a short, specific query"
        f"{scope}{limit}. Read the best hits with resources/read of their mem://item/{{id}} links. Answer from what"
        " you read and say which memories you used. If nothing fits, drop the type, then broaden the tags."
    )


def _save_prompt(arguments: Mapping[str, str]) -> str:
    tags = arguments.get("tags") or "project:<slug> and one or more topic:<area>"
    return (
        f"Save the durable knowledge of this conversation as a {arguments['type']}.\n\nCall memory_create with type"
        f" {arguments['type']!r}, source {arguments['source']!r}, confidence {arguments['confidence']}, tags {tags},"
        " and content as a JSON object with the fields one will ask for later (summary, steps, owners, links)."
        " Leave out secrets and what will not matter tomorrow."
    )


def _takes(required: int, **about: str) -> tuple[Argument, ...]:
    """Of these the first so many are required."""
    return tuple(Argument(name, told, at < required) for at, (name, told) in enumerate(about.items()))


_RECALL = _takes(1, query="What to recall", tags="Tags that narrow it, with commas between", limit="How many at most")
_SAVE = _takes(
    3,
    type="note, decision, runbook, todo, ...",
    source="Where it comes from",
    confidence="0 to 1",
    tags="Tags, with commas between",
)
PROMPTS = (
    Prompt("memory_recall", "Recall memories before answering", _RECALL, _recall_prompt),
    Prompt("memory_save", "Save what was learned", _SAVE, _save_prompt),
)


def toolset() -> Toolset:
    return Toolset(
        name="records",
        identity=IDENTITY,
        tools=(memory_create, memory_search, memory_list),
        failures="rpc",
        resources=RESOURCES,
        read=_read,
        prompts=PROMPTS,
        begin=_begin,
    )
