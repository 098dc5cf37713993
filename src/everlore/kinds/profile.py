"""Profile: what is known of a user, each line with its evidence. One `user.md` per user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from everlore.errors import Damaged
from everlore.kinds.base import Place, row_digest
from everlore.types import Json, Key, Owner, Row, Sheet, Unit, Validity

PLACE = Place(kind="profile", prefix="pf", track="user", layout="sheet", pattern="user.md")


@dataclass(frozen=True, slots=True)
class Info:
    """Something the user said of themselves. `about` is the slot that a newer statement replaces."""

    category: str
    description: str
    evidence: str
    about: str = ""
    timestamp: int = 0


@dataclass(frozen=True, slots=True)
class Trait:
    """Something seen in several statements; `basis` says why we think so."""

    trait: str
    description: str
    basis: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Profile:
    owner: Owner
    summary: str
    explicit_info: tuple[Info, ...]
    implicit_traits: tuple[Trait, ...]
    timestamp: int

    @property
    def entry(self) -> str:
        return "profile"


def to_sheet(profile: Profile) -> Sheet:
    return Sheet(
        front={
            "id": f"profile_{profile.owner.id}",
            "type": "user_profile",
            "user_id": profile.owner.id,
            "profile_timestamp_ms": profile.timestamp,
            "explicit_info": [
                {
                    "category": info.category,
                    "description": info.description,
                    "evidence": info.evidence,
                    **({"about": info.about} if info.about else {}),
                    "timestamp_ms": info.timestamp,
                }
                for info in profile.explicit_info
            ],
            "implicit_traits": [
                {"trait": t.trait, "description": t.description, "basis": t.basis, "evidence": t.evidence}
                for t in profile.implicit_traits
            ],
        },
        body=profile.summary,
    )


def from_sheet(sheet: Sheet, owner: Owner) -> Profile:
    def items(name: str) -> list[Mapping[str, Json]]:
        value = sheet.front.get(name) or []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise Damaged(f"user.md: `{name}` must be a list of items with named fields")
        return value

    def text(item: Mapping[str, Json], name: str) -> str:
        return str(item.get(name) or "")

    def number(value: Json) -> int:
        return value if isinstance(value, int) else 0

    return Profile(
        owner=owner,
        summary=sheet.body.strip(),
        explicit_info=tuple(
            Info(
                text(i, "category"),
                text(i, "description"),
                text(i, "evidence"),
                text(i, "about"),
                number(i.get("timestamp_ms")),
            )
            for i in items("explicit_info")
        ),
        implicit_traits=tuple(
            Trait(text(t, "trait"), text(t, "description"), text(t, "basis"), text(t, "evidence"))
            for t in items("implicit_traits")
        ),
        timestamp=number(sheet.front.get("profile_timestamp_ms")),
    )


def profile_data(profile: Profile) -> dict[str, Json]:
    """The wire form."""
    return {
        "summary": profile.summary,
        "explicit_info": [
            {"category": i.category, "description": i.description, "evidence": i.evidence}
            for i in profile.explicit_info
        ],
        "implicit_traits": [
            {"trait": t.trait, "description": t.description, "basis": t.basis, "evidence": t.evidence}
            for t in profile.implicit_traits
        ],
    }


def to_row(profile: Profile, updated: int) -> Row:
    data = profile_data(profile)
    told = [profile.summary, *(i.description for i in profile.explicit_info)]
    pieces = tuple(Unit(turn=number, dense=text, words=text) for number, text in enumerate(told) if text)
    return Row(
        key=Key(profile.owner, PLACE.kind, profile.entry),
        digest=row_digest(data, pieces, profile.timestamp),
        session_id="",
        parent_type="",
        parent_id="",
        timestamp=profile.timestamp,
        updated=updated,
        sender_ids=(profile.owner.id,),
        validity=Validity(),
        data=data,
        units=pieces,
    )
