"""From stored values to the contract's items. Pure, and the one place that says how this contract shows a kind.

`app_id` is the client's own word for the app: inside, the space of its account may stand before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from everlore.clock import Clock, ahead
from everlore.kinds.registry import kind, kinds_where
from everlore.memory import Outcome
from everlore.models.chat import Usage
from everlore.search import Recall
from everlore.surfaces.contracts.everos.answers import GetData, HistoryItem, Pending, SearchData, Spending
from everlore.surfaces.contracts.passages import quotations
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
    fields: Callable[[IndexedMemory, Clock], dict[str, Any]]
    timed: bool = True
    """False: without a timestamp of its own, so always listed by when it was updated."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """With those that are found as it and have no shape of their own: a note of another surface is an episode here,
        so that nothing is hidden."""
        own = {shape.kind for shape in SHAPES.values()} - {self.kind}
        return kinds_where(lambda one: self.kind in (one.name, one.found_as) and one.name not in own)


def _episode(row: IndexedMemory, clock: Clock) -> dict[str, Any]:
    note = "episode" not in row.data
    told = _of_note(row.data["content"]) if note else row.data
    return {
        "session_id": row.session_id,
        "timestamp": clock.show(row.timestamp),
        "sender_ids": (row.key.owner.id,) if note else row.sender_ids,
        **{name: told[name] for name in ("summary", "subject", "episode")},
    }


def _of_note(content: str) -> dict[str, str]:
    """A note as an episode: its first line is the subject."""
    lines = content.strip().splitlines()
    return {"subject": shortened(lines[0], 100), "summary": shortened(" ".join(lines), 200), "episode": content}


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _case(row: IndexedMemory, clock: Clock) -> dict[str, Any]:
    names = ("task_intent", "approach", "quality_score", "key_insight")
    told = {name: row.data[name] for name in names}
    return {"session_id": row.session_id, "timestamp": clock.show(row.timestamp), **told}


def _skill(row: IndexedMemory, _: Clock) -> dict[str, Any]:
    names = ("name", "description", "content", "confidence", "maturity_score", "source_case_ids")
    return {name: row.data[name] for name in names}


def _profile(row: IndexedMemory, _: Clock) -> dict[str, Any]:
    return {"profile_data": dict(row.data)}


SHAPES: Final[Mapping[str, Shape]] = {
    "episode": Shape("episode", "episodes", _episode),
    "record": Shape("record", "episodes", _episode),
    "profile": Shape("profile", "profiles", _profile, timed=False),
    "agent_case": Shape("case", "agent_cases", _case),
    "agent_skill": Shape("skill", "agent_skills", _skill, timed=False),
}
NAMES: Final = {shape.kind: name for name, shape in SHAPES.items()} | {"fact": "atomic_fact"}


def memory_type(name: str) -> str:
    """What the contract calls a kind, or the one it is found as; a kind that it does not know goes by its own name."""
    return NAMES.get(kind(name).found_as or name, name)


def spent(done: Outcome) -> dict[str, Any]:
    pending = Pending(messages=done.waiting, reason=done.reason) if done.waiting else None
    return {"pending": pending, "usage": usage(done.usage)}


def usage(spent: Usage) -> Spending | None:
    return Spending(**asdict(spent)) if spent.requests else None


def _placed(row: IndexedMemory, app_id: str) -> dict[str, Any]:
    owner = row.key.owner
    return {"id": row.key.public_id, f"{owner.track}_id": owner.id, "app_id": app_id, "project_id": owner.scope.project}


def listed(memory_type: str, rows: Iterable[IndexedMemory], total: int, app_id: str, clock: Clock) -> GetData:
    shape = SHAPES[memory_type]
    items = [_placed(row, app_id) | shape.fields(row, clock) for row in rows]
    return GetData.model_validate({shape.array: items, "total_count": total, "count": len(items)})


def found(
    recall: Recall,
    profile: IndexedMemory | None,
    waiting: Iterable[Message],
    app_id: str,
    clock: Clock,
    *,
    explain: bool,
) -> SearchData:
    """`recall.hits` are by kind; notes and records stand among the episodes."""
    arrays: dict[str, list[dict[str, Any]]] = {shape.array: [] for shape in SHAPES.values()}
    for name, hits in recall.hits.items():
        shape = SHAPES[memory_type(name)]
        for hit in hits:
            item = _placed(hit.stored, app_id) | shape.fields(hit.stored, clock)
            facts = [
                {"id": fact.stored.key.public_id, "content": fact.stored.data["content"], "score": fact.score}
                for fact in hit.facts
            ]
            told = {"score": hit.score, "passages": quotations(hit, clock), "atomic_facts": facts}
            arrays[shape.array].append(item | told)
    if profile is not None:
        arrays["profiles"] = [_placed(profile, app_id) | _profile(profile, clock)]
    return SearchData.model_validate(
        {
            **arrays,
            "unprocessed_messages": [_unprocessed(message, app_id, clock) for message in waiting],
            "trace": recall.trace if explain else None,
            "usage": usage(recall.usage),
        }
    )


def compact(found: SearchData) -> dict[str, Any]:
    """The same answer for a reader who pays for every word: ten memories take less than 8 KB."""
    told = found.model_dump(exclude_none=True)
    for shape in SHAPES.values():
        told[shape.array] = [
            {
                name: shortened(str(item[name]), BRIEF) if name in WORDED else item[name]
                for name in BRIEFLY
                if name in item
            }
            | {"passages": [_briefly(one) for one in item.get("passages", ())[: 1 if number else None]]}
            for number, item in enumerate(told[shape.array])
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
    return HistoryItem(
        **_placed(row, app_id),
        memory_type=memory_type(row.key.kind),
        content=str(row.data.get(kind(row.key.kind).statement, "")),
        session_id=row.session_id,
        episode_id=episode.key.public_id if episode else None,
        timestamp=clock.show(row.timestamp),
        valid_from=clock.show(row.timestamp if held.start is None else held.start),
        valid_until=None if held.end is None else clock.show(held.end),
        superseded_by=successor.key.public_id if successor else None,
        dated_ahead=ahead(row.timestamp, clock.now()),
    )
