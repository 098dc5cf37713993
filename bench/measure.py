"""From answers to figures. Pure.

The contract returns facts, not turns. A fact quotes its turn nearly word for word, so it is matched to the turn of
its session that holds most of its words. Plain BM25 over the turns is the floor that every method must clear.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.data import Haystack, Question, Turn
from everlore.extract.turns import ASSISTANT
from everlore.stores.tokens import query_terms, tokens

ENOUGH = 0.5
"""Share of a fact's words that its turn must hold."""

_ASKED = re.compile(r'^Asked ".*?", (?=[^"]+: ")', re.DOTALL)
"""The question that a fact repeats is another turn's text."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One search: sessions and turns, best first."""

    sessions: list[str]
    facts: list[str | None]
    """The turn of each fact, None where no turn matches."""
    seconds: float = 0.0

    @property
    def turns(self) -> list[str]:
        return list(dict.fromkeys(turn for turn in self.facts if turn))


@dataclass(slots=True)
class Figures:
    """Means over questions, by name; a question that a figure does not apply to is left out of it."""

    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, value: float) -> None:
        self.values.setdefault(name, []).append(value)

    def mean(self, name: str) -> float:
        found = self.values.get(name, [])
        return sum(found) / len(found) if found else math.nan

    def percentile(self, name: str, share: float) -> float:
        found = sorted(self.values.get(name, [math.nan]))
        return found[min(len(found) - 1, int(share * len(found)))]


class Turns:
    """The turns of a haystack, ready to be matched and ranked."""

    def __init__(self, haystack: Haystack) -> None:
        self._bags: dict[str, list[tuple[str, Counter[str]]]] = {
            session.id: [(turn.id, Counter(tokens(_told(turn)))) for turn in session.turns]
            for session in haystack.sessions
        }
        self._held = Counter(term for bags in self._bags.values() for _, bag in bags for term in bag)
        sizes = [bag.total() for bags in self._bags.values() for _, bag in bags]
        self._count = len(sizes)
        self._mean = sum(sizes) / max(1, len(sizes))
        every = [turn for session in haystack.sessions for turn in session.turns]
        self._assistants = frozenset(turn.id for turn in every if turn.role == "assistant")
        people = {turn.sender_id for turn in every}
        # a fact has the speaker's name where the turn has "I", once in every clause
        self._names = frozenset(token for name in people for token in tokens(name)) | set(tokens(f"{ASSISTANT} said"))
        self._matched: dict[tuple[str, str], str | None] = {}

    def match(self, session: str, fact: str) -> str | None:
        """The turn a fact was made from."""
        if (session, fact) not in self._matched:
            self._matched[session, fact] = self._match(session, fact)
        return self._matched[session, fact]

    def _match(self, session: str, fact: str) -> str | None:
        wanted = Counter(token for token in tokens(_ASKED.sub("", fact)) if token not in self._names)
        by_assistant = fact.startswith(ASSISTANT)
        best: tuple[float, float, str] = (0.0, 0.0, "")
        for turn, bag in self._bags.get(session, []):
            if (turn in self._assistants) != by_assistant:
                continue  # long answers repeat most words of what they answer
            shared = (wanted & bag).total()
            best = max(best, (shared, shared / max(1, bag.total()), turn))
        return best[2] if best[0] >= ENOUGH * max(1, wanted.total()) else None

    def bm25(self, query: str, k1: float = 1.2, b: float = 0.75) -> Answer:
        """Okapi BM25 with its usual constants, over turns; a session counts as its best turn."""
        terms = query_terms(query)
        telling = {
            term: math.log1p((self._count - self._held[term] + 0.5) / (self._held[term] + 0.5)) for term in terms
        }
        scored: list[tuple[float, str, str]] = []
        for session, bags in self._bags.items():
            for turn, bag in bags:
                norm = k1 * (1 - b + b * bag.total() / self._mean)
                score = sum(telling[term] * bag[term] * (k1 + 1) / (bag[term] + norm) for term in terms)
                if score > 0:
                    scored.append((-score, session, turn))
        scored.sort()
        return Answer(list(dict.fromkeys(session for _, session, _ in scored)), [turn for _, _, turn in scored])


def _told(turn: Turn) -> str:
    return f"{turn.sender_name or ''} {turn.text}"


def read_answer(data: Mapping[str, Any], turns: Turns, seconds: float) -> Answer:
    """What the contract's search returned."""
    episodes = data["episodes"]
    told = [(episode["session_id"], fact) for episode in episodes for fact in episode["atomic_facts"]]
    told.sort(key=lambda pair: -pair[1]["score"])
    return Answer(
        sessions=list(dict.fromkeys(episode["session_id"] for episode in episodes)),
        facts=[turns.match(session, fact["content"]) for session, fact in told],
        seconds=seconds,
    )


def judge(figures: Figures, question: Question, answer: Answer) -> None:
    first = set(answer.sessions[:5])
    figures.add("session any@5", float(bool(first & question.sessions)))
    figures.add("session all@5", float(question.sessions <= first))
    if question.turns:
        for depth in (10, 30):
            found = set(answer.turns[:depth]) & question.turns
            figures.add(f"turn fraction@{depth}", len(found) / len(question.turns))
            figures.add(f"turn any@{depth}", float(bool(found)))
        found = _known(answer.facts[:10]) & question.turns
        figures.add("fact fraction@10", len(found) / len(question.turns))
        figures.add("fact any@10", float(bool(found)))
    figures.add("seconds", answer.seconds)
    figures.add("unmatched facts", _share(answer.facts))


def _known(turns: Iterable[str | None]) -> set[str]:
    return {turn for turn in turns if turn}


def _share(facts: Sequence[str | None]) -> float:
    return sum(turn is None for turn in facts) / max(1, len(facts))
