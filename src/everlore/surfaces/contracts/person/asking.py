"""Who asks, and from where; and what answers have in common."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from everlore import memory
from everlore.config import mcp_section
from everlore.engine import Engine
from everlore.errors import NotFound
from everlore.kinds.registry import kind
from everlore.project import Project, project_of
from everlore.types import IndexedMemory, Json, Owner, Scope

Facts = Mapping[str, Json]
"""What a command says of itself: `folder` in which it runs, `settings` of its environment, `user` if one was named."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks. `project` is the one whose folder they are in."""

    engine: Engine
    owner: Owner
    project: Project | None = None

    def named(self, public_id: str) -> IndexedMemory:
        """A memory of theirs, or of an agent that works in the same scope."""
        whose = [self.owner, *(one for one in others(self) if one.track == "agent")]
        for owner in whose:
            if owner == self.owner or public_id.startswith(f"{owner.id}_"):
                try:
                    return memory.named(self.engine, owner, public_id)
                except NotFound:
                    continue
        raise NotFound(f"no memory {public_id!r} of {self.owner.id!r}; `everlore search` and `log` show their ids")


def person(engine: Engine, facts: Facts) -> Person:
    engine = replace(engine, settings=engine.settings.model_copy(update={"mcp": mcp_section(facts["settings"])}))
    mcp = engine.settings.mcp
    owner = Owner(Scope(mcp.app, mcp.project), "user", facts.get("user") or mcp.user)
    return Person(engine, owner, project_of(facts["folder"]) if facts.get("folder") else None)


def others(who: Person) -> list[Owner]:
    """Who else has memories in the same scope, most first."""
    known = sorted(who.engine.index.rows.owners(who.owner.scope), key=lambda pair: (-pair[1], pair[0].id))
    return [owner for owner, _ in known if owner != who.owner]


def row(who: Person, found: IndexedMemory) -> dict[str, Json]:
    """A memory in short."""
    clock, end = who.engine.clock, found.validity.end
    return {
        "id": found.key.public_id,
        "kind": found.key.kind,
        "time": clock.show(found.timestamp),
        "valid_until": None if end is None else clock.show(end),
        "text": statement(found),
    }


def statement(found: IndexedMemory) -> str:
    """What it says, in a line."""
    text = str(found.data.get("subject") or found.data.get(kind(found.key.kind).statement) or "")
    return " ".join(text.split())


def listed(who: Person, rows: Sequence[Json], *, everywhere: bool = True) -> Json:
    """An answer with what a person is told where there is nothing: whose memories these are, and who else has some."""
    project = who.project.name if who.project and not everywhere else None
    told: dict[str, Json] = {"user": who.owner.id, "project": project, "rows": rows}
    if rows:
        return told
    users = [one.id for one in others(who) if one.track == "user"]
    meant = difflib.get_close_matches(who.owner.id, users, n=1)
    return told | {"others": users, "meant": meant[0] if meant else None}
