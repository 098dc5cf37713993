"""What is asked, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from everlore.models.chat import Usage
from everlore.types import Filter, IndexedMemory, Json, Owner

Method: TypeAlias = Literal["keyword", "vector", "hybrid", "agentic"]


@dataclass(frozen=True, slots=True)
class Query:
    """`top_k` -1: whatever is worth returning; else at most so many of each kind.

    `radius` is a cosine below which a vector match does not count.
    """

    owner: Owner
    text: str
    method: Method = "hybrid"
    top_k: int = -1
    radius: float | None = None
    filter: Filter | None = None
    explain: bool = False
    rerank: bool = False
    """Let the language model order an agent's cases and skills, where one is configured."""


@dataclass(frozen=True, slots=True)
class Hit:
    stored: IndexedMemory
    score: float
    facts: tuple[Hit, ...] = ()
    moved: str = ""
    """Why it has another score than its ranking gave it."""


@dataclass(frozen=True, slots=True)
class Recall:
    hits: dict[str, list[Hit]]
    """By kind, best first."""
    trace: dict[str, Json] = field(default_factory=dict)
    """What each stage did; filled only when the query asks to explain."""
    usage: Usage = field(default_factory=Usage)
