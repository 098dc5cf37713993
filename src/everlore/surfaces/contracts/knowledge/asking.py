"""What the tools share: kinds of arguments, the scope they work in, and errors in the contract's words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any, TypeVar

from everlore.engine import Engine
from everlore.errors import Damaged, InvalidInput, NotFound, Unavailable
from everlore.kinds.registry import kind
from everlore.surfaces.contracts import toolset
from everlore.surfaces.contracts.signature import Read
from everlore.types import IndexedMemory, Json, Owner, Scope

T = TypeVar("T")

NOT_READY = "Embedding service not ready. Please try again."
DATABASE = "Database error. Please try again."


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


Maybe = Annotated[T | None, {"nullable": True}]
"""May be left out, and is told so in OpenAPI's word."""
Id = Annotated[str, Read(plain_id)]


class NotReady(Unavailable):
    """The model is loading or failed, and the tool cannot do without it."""

    def __init__(self) -> None:
        super().__init__(NOT_READY)


def tool(
    title: str, *, reads: bool = False, destroys: bool = False, repeatable: bool = False
) -> Callable[[Callable[..., Any]], toolset.Tool]:
    """A tool for which trouble below begins with the contract's sentence, and goes on with what helps."""

    def made(function: Callable[..., Any]) -> toolset.Tool:
        @wraps(function)
        def guarded(*args: Any, **arguments: Any) -> Any:
            try:
                return function(*args, **arguments)
            except NotReady:
                raise
            except (Damaged, Unavailable) as error:
                raise type(error)(f"{DATABASE} {error}") from error

        return toolset.tool(title, reads=reads, destroys=destroys, repeatable=repeatable)(guarded)

    return made


def scope_of(engine: Engine) -> Scope:
    return Scope(engine.settings.mcp.app, engine.settings.mcp.project)


def owner_of(engine: Engine, user_id: str | None) -> Owner:
    return Owner(scope_of(engine), "user", user_id or engine.settings.mcp.user)


def limited(limit: int, most: int) -> int:
    """More than the maximum is the maximum."""
    if limit < 1:
        raise InvalidInput(f"limit must be between 1 and {most}")
    return min(limit, most)


def memory_of(engine: Engine, handle: str) -> IndexedMemory:
    """The memory of this scope that goes by an id."""
    found = _by_handle(engine, handle)
    if found is None or kind(found.key.kind).own_names:
        raise missing(handle)
    return found


def entity_of(engine: Engine, handle: str) -> IndexedMemory:
    """The thing, which has names of its own, that goes by an id."""
    found = _by_handle(engine, handle)
    if found is None or not kind(found.key.kind).own_names:
        raise NotFound(f"Entity not found: {handle}")
    return found


def _by_handle(engine: Engine, handle: str) -> IndexedMemory | None:
    found = engine.index.rows.by_global_id([handle.lower()]).get(handle.lower())
    return found if found is not None and found.key.owner.scope == scope_of(engine) else None


def missing(handle: str) -> NotFound:
    return NotFound(f"Memory not found: {handle}")
