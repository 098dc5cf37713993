"""How every surface ranks. A recipe says which evidence counts how much, and which stages follow.

All share the stages: candidates (words, vectors, graph), score, time, supersession, rounds, passages, explanation.
They differ in whom and what they look at and in the weights, which some contracts fix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from everlore.kinds.registry import parts_of, searched
from everlore.types import Track

Method: TypeAlias = Literal["keyword", "vector", "hybrid", "agentic"]
"""Of the memory API."""
Groups: TypeAlias = tuple[tuple[str, ...], ...]
"""Kinds that are ranked together. A group goes by the name of its first kind."""

MEMORIES = tuple(kind for group in (*searched("user").values(), *searched("agent").values()) for kind in group)
"""What a person would call a memory;"""
ALONE = tuple(part for kind in MEMORIES for part in parts_of(kind))
"""and what is one when it was not made from an episode."""


def by_track(track: Track | None) -> Groups:
    """One owner's memories: episodes, notes and records of a user; cases, and skills, of an agent."""
    return tuple(searched(track).values()) if track else together(track)


def together(_: Track | None) -> Groups:
    return ((*MEMORIES, *ALONE),)


@dataclass(frozen=True, slots=True)
class Recipe:
    name: str
    groups: Callable[[Track | None], Groups]
    """What is looked for, by the track of the owner that is asked about (None: everybody's)."""
    words: float = 0.0
    meaning: float = 0.0
    graph: float = 0.0
    """How much each kind of evidence counts."""
    by_words: bool = True
    by_meaning: bool = True
    """Which of the two brings candidates, whatever it counts."""
    by_turns: bool = True
    """A memory is worth its turns together, each by words and meaning; else the weighted sum of its parts: the best of
    its cosines, the best of its text scores and its nearness in the graph, each in [0, 1]."""
    valid_only: bool = False
    """Leave out what its owner declared invalid."""
    time: float = 0.1
    """How far a memory from the time that the question names is raised towards 1."""
    supersede: bool = True
    """What has ended stands behind what replaced it."""
    rounds: bool = False
    """Look again, with what the first round taught."""
    candidates: int = 30
    """Units asked of each list, at least."""
    reach: int = 3
    """Neighbours on either side of a unit that lend it their words."""
    unrelated: float = 0.4
    """The built-in model's cosine of texts that have nothing to do with each other."""
    passages: tuple[int, ...] = (4, 2)
    """Sentences shown of the first hit, and of each other one, at most; () where none are."""
    floor: Literal["", "told", "kept"] = ""
    """What does not fit the question is told as such, or left out, as is always done where nobody says how many."""
    patience: float = 5.0
    """Seconds to wait for a model that is loading. Words go on alone then."""

    def but(self, name: str, **changes: Any) -> Recipe:
        return replace(self, name=name, **changes)


# one owner: the memory API, and what is made of it
HYBRID = Recipe("hybrid", by_track, words=0.40, meaning=0.60, graph=2.0)  # multi-hop: from 1.5 to 2.5 all is as good
KEYWORD = HYBRID.but("keyword", words=1.0, meaning=0.0, graph=0.0, by_meaning=False)
VECTOR = HYBRID.but("vector", words=0.0, meaning=1.0, graph=0.0, by_words=False, by_turns=False)
AGENTIC = HYBRID.but("agentic", rounds=True)
METHODS: dict[Method, Recipe] = {"keyword": KEYWORD, "vector": VECTOR, "hybrid": HYBRID, "agentic": AGENTIC}
CONTEXT = HYBRID.but("context", floor="kept")
"""`mem_search`, `mem_context` and the gateway, owner by owner."""
PERSON = HYBRID.but("person", floor="told")
"""Somebody at a terminal, who is told that nothing fits and sees the nearest."""

# everybody in a scope: the knowledge tools and records, with the weights and score fields of their contracts
RECALL = Recipe(
    "recall",
    together,
    words=0.15,
    meaning=0.40,
    graph=0.45,
    by_turns=False,
    valid_only=True,
    candidates=60,
    patience=1.0,
)
SEARCH = RECALL.but("search", words=0.0, meaning=1.0, graph=0.0, by_words=False)
SEARCH_TEXT = RECALL.but("search_text", words=1.0, meaning=0.0, graph=0.0, by_meaning=False)
RECORDS = SEARCH.but("records")

# source code, in an index of its own: by meaning first; identifiers add a little
CODE = Recipe(
    "code",
    lambda _: (("chunk",),),
    words=0.08,  # on CoSQA equal weights lose a tenth of what vectors alone reach; from 0.04 to 0.11 all is as good
    meaning=0.92,
    time=0.0,
    supersede=False,
    candidates=100,
    reach=0,
    unrelated=0.5,
    passages=(),
    patience=2.0,
)
