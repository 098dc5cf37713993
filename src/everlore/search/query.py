"""What is asked, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from everlore.clock import Clock
from everlore.errors import InvalidInput
from everlore.models.chat import Usage
from everlore.stores.base import Vector
from everlore.types import Filter, IndexedMemory, Json, Owner, Scope

LONGEST: Final = 16_384
"""Characters of a question. What is longer is a text to remember, and would be compared with everything."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question to the memories of one owner, or of everybody in a scope (`owner` None).

    `top_k` -1: whatever is worth returning; else at most so many of each group of kinds.
    `radius` is a cosine below which a vector match does not count.
    """

    owner: Owner | None
    text: str
    top_k: int = -1
    radius: float | None = None
    filter: Filter | None = None
    explain: bool = False
    rerank: bool = False
    """Let the language model order an agent's cases and skills, where one is configured."""
    scope: Scope | None = None
    kinds: tuple[str, ...] = ()
    """Only these, instead of the recipe's."""
    vector: Vector | None = None
    """Of the text, where the caller has it already."""
    project: str | None = None
    """Only what was said in this project, what has none, and what is personal; None: everything."""

    def __post_init__(self) -> None:
        if len(self.text) > LONGEST:
            raise InvalidInput(
                f"query must have at most {LONGEST} characters, not {len(self.text)}; ask with fewer words"
            )


@dataclass(frozen=True, slots=True)
class Passage:
    """The sentence of a memory that matched: "I moved to Lisbon.", said by Alice in the third turn."""

    text: str
    score: float
    turn: int
    """Counted from 1; 0 where a memory has no turns."""
    speaker: str
    time: int
    valid_from: int
    valid_until: int | None = None
    """When it ended, where it has."""
    ended_by: str = ""
    """What replaced it, as a sentence."""

    def shown(self, clock: Clock) -> dict[str, Json]:
        """As JSON; each surface carries it so."""
        return {
            "text": self.text,
            "score": self.score,
            "turn": self.turn,
            "speaker": self.speaker,
            "time": clock.show(self.time),
            "valid_from": clock.show(self.valid_from),
            "valid_until": None if self.valid_until is None else clock.show(self.valid_until),
            "ended_by": self.ended_by or None,
        }


@dataclass(frozen=True, slots=True)
class Parts:
    """What each kind of evidence says of a memory, in [0, 1]."""

    meaning: float = 0.0
    words: float = 0.0
    graph: float = 0.0


NO_PARTS = Parts()


@dataclass(frozen=True, slots=True)
class Hit:
    stored: IndexedMemory
    score: float
    facts: tuple[Hit, ...] = ()
    passages: tuple[Passage, ...] = ()
    parts: Parts = NO_PARTS
    moved: tuple[str, ...] = ()
    """Why it has another score than its evidence gave it."""
    fits: bool = True
    """False where the recipe tells it and it does not fit the question."""


@dataclass(frozen=True, slots=True)
class Recall:
    hits: dict[str, list[Hit]]
    """By group of kinds, under the name of its first kind, best first."""
    trace: dict[str, Json] = field(default_factory=dict)
    """What each stage did; filled only when the query asks to explain."""
    usage: Usage = field(default_factory=Usage)
    nodes: int = 0
    """Of the graph, that were looked at."""

    @property
    def best(self) -> list[Hit]:
        """All hits, for recipes that rank all kinds together."""
        return [hit for found in self.hits.values() for hit in found]
