"""Entity: a person, project, thing or idea that has a page of its own, with its relations as links.

    - works_on [[Project X]] <!-- en_0f3a9c2b71de weight 0.8 -->

Obsidian draws these links. A person may write them by hand, without the comment: the link then names the page, the
name or an alias of the other entity.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b

from everlore.clock import iso
from everlore.errors import Damaged, InvalidInput
from everlore.kinds.base import EPOCH, UTC_CLOCK, index_row, named, share, texts
from everlore.kinds.pieces import units_of
from everlore.kinds.registry import Kind, OwnFile, register
from everlore.types import Edge, IndexRow, Json, Key, MemoryFile, Owner

IS = "is"
"""The edge from an entity to each of its names."""
SELF = "self"
"""The edge from an entity to itself, where relations of others lead."""
LONGEST_FILE_NAME = 80

_ENTRY = re.compile(r"en_[0-9a-f]{12,32}")
_LINE = re.compile(
    r"^[ \t]*[-*+][ \t]+(?P<type>[^\[\]\n]*[^\[\]\s])[ \t]+\[\[(?P<page>[^\]|#\n]+)(?:[|#][^\]\n]*)?\]\]"
    r"(?:[ \t]*<!--[ \t]*(?P<to>en_[0-9a-f]+)?(?:[ \t]*weight[ \t]+(?P<weight>[0-9.]+))?[ \t]*-->)?[ \t]*$",
    re.MULTILINE,
)
_ODD = re.compile(r"[^\w .,'()&+@=!-]")
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Relation:
    """`to` is the entry of the other entity; empty when a person wrote only its page or name."""

    type: str
    page: str
    to: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Entity:
    owner: Owner
    local_id: str
    name: str
    entity_type: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    created: int = 0
    body: str = ""
    page: str = ""
    """The name of its file, by which links of people find it."""

    @property
    def relations(self) -> tuple[Relation, ...]:
        return tuple(
            Relation(found["type"], found["page"].strip(), found["to"] or "", _weight(found["weight"]))
            for found in _LINE.finditer(self.body)
        )


def folded(name: str) -> str:
    """Names that are equal so are one name."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def new_entry(name: str, number: int = 0) -> str:
    """The same name gives the same entry in every process; `number` tells apart what only looks the same."""
    return "en_" + blake2b(f"{number}:{folded(name)}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def page_name(name: str, entry: str, *, apart: bool = False) -> str:
    """A file name that people and Obsidian can read. Where it cannot be the name itself, the entry keeps it apart."""
    plain = " ".join(unicodedata.normalize("NFC", name).split())
    safe = _ODD.sub("_", plain)[:LONGEST_FILE_NAME].strip(" .")
    kept = not apart and safe == plain and len(safe.encode()) <= 200 and not _DEVICE.fullmatch(safe)
    return safe if kept else f"{safe or 'entity'} {entry[3:11]}"


def with_relation(entity: Entity, relation: Relation) -> Entity:
    """Add the relation, or give the one that is there its new weight."""
    written = f"- {relation.type} [[{relation.page}]] <!-- {relation.to} weight {relation.weight:g} -->"
    for found in _LINE.finditer(entity.body):
        same = found["to"] == relation.to or (not found["to"] and folded(found["page"]) == folded(relation.page))
        if found["type"] == relation.type and same:
            return replace(entity, body=entity.body[: found.start()] + written + entity.body[found.end() :])
    lines = list(_LINE.finditer(entity.body))
    if lines:
        at = lines[-1].end()
        return replace(entity, body=f"{entity.body[:at]}\n{written}{entity.body[at:]}")
    return replace(entity, body=f"{entity.body.rstrip()}\n\n## Relations\n{written}\n".lstrip())


def to_sheet(entity: Entity) -> MemoryFile:
    return MemoryFile(
        front={
            "id": entity.local_id,
            "type": ENTITY.name,
            "user_id": entity.owner.id,
            **named(entity, ("name", "entity_type", "description")),
            "aliases": list(entity.aliases),
            "created": iso(entity.created),
        },
        body=entity.body,
    )


def from_sheet(sheet: MemoryFile, owner: Owner, name: str) -> Entity:
    """`name` is the file's, for a page that a person began without front matter."""
    front = sheet.front
    shown = _text(front, "name") or name
    entry = _text(front, "id") or new_entry(shown)
    if not _ENTRY.fullmatch(entry):
        raise Damaged(f"the page of {shown!r}: front matter `id` must look like en_0f3a9c2b71de4455; or leave it out")
    try:
        created = UTC_CLOCK.parse(_text(front, "created") or EPOCH)
    except InvalidInput as error:
        raise Damaged(f"the page of {shown!r}: front matter `created`: {error}") from None
    return Entity(
        owner=owner,
        local_id=entry,
        name=shown,
        entity_type=_text(front, "entity_type"),
        description=_text(front, "description"),
        aliases=texts(front.get("aliases")),
        created=created,
        body=sheet.body,
        page=name,
    )


def target(handle: str) -> str:
    """The node of an entity in the graph. No name begins so."""
    return f"@{handle}"


def to_row(entity: Entity, updated: int) -> IndexRow:
    """Links to its names are added where names are known to the graph (`cascade`)."""
    key = Key(entity.owner, ENTITY.name, entity.local_id)
    relations = entity.relations
    data = named(entity, ("name", "entity_type", "description", "page"))
    data |= {"aliases": list(entity.aliases), "relations": [asdict(one) for one in relations]}
    pieces = units_of([": ".join(filter(None, (entity.name, entity.description)))])
    ends = [(one, Key(entity.owner, ENTITY.name, one.to)) for one in relations if one.to]
    others = (Edge(one.type, target(end.global_id), one.weight) for one, end in ends)
    edges = (Edge(SELF, target(key.global_id)), *others)
    return index_row(key, updated, data, pieces, timestamp=entity.created, slot=folded(entity.name), edges=edges)


def _text(front: Mapping[str, Json], name: str) -> str:
    value = front.get(name)
    return "" if value is None else str(value).strip()


def _weight(text: str | None) -> float:
    try:
        return share(text) if text else 1.0
    except ValueError:
        return 1.0


ENTITY = register(
    Kind(
        name="entity",
        code="en",
        track="user",
        layout=OwnFile("entities/*.md"),
        parse=from_sheet,
        render=to_sheet,
        index=to_row,
        plural="entities",
        can_end=False,
        states=False,
        own_names=lambda data: (data["name"], *data["aliases"], data["page"]),
        statement="description",
        text=lambda data: f"{data['name']}: {data['description']}",
    )
)
