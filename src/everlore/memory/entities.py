"""Entities and the relations between them: one page each, written atomically and indexed at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Literal, TypeAlias

from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.graph.links import NAMES
from everlore.graph.names import name_key
from everlore.kinds.entity import (
    ENTITY,
    IS,
    SELF,
    Entity,
    Relation,
    folded,
    from_sheet,
    new_entry,
    page_name,
    target,
    to_sheet,
    with_relation,
)
from everlore.kinds.paths import owner_dir, page_path
from everlore.memory.notes import without_secrets
from everlore.sync.indexing import index_file
from everlore.types import IndexedMemory, Json, Key, Owner, Where
from everlore.vault.front_matter import clean
from everlore.vault.markdown import parse_sheet, render_sheet

LONGEST_NAME = 300
LONGEST_TEXT = 100 * 1024

Direction: TypeAlias = Literal["outgoing", "incoming", "both"]


@dataclass(frozen=True, slots=True)
class Related:
    """One relation between two entities of the vault."""

    origin: IndexedMemory
    type: str
    end: IndexedMemory
    weight: float

    @property
    def id(self) -> str:
        return relation_id(self.origin.key, self.type, self.end.key)


def relation_id(origin: Key, relation_type: str, end: Key) -> str:
    named = "\0".join((origin.global_id, relation_type, end.global_id))
    return blake2b(named.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def create_entity(engine: Engine, owner: Owner, name: str, entity_type: str = "", description: str = "") -> Key:
    """A new page, or the page that the owner has under this name or alias, with what was missing on it filled in."""
    shown = _line(name, "name")
    kind, told = " ".join(clean(entity_type).split()), clean(without_secrets(engine, description)).strip()
    if len(told.encode()) > LONGEST_TEXT:
        raise InvalidInput(f"description must not be longer than {LONGEST_TEXT // 1024} KB")
    with engine.vault.lock(f"entity:{owner_dir(owner)}:{folded(shown)}"):
        number = 0
        while True:
            known = find_entity(engine, owner, shown)
            if known is not None:
                _fill(engine, known, kind, told)
                return known.key
            key = Key(owner, ENTITY.name, new_entry(shown, number))
            path = page_path(ENTITY, owner, page_name(shown, key.local_id, apart=number > 0))
            free = not engine.index.rows.find([key])
            page = Entity(owner, key.local_id, shown, kind, told, created=engine.clock.now())
            if free and _begin(engine, path, page):
                return key
            # the page is there and was not indexed yet, or it is another entity's that has this name no more
            number += bool(not index_file(engine, path).any)


def create_relation(
    engine: Engine, origin: IndexedMemory, relation_type: str, end: IndexedMemory, weight: float = 1.0
) -> str:
    """Write a relation on the page of the entity it begins at; one that is there gets the new weight."""
    named = _line(relation_type, "relation_type")
    if "[" in named or "]" in named:
        raise InvalidInput("relation_type must not have brackets in it; use words such as works_on")
    if not 0.0 <= weight <= 1.0:
        raise InvalidInput("weight must be between 0 and 1")
    if origin.key.owner != end.key.owner:
        raise InvalidInput("the two entities belong to different users; relate entities of one user")
    relation = Relation(named, str(end.data["page"]), end.key.local_id, weight)
    _edit(engine, origin, lambda page: with_relation(page, relation))
    return relation_id(origin.key, named, end.key)


def find_entity(engine: Engine, owner: Owner, name: str) -> IndexedMemory | None:
    """The entity that goes by this name; by an alias or its page, if none has the name itself."""
    links = engine.index.links.to([name_key(name)], Where(owner, (ENTITY.name,)), (IS,))
    rows = sorted(engine.index.rows.stored(link.row for link in links).values(), key=lambda row: row.key.local_id)
    wanted = folded(name)
    named = [row for row in rows if folded(row.data["name"]) == wanted]
    called = [row for row in rows if wanted in map(folded, (*row.data["aliases"], row.data["page"]))]
    return next(iter(named + called), None)


def related(
    engine: Engine, start: IndexedMemory, depth: int, direction: Direction
) -> tuple[list[IndexedMemory], list[Related]]:
    """Entities up to `depth` relations away, the nearest first, and the relations that lead there."""
    seen = {start.key: start}
    relations: dict[str, Related] = {}
    frontier = [start]
    for _ in range(depth):
        found: list[Related] = []
        if direction != "incoming":
            found += [one for entity in frontier for one in outgoing(engine, entity)]
        if direction != "outgoing":
            found += [one for entity in frontier for one in _incoming(engine, entity)]
        relations |= {one.id: one for one in found}
        ends = {side.key: side for one in found for side in (one.origin, one.end) if side.key not in seen}
        seen |= ends
        frontier = list(ends.values())
    return [row for key, row in seen.items() if key != start.key], list(relations.values())


def outgoing(engine: Engine, origin: IndexedMemory) -> Iterator[Related]:
    told: Sequence[Json] = origin.data["relations"]
    keys = [Key(origin.key.owner, ENTITY.name, one["to"]) for one in told if one["to"]]
    known = engine.index.rows.find(keys)
    for one in told:
        end = known.get(Key(origin.key.owner, ENTITY.name, one["to"])) if one["to"] else None
        end = end or find_entity(engine, origin.key.owner, one["page"])
        if end is not None:
            yield Related(origin, one["type"], end, one["weight"])


def _incoming(engine: Engine, end: IndexedMemory) -> Iterator[Related]:
    names = [name_key(name) for name in (end.data["name"], *end.data["aliases"], end.data["page"])]
    where = Where(end.key.owner, (ENTITY.name,))
    links = engine.index.links.to([target(end.key.global_id), *names], where)
    rows = {link.row for link in links if link.edge.relation not in (SELF, IS, NAMES)}
    for origin in sorted(engine.index.rows.stored(rows).values(), key=lambda row: row.key.local_id):
        yield from (one for one in outgoing(engine, origin) if one.end.key == end.key)


def _begin(engine: Engine, path: str, page: Entity) -> bool:
    change = engine.vault.change(path, lambda text: render_sheet(to_sheet(page)) if text is None else text)
    if change.before is not None:
        return False
    index_file(engine, path)
    return True


def _fill(engine: Engine, known: IndexedMemory, entity_type: str, description: str) -> None:
    wants_type = entity_type and not known.data["entity_type"]
    wants_text = description and not known.data["description"]

    def filled(page: Entity) -> Entity:
        return replace(page, entity_type=page.entity_type or entity_type, description=page.description or description)

    if wants_type or wants_text:
        with suppress(NotFound):  # the page went meanwhile
            _edit(engine, known, filled)


def _edit(engine: Engine, known: IndexedMemory, changed: Callable[[Entity], Entity]) -> None:
    def edit(text: str | None) -> str:
        if text is None:
            raise NotFound(f"Entity not found: {known.key.global_id}")
        page = from_sheet(parse_sheet(text), known.key.owner, known.data["page"])
        return render_sheet(to_sheet(changed(page)), text)

    engine.vault.change(known.path, edit)
    index_file(engine, known.path)


def _line(text: str, name: str) -> str:
    shown = " ".join(clean(text).split())
    if not shown:
        raise InvalidInput(f"{name} must not be empty")
    if len(shown) > LONGEST_NAME or not shown.isprintable():
        raise InvalidInput(f"{name} must be one line of at most {LONGEST_NAME} printable characters")
    return shown
