"""Who asks, from where, and what: questions by name, the same in the vault's server and in a command's own process."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace

from everlore.config import mcp_section
from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.project import project_of
from everlore.surfaces.contracts.person import changing, reading
from everlore.surfaces.contracts.person.reading import Person
from everlore.types import Json, Owner, Scope

QUESTIONS: dict[str, Callable[..., Json]] = {
    one.__name__.rstrip("_"): one for one in (*reading.QUESTIONS, *changing.QUESTIONS)
}


def person(engine: Engine, facts: Mapping[str, Json]) -> Person:
    """As a command says of itself: the `folder` it runs in, the `settings` of its environment, the `user` it names."""
    engine = replace(engine, settings=engine.settings.model_copy(update={"mcp": mcp_section(facts["settings"])}))
    mcp = engine.settings.mcp
    owner = Owner(Scope(mcp.app, mcp.project), "user", facts.get("user") or mcp.user)
    return Person(engine, owner, project_of(facts["folder"]) if facts.get("folder") else None)


def ask(name: str, who: Person, arguments: Mapping[str, Json]) -> Json:
    try:
        inspect.signature(QUESTIONS[name]).bind(who, **arguments)
    except TypeError as error:
        raise InvalidInput(f"{name}: {error}") from None
    return QUESTIONS[name](who, **arguments)
