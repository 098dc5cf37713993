"""The knowledge graph: entities, relations, and what is related."""

from __future__ import annotations

from typing import Any

from everlore.engine import Engine
from everlore.errors import NotFound
from everlore.memory import create_entity, create_relation, related
from everlore.memory.entities import Related
from everlore.surfaces.mcp.knowledge.arguments import Arguments, guarded, owner_of, plain_id, scope_of
from everlore.surfaces.mcp.toolset import Tool
from everlore.types import IndexedMemory, Json


def _create_entity(engine: Engine, arguments: Arguments) -> Json:
    key = create_entity(
        engine,
        owner_of(engine, arguments),
        arguments["name"],
        arguments.get("entity_type") or "",
        arguments.get("description") or "",
    )
    return {"id": key.global_id}


def _create_relation(engine: Engine, arguments: Arguments) -> Json:
    origin, end = (_entity_of(engine, arguments.get(name), name) for name in ("from_entity", "to_entity"))
    weight = arguments.get("weight")
    relation = create_relation(engine, origin, arguments["relation_type"], end, 1.0 if weight is None else weight)
    return {"id": relation}


def _get_related(engine: Engine, arguments: Arguments) -> Json:
    start = _entity_of(engine, arguments.get("entity_id"), "entity_id")
    entities, relations = related(engine, start, arguments.get("depth") or 1, arguments.get("direction") or "outgoing")
    return {
        "entities": [_entity(row) for row in entities],
        "relations": [_relation(one) for one in relations],
        "entity_count": len(entities),
        "relation_count": len(relations),
    }


def _entity_of(engine: Engine, value: Json, name: str) -> IndexedMemory:
    handle = plain_id(value, name)
    found = engine.index.by_handle([handle.lower()]).get(handle.lower())
    if found is None or found.key.kind != "entity" or found.key.owner.scope != scope_of(engine):
        raise NotFound(f"Entity not found: {handle}")
    return found


def _entity(row: IndexedMemory) -> dict[str, Any]:
    return {
        "id": row.key.global_id,
        "name": row.data["name"],
        "entity_type": row.data["entity_type"] or None,
        "description": row.data["description"] or None,
        "user_id": row.key.owner.id,
    }


def _relation(one: Related) -> dict[str, Any]:
    return {
        "id": one.id,
        "from_entity": one.origin.key.global_id,
        "to_entity": one.end.key.global_id,
        "relation_type": one.type,
        "weight": one.weight,
    }


TOOLS = (
    Tool(
        name="create_entity",
        description="Create a knowledge graph entity.",
        input_schema={
            "type": "object",
            "properties": {
                "name": {"description": "Entity name", "type": "string"},
                "entity_type": {
                    "description": "Type: person, project, concept, file, etc.",
                    "type": "string",
                    "nullable": True,
                },
                "description": {"description": "Optional description", "type": "string", "nullable": True},
                "user_id": {"description": "Optional user ID for isolation", "type": "string", "nullable": True},
            },
            "required": ["name"],
        },
        run=guarded(_create_entity),
        title="Create an entity",
        idempotent=True,
    ),
    Tool(
        name="create_relation",
        description="Create a directed relation between two entities.",
        input_schema={
            "type": "object",
            "properties": {
                "from_entity": {"description": "Source entity ID", "type": "string"},
                "to_entity": {"description": "Target entity ID", "type": "string"},
                "relation_type": {
                    "description": "Relation type: works_on, knows, uses, etc.",
                    "type": "string",
                },
                "weight": {
                    "description": "Relation weight (0.0-1.0, default: 1.0)",
                    "type": "number",
                    "minimum": 0,
                    "maximum": 1,
                    "default": 1.0,
                },
            },
            "required": ["from_entity", "to_entity", "relation_type"],
        },
        run=guarded(_create_relation),
        title="Create a relation",
        idempotent=True,
        lenient=frozenset({"from_entity", "to_entity"}),
    ),
    Tool(
        name="get_related",
        description="Get entities related to a given entity via graph traversal.",
        input_schema={
            "type": "object",
            "properties": {
                "entity_id": {"description": "Entity ID to start from", "type": "string"},
                "depth": {
                    "description": "Traversal depth (1-3, default: 1)",
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 3,
                    "default": 1,
                },
                "direction": {
                    "description": "Traversal direction",
                    "type": "string",
                    "enum": ["outgoing", "incoming", "both"],
                    "default": "outgoing",
                },
            },
            "required": ["entity_id"],
        },
        run=guarded(_get_related),
        title="What is related",
        read_only=True,
        idempotent=True,
        lenient=frozenset({"entity_id"}),
    ),
)
