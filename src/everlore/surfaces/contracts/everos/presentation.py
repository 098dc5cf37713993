"""From stored values to the contract's items. Pure, and the one place that says how this contract shows a kind.

`app_id` is the client's own word for the app: inside, the space of its account may stand before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from everlore.clock import Clock, ahead
from everlore.kinds.registry import kind, kinds_where
from everlore.memory import Outcome
from everlore.models.chat import Usage
from everlore.search import Recall
from everlore.surfaces.contracts.everos.answers import GetData, HistoryItem, Pending, SearchData, Spending
from everlore.surfaces.contracts.passages import facts, quotations
from everlore.types import IndexedMemory, Message

WORDED = ("subject", "task_intent", "name", "description")
BRIEFLY = ("id", "session_id", "timestamp", "score", "profile_data", *WORDED)
"""What a compact answer tells of a memory, beside its sentences."""
BRIEF = 240
"""Characters of each of these, at most."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What `/get` lists as one memory_type."""

    kind: str
    array: str
    """The field of an answer that holds them."""
    timed: bool = True
    """False: without a timestamp of its own, so always listed by when it was updated."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """With those that are found as it and have no shape of their own: a note of another surface is an episode here,
        so that nothing is hidden."""
        own = {shape.kind for shape in SHAPES.values()} - {self.kind}
        return kinds_where(lambda one: self.kind in (one.name, one.found_as) and one.name not in own)


SHAPES: Final[Mapping[str, Shape]] = {
    "episode": Shape("episode", "episodes"),
    "record": Shape("record", "episodes"),
    "profile": Shape("profile", "profiles", timed=False),
    "agent_case": Shape("case", "agent_cases"),
    "agent_skill": Shape("skill", "agent_skills", timed=False),
}
ARRAYS: Final = tuple(dict.fromkeys(shape.array for shape in SHAPES.values()))
NAMES: Final = {shape.kind: name for name, shape in SHAPES.items()} | {"fact": "atomic_fact"}


def memory_type(name: str) -> str:
    """What the contract calls a kind, or the one it is found as; a kind that it does not know goes by its own name."""
    return NAMES.get(kind(name).found_as or name, name)


def spent(done: Outcome) -> dict[str, Any]:
    pending = Pending(messages=done.waiting, reason=done.reason) if done.waiting else None
    return {"pending": pending, "usage": usage(done.usage)}


def usage(spent: Usage) -> Spending | None:
    return Spending(**asdict(spent)) if spent.requests else None


def _item(row: IndexedMemory, app_id: str, clock: Clock) -> dict[str, Any]:
    """What any item of the contract may tell of a memory; each item's model takes its own fields of it."""
    owner, note = row.key.owner, kind(row.key.kind).found_as == "episode" and "episode" not in row.data
    return {
        **(_of_note(row.data["content"]) if note else row.data),
        "id": row.key.public_id,
        f"{owner.track}_id": owner.id,
        "app_id": app_id,
        "project_id": owner.scope.project,
        "session_id": row.session_id,
        "timestamp": clock.show(row.timestamp),
        "sender_ids": (owner.id,) if note else row.sender_ids,
        "profile_data": row.data,
    }


def _of_note(content: str) -> dict[str, str]:
    """A note as an episode: its first line is the subject."""
    lines = content.strip().splitlines()
    return {"subject": shortened(lines[0], 100), "summary": shortened(" ".join(lines), 200), "episode": content}


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def listed(memory_type: str, rows: Iterable[IndexedMemory], total: int, app_id: str, clock: Clock) -> GetData:
    items = [_item(row, app_id, clock) for row in rows]
    array = SHAPES[memory_type].array
    return GetData.model_validate({array: items, "total_count": total, "count": len(items)})


def found(
    recall: Recall, profile: IndexedMemory | None, waiting: Iterable[Message], app_id: str, clock: Clock
) -> SearchData:
    """`recall.hits` are by kind; notes and records stand among the episodes."""
    told: dict[str, Any] = {array: [] for array in ARRAYS}
    for name, hits in recall.hits.items():
        told[SHAPES[memory_type(name)].array] += [
            _item(hit.stored, app_id, clock)
            | {"score": hit.score, "passages": quotations(hit, clock), "atomic_facts": facts(hit)}
            for hit in hits
        ]
    if profile is not None:
        told["profiles"] = [_item(profile, app_id, clock)]
    told["unprocessed_messages"] = [_unprocessed(message, app_id, clock) for message in waiting]
    return SearchData.model_validate(told | {"trace": recall.trace or None, "usage": usage(recall.usage)})


def compact(found: SearchData) -> dict[str, Any]:
    """The same answer for a reader who pays for every word: ten memories take less than 8 KB."""
    told = found.model_dump(exclude_none=True)
    for array in ARRAYS:
        told[array] = [
            {
                name: shortened(str(item[name]), BRIEF) if name in WORDED else item[name]
                for name in BRIEFLY
                if name in item
            }
            | {"passages": [_briefly(one) for one in item.get("passages", ())[: 1 if number else None]]}
            for number, item in enumerate(told[array])
        ]
    return told


def _briefly(passage: dict[str, Any]) -> dict[str, Any]:
    names = ("speaker", "whose", "time", "valid_until", "ended_by")
    return {"text": shortened(passage["text"], BRIEF), **{name: passage[name] for name in names if passage.get(name)}}


def _unprocessed(message: Message, app_id: str, clock: Clock) -> dict[str, Any]:
    names = ("id", "session_id", "sender_id", "sender_name", "role", "content", "tool_calls", "tool_call_id")
    told = {name: getattr(message, name) for name in names}
    return told | {"app_id": app_id, "project_id": message.scope.project, "timestamp": clock.show(message.timestamp)}


def stated(
    row: IndexedMemory, episode: IndexedMemory | None, successor: IndexedMemory | None, app_id: str, clock: Clock
) -> HistoryItem:
    """A statement of the history, with the episode it was made in and what took its place."""
    held = row.validity
    told = {
        "memory_type": memory_type(row.key.kind),
        "content": str(row.data.get(kind(row.key.kind).statement, "")),
        "episode_id": episode.key.public_id if episode else None,
        "valid_from": clock.show(row.timestamp if held.start is None else held.start),
        "valid_until": None if held.end is None else clock.show(held.end),
        "superseded_by": successor.key.public_id if successor else None,
        "dated_ahead": ahead(row.timestamp, clock.now()),
    }
    return HistoryItem.model_validate(_item(row, app_id, clock) | told)
