"""What was superseded speaks for what superseded it, so that the present answers a question before the past does.

"I live in Boston" is nearer to "Where do I live?" than "I moved to Seattle" is, but it is over. Where the fact that a
question meets in a memory has ended, the memory that ended it takes over its score, and the old one steps back.
It stays among the results: nothing is hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from everlore.engine import Engine
from everlore.index.tokens import joined, tokens
from everlore.search.rank import Ask, Ranked, Ranking, Turn
from everlore.types import IndexedMemory, Json, Key, Owner

ENDED = "what it says has ended"
TAKES_OVER = "it says what holds now, and takes over the score of what has ended"
PAST = 0.8
"""What is left of its score to a memory that is found by a fact which has ended."""
FOREMOST = 0.9
"""It is, if the turn of that fact scores so much of what its best turn scores."""
LONGEST_CHAIN = 20
FACT = "fact"

Layout = tuple[str, int]
"""A turn: the cell it belongs to, and its number there."""


def brought_up_to_date(engine: Engine, ask: Ask, ranking: Ranking) -> tuple[Ranking, list[dict[str, Json]]]:
    """The ranking as things are now, and which fact took the place of which."""
    owner = ask.where.owner
    turns = {(one.parent_id, turn.turn): turn for one in ranking.memories for turn in one.turns.values()}
    if owner is None or not turns:
        return ranking, []
    ended = engine.index.children(owner, FACT, [parent for parent, _ in turns], ended=True)
    asked = {term: weight for term, weight in ranking.idf.items() if term in ask.weights}  # not what was learned since
    met = _met(engine, owner, asked, [fact for fact in ended if _place(fact) in turns], turns)
    if not met:
        return ranking, []
    now = _now(engine, owner, met.values())
    memories = {one.row: one for one in ranking.memories}
    lent: dict[Layout, Ranked] = {}
    for one in ranking.memories:
        fact = met.get(one.parent_id)
        if fact is None:
            continue
        memories[one.row] = one.moved(ENDED, PAST * one.score)
        if fact.key in now:
            lent.setdefault(_place(now[fact.key]), one)  # the best one, as they are in order
    for turn in _successors(engine, ask, owner, lent):
        old = lent[turn.piece.parent_id, turn.turn]
        known = memories.get(turn.piece.row, Ranked(turn.piece.row, turn.piece.parent_id, 0.0, {}))
        best = max(old.turns.values(), key=lambda one: one.score)
        said = known.turns.get(turn.turn, turn)
        told = {**known.turns, turn.turn: said._replace(score=max(said.score, best.score))}
        known = replace(known, turns=told)
        memories[known.row] = known.moved(TAKES_OVER, old.score) if old.score > known.score else known
    best_first = sorted(memories.values(), key=lambda one: (-one.score, one.parent_id, one.row))[: ask.keep]
    gave_way: list[dict[str, Json]] = [
        {"ended": fact.key.public_id, "by": now[fact.key].key.public_id if fact.key in now else None}
        for fact in met.values()
    ]
    return replace(ranking, memories=best_first), gave_way


def _place(fact: IndexedMemory) -> Layout:
    return fact.parent_id, int(fact.data["turn"])


def _met(
    engine: Engine, owner: Owner, idf: Mapping[str, float], ended: Sequence[IndexedMemory], turns: Mapping[Layout, Turn]
) -> dict[str, IndexedMemory]:
    """The cells that the question meets best in a fact that has ended, rather than in one that holds, and that fact."""
    if not ended:
        return {}

    def worth(words: str) -> float:
        return sum(weight for term, weight in idf.items() if f" {term} " in words)

    holding: dict[Layout, float] = {}
    for fact, turn, words in engine.index.in_turns(owner, FACT, sorted({_place(fact) for fact in ended})):
        place = (fact.parent_id, turn)
        holding[place] = max(holding.get(place, 0.0), worth(words))
    best: dict[str, float] = {}
    for (parent, _), found in turns.items():
        best[parent] = max(best.get(parent, 0.0), found.score)
    met: dict[str, tuple[float, IndexedMemory]] = {}
    for fact in ended:
        place, shared = _place(fact), worth(joined(tokens(str(fact.data["content"]))))
        rather = place not in holding or 0 < shared >= holding[place]
        foremost = turns[place].score >= FOREMOST * best[fact.parent_id]
        if rather and foremost and shared > met.get(fact.parent_id, (-1.0,))[0] and not worth(_value(fact)):
            met[fact.parent_id] = (shared, fact)
    return {parent: fact for parent, (_, fact) in met.items()}


def _value(fact: IndexedMemory) -> str:
    """The words of a fact from its value on, "Boston with their parrot". Who asks for these asks for no other value."""
    from everlore.extract.readings import read  # here, as most searches meet nothing that has ended
    from everlore.extract.slots import speaker_of

    text = str(fact.data["content"])
    said = read(text, speaker_of(fact.slot))
    at = text.lower().find(said.value.lower()) if said and said.value else -1
    return joined(tokens(text[at:])) if at >= 0 else ""


def _now(engine: Engine, owner: Owner, ended: Iterable[IndexedMemory]) -> dict[Key, IndexedMemory]:
    """For each of these facts the one at the end of the chain of those that superseded each other."""
    now: dict[Key, IndexedMemory] = {}
    waiting = {fact.key: fact for fact in ended}
    for _ in range(LONGEST_CHAIN):
        named = {key: Key(owner, FACT, str(fact.data["superseded_by"])) for key, fact in waiting.items()}
        found = engine.index.find(set(named.values()))
        waiting = {key: found[successor] for key, successor in named.items() if successor in found}
        if not waiting:
            break
        now |= waiting
    return now


def _successors(engine: Engine, ask: Ask, owner: Owner, places: Iterable[Layout]) -> Iterator[Turn]:
    """The turns that speak now, as far as they may be among the results."""
    units = engine.index.anchors(owner, ask.where.kinds[0], sorted(places))
    pieces = engine.index.around(sorted(units.values()), 0)
    allowed = engine.index.permitted({piece.row for piece in pieces}, ask.where)
    for piece in pieces:
        if piece.row in allowed:
            yield Turn(piece.turn, 0.0, 0.0, 0.0, 0.0, piece)
