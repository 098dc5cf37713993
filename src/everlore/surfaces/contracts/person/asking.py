"""Who asks, from where, and what: questions by name, the same in the vault's server and in a command's own process.

Those that change something stand here: what they answer is computed from what was stored.
"""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace

from everlore import memory
from everlore.config import mcp_section
from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.project import project_of
from everlore.surfaces.contracts.person import reading
from everlore.surfaces.contracts.person.reading import Person, listed, row, statement
from everlore.types import IndexedMemory, Json, Owner, Scope


def add(who: Person, text: str, *, everywhere: bool = False) -> Json:
    """Remember something now, for the project of the folder or for all, and tell what was understood."""
    engine, owner = who.engine, who.owner
    session = f"everlore-{uuid.uuid4().hex[:12]}"
    project = None if everywhere else who.project
    message = memory.NewMessage(owner.id, "user", engine.clock.now(), text, project=project.id if project else "")
    memory.remember(engine, owner.scope, session, [message])
    outcome = memory.flush(engine, owner.scope, session)
    rows = memory.held(engine, owner, page_size=10).rows
    learnt = [statement(one) for one in rows if one.session_id == session]
    done = {"waiting": outcome.waiting, "reason": outcome.reason}
    return {"session": session, "project": project.name if project else None, "learnt": learnt, **done}


def source(who: Person, id_: str) -> Json:
    """The text of a memory as it stands in its file, and its version."""
    seen = memory.source(who.engine, who.named(id_).key.owner, id_)
    return asdict(seen) | {"version": seen.version}


def edit(who: Person, id_: str, version: str, text: str) -> Json:
    """Put a text in the place of the version that was seen."""
    seen = memory.edit(who.engine, who.named(id_).key.owner, id_, version, text)
    return asdict(seen) | {"version": seen.version}


def going(who: Person, ids: Sequence[str]) -> Json:
    """All that forgetting these would take, and what it would leave ended."""
    found = [memory.preview(who.engine, one.key.owner, one.key.public_id) for one in _named(who, ids)]
    return [
        {
            "memory": row(who, one.rows[0]),
            "with": [row(who, part) for part in one.rows[1:]],
            "skills": [row(who, skill) for skill in one.skills],
            "profile": list(one.lines),
            "still_ended": [row(who, past) for past in one.ended],
        }
        for one in found
    ]


def forget(who: Person, ids: Sequence[str]) -> Json:
    rows = who.engine.index.rows  # what has gone with another is not there any more
    gone = [memory.remove(who.engine, one) for one in _named(who, ids) if rows.find([one.key])]
    return {
        "forgotten": sum(one.count for one in gone),
        "bins": [one.bin for one in gone if one.bin],
        "days": who.engine.settings.memory.bin_days,
        "still_ended": [row(who, past) for one in gone for past in one.ended],
    }


def bin_(who: Person) -> Json:
    """What was forgotten and can be brought back, the newest first."""
    show, scope = who.engine.clock.show, who.owner.scope
    items = [one for one in memory.binned(who.engine, scope) if one.owner is None or one.owner.track == "agent"]
    items = sorted((*memory.binned(who.engine, scope, who.owner), *items), key=lambda one: -one.at)
    rows = [
        {"id": one.id, "act": one.act, "time": show(one.at), "text": one.title, "counts": dict(one.counts)}
        for one in items
    ]
    return listed(who, rows)


def undo(who: Person, id_: str, *, force: bool = False) -> Json:
    """Bring back what was forgotten, by its id in the bin; or let a memory hold again that has ended, by its own."""
    if all(one.id != id_ for one in memory.binned(who.engine, who.owner.scope)):
        found = who.named(id_)
        memory.reopen(who.engine, found)
        return {"reopened": id_, "text": statement(found)}
    done = memory.restore(who.engine, who.owner.scope, id_, overwrite=force)
    return {"restored": id_, "files": done.files, "left": list(done.left)}


def _named(who: Person, ids: Sequence[str]) -> list[IndexedMemory]:
    return [who.named(one) for one in dict.fromkeys(ids)]


_CHANGING = (add, source, edit, going, forget, bin_, undo)
QUESTIONS: dict[str, Callable[..., Json]] = {one.__name__.rstrip("_"): one for one in (*reading.QUESTIONS, *_CHANGING)}


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
