"""The knowledge graph: entities, relations, and what is related."""

from __future__ import annotations

from typing import Annotated, Literal

from everlore import memory
from everlore.surfaces.contracts.knowledge.memories import Id, Maybe, memory_of, owner_of
from everlore.surfaces.contracts.toolset import Caller, tool
from everlore.types import Json


@tool("Create an entity", repeatable=True)
def create_entity(
    ask: Caller,
    name: Annotated[str, "Entity name"],
    entity_type: Annotated[Maybe[str], "Type: person, project, concept, file, etc."] = None,
    description: Annotated[Maybe[str], "Optional description"] = None,
    user_id: Annotated[Maybe[str], "Optional user ID for isolation"] = None,
) -> dict[str, Json]:
    """Create a knowledge graph entity."""
    key = memory.create_entity(ask.engine, owner_of(ask, user_id), name, entity_type or "", description or "")
    return {"id": key.global_id}


@tool("Create a relation", repeatable=True)
def create_relation(
    ask: Caller,
    from_entity: Annotated[Id, "Source entity ID"],
    to_entity: Annotated[Id, "Target entity ID"],
    relation_type: Annotated[str, "Relation type: works_on, knows, uses, etc."],
    weight: Annotated[float, "Relation weight (0.0-1.0, default: 1.0)", {"minimum": 0, "maximum": 1}] = 1.0,
) -> dict[str, Json]:
    """Create a directed relation between two entities."""
    origin, end = (memory_of(ask, one, entity=True) for one in (from_entity, to_entity))
    return {"id": memory.create_relation(ask.engine, origin, relation_type, end, weight)}


@tool("What is related", reads=True)
def get_related(
    ask: Caller,
    entity_id: Annotated[Id, "Entity ID to start from"],
    depth: Annotated[int, "Traversal depth (1-3, default: 1)", {"minimum": 1, "maximum": 3}] = 1,
    direction: Annotated[Literal["outgoing", "incoming", "both"], "Traversal direction"] = "outgoing",
) -> dict[str, Json]:
    """Get entities related to a given entity via graph traversal."""
    found, relations = memory.related(ask.engine, memory_of(ask, entity_id, entity=True), depth, direction)
    entities = [
        {
            "id": row.key.global_id,
            "name": row.data["name"],
            "entity_type": row.data["entity_type"] or None,
            "description": row.data["description"] or None,
            "user_id": row.key.owner.id,
        }
        for row in found
    ]
    shown = [
        {
            "id": one.id,
            "from_entity": one.origin.key.global_id,
            "to_entity": one.end.key.global_id,
            "relation_type": one.type,
            "weight": one.weight,
        }
        for one in relations
    ]
    counts = {"entity_count": len(entities), "relation_count": len(shown)}
    return {"entities": entities, "relations": shown, **counts}


TOOLS = (create_entity, create_relation, get_related)
