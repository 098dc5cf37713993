"""What holds now before what held once: the past can still be asked, but does not answer for the present.

A question that meets a fact which has ended ("I live in Rome.") is answered by the one that replaced it ("I moved to
Lisbon."): its memory takes over the score, and the memory of the ended fact stands behind. Nothing is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from everlore.engine import Engine
from everlore.kinds.registry import kind
from everlore.search.candidates import Ask
from everlore.search.rank import Ranked, Ranking, Turn, leading
from everlore.search.score import term_weights
from everlore.stores.base import Asked
from everlore.stores.tokens import joined, tokens
from everlore.types import IndexedMemory, Json, Key, Owner

ENDED = "what it says has ended"
TAKES_OVER = "it says what holds now, and takes over the score of what has ended"
PAST = 0.8
"""What is left of its score to a memory that is found by a fact which has ended."""
FOREMOST = 0.9
"""It is, if the turn of that fact scores so much of what its best turn scores."""
LONGEST_CHAIN = 20
STILL = "still"
"""Asks whether it holds, and is no part of what holds."""
_WHETHER = re.compile(r"\W{0,40}(?:am|are|is|do|does|have|has)\b", re.IGNORECASE)
_SORT = re.compile(r"\b(?:which|what) (\w+)", re.IGNORECASE)
"""The sort of thing that is asked for, "Which editor do I use?", and no value of the past."""

Place = tuple[str, int]
"""A turn: the cell it belongs to, and its number there."""
Now = Mapping[Key, IndexedMemory]
"""Of facts that have ended, what holds instead."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What is known of the turns that were found: what has ended, and what took its place."""

    past: dict[Place, list[tuple[IndexedMemory, str]]] = field(default_factory=dict)
    """The facts of a turn that have ended, each with the sentence that replaced it, or \"\"."""
    present: dict[Place, str] = field(default_factory=dict)
    """What a turn says instead of something that the question met: "Ann moved to Lisbon."."""

    def with_those(self, others: Changes) -> Changes:
        return Changes(self.past | others.past, self.present | others.present)


@dataclass(frozen=True, slots=True)
class Superseded:
    """A ranking as things are now, and what is known of the past."""

    ranking: Ranking
    stored: dict[int, IndexedMemory]
    """The memories of the ranking."""
    changes: Changes = field(default_factory=Changes)
    trace: list[dict[str, Json]] = field(default_factory=list)
    """Which fact took the place of which."""


def supersede(engine: Engine, ask: Ask, ranking: Ranking, *, reorder: bool) -> Superseded:
    """Who asks for a time asks for what held then: the order stays (`reorder` False), but the past is told."""
    turns = {(one.parent_id, turn.turn): turn for one in ranking.memories for turn in one.turns.values()}
    stating = [name for name in ask.parts if kind(name).states]  # an undone review has ended, and states nothing
    stored, told = engine.index.rows.with_ended((one.row for one in ranking.memories), stating)
    result, now = Superseded(ranking, stored), engine.clock.now()
    by_owner: dict[Owner, list[IndexedMemory]] = {}
    for fact in told:
        if fact.validity.end is not None and fact.validity.end <= now:
            by_owner.setdefault(fact.key.owner, []).append(fact)
    for owner, ended in by_owner.items():
        result = _of_owner(engine, ask, owner, ended, turns if reorder else {}, result)
    return result


def _of_owner(
    engine: Engine,
    ask: Ask,
    owner: Owner,
    ended: Sequence[IndexedMemory],
    turns: Mapping[Place, Turn],
    result: Superseded,
) -> Superseded:
    now = _now(engine, owner, ended)
    past, present = dict(result.changes.past), dict(result.changes.present)
    for fact in ended:
        replaced = now.get(fact.key)
        past.setdefault(_place(fact), []).append((fact, str(replaced.data["content"]) if replaced else ""))
    ranking = result.ranking
    told = [fact for fact in ended if _place(fact) in turns]
    met = _met(engine, ask, owner, _asked(engine, ask, ranking), told, turns, now) if told else {}
    present |= {_place(now[fact.key]): str(now[fact.key].data["content"]) for fact in met.values() if fact.key in now}
    changes = Changes(past, present)
    if not met:
        return replace(result, changes=changes)
    trace: list[dict[str, Json]] = [
        {"ended": fact.key.public_id, "by": now[fact.key].key.public_id if fact.key in now else None}
        for fact in met.values()
    ]
    memories = _put_behind(engine, ask, owner, ranking, met, now)
    known = result.stored | engine.index.rows.stored({one.row for one in memories} - result.stored.keys())
    return Superseded(replace(ranking, memories=memories), known, changes, [*result.trace, *trace])


def _asked(engine: Engine, ask: Ask, ranking: Ranking) -> dict[str, float]:
    """How telling each of the question's own words is, also where words did not rank; not those learned since."""
    if ask.recipe.by_words:
        return {term: weight for term, weight in ranking.idf.items() if term in ask.weights}
    stats = engine.index.search.term_stats(list(ask.weights), ask.where.owner)
    return dict(zip(ask.weights, term_weights(stats, ask.weights).tolist(), strict=True))


