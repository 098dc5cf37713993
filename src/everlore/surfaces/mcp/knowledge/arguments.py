"""Reading arguments, the scope of the tools, and errors in the contract's words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import wraps

import structlog

from everlore.engine import Engine
from everlore.errors import Damaged, EverloreError, InvalidInput, NotFound, Unavailable
from everlore.types import IndexedMemory, Json, Owner, Scope

Arguments = Mapping[str, Json]
Run = Callable[[Engine, Arguments], Json]

NOT_READY = "Embedding service not ready. Please try again."
DATABASE = "Database error. Please try again."

log = structlog.get_logger("everlore.mcp")


class NotReady(Unavailable):
    """The model is loading or failed, and the tool cannot do without it."""

    def __init__(self) -> None:
        super().__init__(NOT_READY)


def guarded(run: Run) -> Run:
    """Trouble below begins with the contract's sentence, and goes on with what helps."""

    @wraps(run)
    def tool(engine: Engine, arguments: Arguments) -> Json:
        try:
            return run(engine, arguments)
        except NotReady:
            raise
        except (Damaged, Unavailable) as error:
            raise type(error)(f"{DATABASE} {error}") from error

    return tool


def scope_of(engine: Engine) -> Scope:
    return Scope(engine.settings.mcp.app, engine.settings.mcp.project)


def owner_of(engine: Engine, arguments: Arguments) -> Owner:
    return named_owner(engine, arguments) or Owner(scope_of(engine), "user", engine.settings.mcp.user)


def named_owner(engine: Engine, arguments: Arguments) -> Owner | None:
    user = arguments.get("user_id")
    return Owner(scope_of(engine), "user", user) if user else None


def limited(arguments: Arguments, most: int, default: int) -> int:
    """More than the maximum is the maximum."""
    limit = arguments.get("limit")
    if limit is None:
        return default
    if limit < 1:
        raise InvalidInput(f"limit must be between 1 and {most}")
    return min(int(limit), most)


def plain_id(value: Json, name: str) -> str:
    """An id as a plain string, in the object form that `get_memory` returns, or that form as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except ValueError:
            return str(value)
    while isinstance(value, Mapping):
        value = value.get("id", value.get("String"))
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be the id of a memory, as text")
    return value.strip().removeprefix("memories:").removeprefix("entities:")


def memory_of(engine: Engine, value: Json, name: str = "id") -> IndexedMemory:
    """The memory of this scope that goes by an id."""
    handle = plain_id(value, name)
    found = engine.index.by_handle([handle.lower()]).get(handle.lower())
    if found is None or found.key.owner.scope != scope_of(engine) or found.key.kind == "entity":
        raise NotFound(f"Memory not found: {handle}")
    return found


def missing(value: Json) -> EverloreError:
    """For a memory that went while we looked at it."""
    return NotFound(f"Memory not found: {plain_id(value, 'id')}")
