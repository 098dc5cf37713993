"""Profile: what is known of a user, each line with its evidence. One `user.md` per user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from everlore.clock import LATEST_MS
from everlore.errors import Damaged
from everlore.kinds.base import index_row, told
from everlore.kinds.pieces import units_of
from everlore.kinds.registry import Kind, OwnFile, register
from everlore.types import IndexRow, Json, Key, MemoryFile, Owner

INFO = ("category", "description", "evidence")
TRAIT = ("trait", "description", "basis", "evidence")
"""What surfaces show of the two."""
KEYS = frozenset((*INFO, *TRAIT, "about", "timestamp_ms", "project"))
"""Of items as they are written without a person's additions."""


@dataclass(frozen=True, slots=True)
class Info:
    """Something the user said of themselves. `about` is the slot that a newer statement replaces."""

    category: str
    description: str
    evidence: str
    about: str = ""
    timestamp: int = 0
    project: str = ""
    """Where it holds; everywhere, if it is personal."""
    written: Mapping[str, Json] = field(default_factory=dict, compare=False)
    """The item as it stands in the file, with the keys that a person added."""


@dataclass(frozen=True, slots=True)
class Trait:
    """Something seen in several statements; `basis` says why we think so."""

    trait: str
    description: str
    basis: str
    evidence: str
    written: Mapping[str, Json] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Profile:
    owner: Owner
    summary: str
    explicit_info: tuple[Info, ...]
    implicit_traits: tuple[Trait, ...]
    timestamp: int
    generated: tuple[str, ...] | None = None
    """Fingerprints of what was computed from facts, as it was written last; all else is its owner's. None in files of
    before, and in those that a person wrote."""
    hidden: tuple[str, ...] = ()
    """Fingerprints of what would be computed, and its owner took out or replaced."""
    called: tuple[str, ...] = ()
    """Names of the user that their id does not tell."""

    @property
    def local_id(self) -> str:
        return PROFILE.name


def to_sheet(profile: Profile) -> MemoryFile:
    notes: dict[str, Json] = {} if profile.generated is None else {"generated": " ".join(profile.generated)}
    notes |= told(hidden=" ".join(profile.hidden), called=list(profile.called))
    return MemoryFile(
        front={
            "id": f"profile_{profile.owner.id}",
            "type": "user_profile",
            "user_id": profile.owner.id,
            "profile_timestamp_ms": profile.timestamp,
            "explicit_info": [_written(info) for info in profile.explicit_info],
            "implicit_traits": [_written(trait) for trait in profile.implicit_traits],
            **notes,
        },
        body=profile.summary,
    )


def from_sheet(sheet: MemoryFile, owner: Owner, _name: str = "") -> Profile:
    def items(name: str) -> list[Mapping[str, Json]]:
        value = sheet.front.get(name) or []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise Damaged(f"user.md: `{name}` must be a list of items with named fields")
        return value

    return Profile(
        owner=owner,
        summary=sheet.body.strip(),
        explicit_info=tuple(_info(item) for item in items("explicit_info")),
        implicit_traits=tuple(_trait(item) for item in items("implicit_traits")),
        timestamp=_moment(sheet.front.get("profile_timestamp_ms")),
        generated=tuple(str(sheet.front["generated"] or "").split()) if "generated" in sheet.front else None,
        hidden=tuple(str(sheet.front.get("hidden") or "").split()),
        called=tuple(map(str, called)) if isinstance(called := sheet.front.get("called"), list) else (),
    )


def _info(item: Mapping[str, Json]) -> Info:
    return Info(**_texts(item, (*INFO, "about", "project")), timestamp=_moment(item.get("timestamp_ms")), written=item)


def _trait(item: Mapping[str, Json]) -> Trait:
    return Trait(**_texts(item, TRAIT), written=item)


def _written(item: Info | Trait) -> dict[str, Json]:
    """The item for the file: what it says there already is left as it is."""
    ours, there = _values(item), _values(_info(item.written) if isinstance(item, Info) else _trait(item.written))
    return {**item.written, **{name: value for name, value in ours.items() if value != there.get(name, "")}}


def _values(item: Info | Trait) -> dict[str, Json]:
    more = {"about": item.about, "timestamp_ms": item.timestamp} if isinstance(item, Info) else {}
    return {**_shown(item), **more}


def _shown(item: Info | Trait) -> dict[str, Json]:
    marked = ("project",) if isinstance(item, Info) and item.project else ()
    return {name: getattr(item, name) for name in (*(INFO if isinstance(item, Info) else TRAIT), *marked)}


def _texts(item: Mapping[str, Json], names: Iterable[str]) -> dict[str, Any]:
    return {name: str(item.get(name) or "") for name in names}


def _moment(value: Json) -> int:
    return min(max(value, 0), LATEST_MS) if isinstance(value, int) else 0


def profile_data(profile: Profile) -> dict[str, Json]:
    """The wire form."""
    return {
        "summary": profile.summary,
        "explicit_info": [_shown(info) for info in profile.explicit_info],
        "implicit_traits": [_shown(trait) for trait in profile.implicit_traits],
    }


def to_row(profile: Profile, updated: int) -> IndexRow:
    data = profile_data(profile)
    pieces = units_of([profile.summary, *(info.description for info in profile.explicit_info)])
    key = Key(profile.owner, PROFILE.name, profile.local_id)
    return index_row(key, updated, data, pieces, timestamp=profile.timestamp, sender_ids=(profile.owner.id,))


PROFILE = register(
    Kind(
        name="profile",
        code="pf",
        track="user",
        layout=OwnFile("user.md"),
        parse=from_sheet,
        render=to_sheet,
        index=to_row,
        can_end=False,
        states=False,
        linked=False,
        statement="summary",
        text=lambda data: "\n".join(
            [str(data["summary"]), *(str(one["description"]) for one in data["explicit_info"])]
        ),
    )
)