def _put_behind(
    engine: Engine, ask: Ask, owner: Owner, ranking: Ranking, met: Mapping[str, IndexedMemory], now: Now
) -> list[Ranked]:
    memories = {one.row: one for one in ranking.memories}
    lent: dict[Place, Ranked] = {}
    for one in ranking.memories:
        fact = met.get(one.parent_id)
        if fact is None:
            continue
        memories[one.row] = one.moved(ENDED, lambda score: PAST * score)
        if fact.key in now:
            lent.setdefault(_place(now[fact.key]), one)  # the best one, as they are in order
    for turn in _successors(engine, ask, owner, lent):
        old = lent[turn.piece.parent_id, turn.turn]
        known = memories.get(turn.piece.row, Ranked(turn.piece.row, turn.piece.parent_id, 0.0, {}))
        best = max(old.turns.values(), key=lambda one: one.score)
        said = known.turns.get(turn.turn, turn)
        told = {**known.turns, turn.turn: said._replace(score=max(said.score, best.score))}
        known = replace(known, turns=told)
        if old.score > known.score:
            known = replace(known, score=old.score, parts=old.parts, steps=(*known.steps, (TAKES_OVER, old.score)))
        memories[known.row] = known
    return leading(memories.values(), ask.keep)


def _best(values: Mapping[Place, float]) -> dict[str, float]:
    """The best value of each cell."""
    best: dict[str, float] = {}
    for (parent, _), value in values.items():
        best[parent] = max(best.get(parent, 0.0), value)
    return best


def _place(fact: IndexedMemory) -> Place:
    return fact.parent_id, int(fact.data["turn"])


def _met(
    engine: Engine,
    ask: Ask,
    owner: Owner,
    idf: Mapping[str, float],
    ended: Sequence[IndexedMemory],
    turns: Mapping[Place, Turn],
    now: Now,
) -> dict[str, IndexedMemory]:
    """The cells that the question meets best in a fact that has ended, rather than in one that holds, and that fact.

    Who asks for a value of the past asks for no other, but whether that holds ("Am I single?") the present tells. What
    the present says as well ("I go to the gym on Fridays now") is no value of the past."""
    whether, sort = bool(_WHETHER.match(ask.text)), joined(tokens(" ".join(_SORT.findall(ask.text))))

    def worth(words: str, but: str = "") -> float:
        return sum(weight for term, weight in idf.items() if f" {term} " in words and f" {term} " not in but)

    said = {place: worth(turn.piece.tokens) for place, turn in turns.items()}
    most = _best(said)
    # what of the question's words is only lent by turns beside it: the question is about those
    lent = {place: 1 - said[place] / (most[place[0]] or 1.0) for place in turns}
    own = {place: turn.score - ask.recipe.words * turn.text * lent[place] for place, turn in turns.items()}
    best = _best(own)
    placed = [(_place(fact), fact) for fact in ended]
    foremost = [(place, fact) for place, fact in placed if own[place] >= FOREMOST * best[place[0]]]
    places = sorted({place for place, _ in foremost})
    holding: dict[Place, float] = {}
    for fact, turn, words in engine.index.search.in_turns(owner, sorted({one.key.kind for _, one in foremost}), places):
        place = (fact.parent_id, turn)
        holding[place] = max(holding.get(place, 0.0), worth(words))
    asked = sum(weight for term, weight in idf.items() if term != STILL)
    met: dict[str, tuple[float, IndexedMemory]] = {}
    for place, fact in foremost:
        shared = worth(joined(tokens(str(fact.data["content"]))))
        elsewhere = not shared and worth(turns[place].piece.tokens) > 0  # the question is about the rest of the turn
        rather = (place not in holding and not elsewhere) or 0 < shared >= holding.get(place, 0.0)
        if rather and shared > met.get(place[0], (-1.0,))[0]:
            later = joined(tokens(str(now[fact.key].data["content"]))) if fact.key in now else ""
            value, further = (worth(words, later + sort) for words in _value(fact)) if shared else (0.0, 0.0)
            if not further or (value and whether and shared >= asked):
                met[place[0]] = (shared, fact)
    return {parent: fact for parent, (_, fact) in met.items()}


def _value(fact: IndexedMemory) -> tuple[str, str]:
    """The words of a fact's value, "Boston", and all from there on, "Boston with their parrot"."""
    from everlore.extract.claims import read, speaker_of  # here, as most searches meet nothing that has ended

    text = str(fact.data["content"])
    said = read(text, speaker_of(fact.slot))
    at = text.lower().find(said.value.lower()) if said and said.value else -1
    return (joined(tokens(said.value)), joined(tokens(text[at:]))) if said and at >= 0 else ("", "")


def _now(engine: Engine, owner: Owner, ended: Iterable[IndexedMemory]) -> dict[Key, IndexedMemory]:
    """For each of these facts the one at the end of the chain of those that superseded each other."""
    now: dict[Key, IndexedMemory] = {}
    waiting = {fact.key: fact for fact in ended}
    for _ in range(LONGEST_CHAIN):
        by = {key: str(fact.data["superseded_by"] or "") for key, fact in waiting.items()}
        named = {key: Key(owner, key.kind, later) for key, later in by.items() if later}
        if not named:
            break
        found = engine.index.rows.find(set(named.values()))
        waiting = {key: found[successor] for key, successor in named.items() if successor in found}
        now |= waiting
    return now


def _successors(engine: Engine, ask: Ask, owner: Owner, places: Iterable[Place]) -> Iterator[Turn]:
    """The turns that speak now, as far as they may be among the results."""
    units = engine.index.search.anchors(owner, ask.whole, sorted(places))
    pieces = engine.index.search.candidates(Asked(ask.where, units=units.values())).pieces
    allowed = engine.index.search.permitted({piece.row for piece in pieces}, ask.where)
    for piece in pieces:
        if piece.row in allowed:
            yield Turn(piece.turn, 0.0, 0.0, 0.0, 0.0, piece)
