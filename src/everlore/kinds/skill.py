"""Skill: a named way of doing something, made from cases that resemble each other. One `SKILL.md` each."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from hashlib import blake2b

from everlore.clock import iso
from everlore.errors import Damaged, InvalidInput
from everlore.kinds.base import EPOCH, UTC_CLOCK, index_row, named, share
from everlore.kinds.pieces import split_text, units_of
from everlore.kinds.registry import Kind, OwnFile, register
from everlore.types import IndexRow, Key, MemoryFile, Owner, Validity

_ENTRY = re.compile(r"sk_\d{8}_\d{8}")
_NO_YEAR = "sk_0000"
"""How ids begin that no file holds, since no date does."""
_COMMENT = re.compile(r"\n{0,9}<!--[^>]{0,200}-->\s{0,99}$")


@dataclass(frozen=True, slots=True)
class Skill:
    owner: Owner
    local_id: str
    name: str
    description: str
    content: str
    confidence: float
    maturity_score: float
    source_case_ids: tuple[str, ...]
    timestamp: int


def to_sheet(skill: Skill) -> MemoryFile:
    return MemoryFile(
        front={
            **({} if skill.local_id.startswith(_NO_YEAR) else {"id": skill.local_id}),
            "type": "agent_skill",
            "agent_id": skill.owner.id,
            **named(skill, ("name", "description")),
            "confidence": round(skill.confidence, 2),
            "maturity_score": round(skill.maturity_score, 2),
            "source_case_ids": list(skill.source_case_ids),
            "timestamp": iso(skill.timestamp),
        },
        body=skill.content,
    )


def from_sheet(sheet: MemoryFile, owner: Owner, name: str) -> Skill:
    """`name` is the folder's, for a skill without one in the front matter, or without an id of ours: other programs
    write skills too."""
    front = sheet.front
    given = str(front.get("id") or "")
    entry = given if _ENTRY.fullmatch(given) else _entry_of(name)
    if not sheet.body.strip():
        raise Damaged(f"SKILL.md of {name!r} has no text below its front matter")
    sources = front.get("source_case_ids") or []
    try:
        return Skill(
            owner=owner,
            local_id=entry,
            name=str(front.get("name") or name),
            description=str(front.get("description") or ""),
            content=sheet.body.strip(),
            confidence=share(front.get("confidence", 0.5)),
            maturity_score=share(front.get("maturity_score", 0.5)),
            source_case_ids=tuple(str(case) for case in sources) if isinstance(sources, list) else (),
            timestamp=UTC_CLOCK.parse(str(front.get("timestamp") or EPOCH)),
        )
    except (TypeError, ValueError, OverflowError, InvalidInput) as error:
        raise Damaged(f"SKILL.md of {name!r}: {error}") from None


def _entry_of(folder: str) -> str:
    """The same folder has the same id everywhere, however its disk writes accents."""
    digest = blake2b(unicodedata.normalize("NFC", folder).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = f"{int.from_bytes(digest) % 10**12:012d}"
    return f"{_NO_YEAR}{number[:4]}_{number[4:]}"


def to_row(skill: Skill, updated: int) -> IndexRow:
    told = _COMMENT.sub("", skill.content)  # the mark by which we know our own text is of no use to a reader
    data = named(skill, ("name", "description", "confidence", "maturity_score"))
    data |= {"content": told, "source_case_ids": list(skill.source_case_ids)}
    pieces = units_of([f"{skill.name.replace('-', ' ')}: {skill.description}", *split_text(told)])
    key = Key(skill.owner, SKILL.name, skill.local_id)
    return index_row(key, updated, data, pieces, timestamp=skill.timestamp, validity=Validity(skill.timestamp))


SKILL = register(
    Kind(
        name="skill",
        code="sk",
        track="agent",
        layout=OwnFile("skills/*/SKILL.md"),
        parse=from_sheet,
        render=to_sheet,
        index=to_row,
        found_as="skill",
        most_found=10,
        memory_type="procedural",
        statement="description",
        text=lambda data: f"{data['name']}: {data['description']}\n\n{data['content']}",
    )
)
