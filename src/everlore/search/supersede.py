"""What holds now before what held once: the past can still be asked, but does not answer for the present.

A question that meets a fact which has ended ("I live in Rome.") is answered by the one that replaced it ("I moved to
Lisbon."): its memory takes over the score, and the memory of the ended fact stands behind. Nothing is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from everlore.engine import Engine
from everlore.search.candidates import Ask
from everlore.search.rank import Ranked, Ranking, Turn, leading
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
_WHETHER = re.compile(r"\W*(?:am|are|is|do|does|have|has)\b", re.IGNORECASE)

Place = tuple[str, int]
"""A turn: the cell it belongs to, and its number there."""


@dataclass(frozen=True, slots=True)
class Superseded:
    """A ranking as things are now, and what is known of the past."""

    ranking: Ranking
    past: dict[Place, list[tuple[IndexedMemory, str]]] = field(default_factory=dict)
    """The facts of a turn that have ended, each with the sentence that replaced it, or \"\"."""
    trace: list[dict[str, Json]] = field(default_factory=list)
    """Which fact took the place of which."""


def supersede(engine: Engine, ask: Ask, ranking: Ranking, *, reorder: bool) -> Superseded:
    """Who asks for a time asks for what held then: the order stays (`reorder` False), but the past is told."""
    turns = {(one.parent_id, turn.turn): turn for one in ranking.memories for turn in one.turns.values()}
    cells = sorted({parent for parent, _ in turns if parent})
    owners = _owners(engine, ask, ranking) if cells else []
    result = Superseded(ranking)
    for owner in owners:
        told = [fact for part in ask.parts for fact in engine.index.children(owner, part, cells, ended=True)]
        ended = [fact for fact in told if _ended(fact, engine.clock.now())]
        if ended:
            result = _of_owner(engine, ask, owner, ended, turns, result, reorder=reorder)
    return result


def _owners(engine: Engine, ask: Ask, ranking: Ranking) -> list[Owner]:
    if ask.where.owner is not None:
        return [ask.where.owner]
    stored = engine.index.stored(one.row for one in ranking.memories if one.parent_id)
    return list(dict.fromkeys(row.key.owner for row in stored.values() if row.key.owner.track == "user"))


def _ended(fact: IndexedMemory, now: int) -> bool:
    return fact.validity.end is not None and fact.validity.end <= now


def _of_owner(
    engine: Engine,
    ask: Ask,
    owner: Owner,
    ended: Sequence[IndexedMemory],
    turns: Mapping[Place, Turn],
    result: Superseded,
    *,
    reorder: bool,
) -> Superseded:
    now = _now(engine, owner, ended)
    past = dict(result.past)
    for fact in ended:
        replaced = now.get(fact.key)
        past.setdefault(_place(fact), []).append((fact, str(replaced.data["content"]) if replaced else ""))
    ranking = result.ranking
    asked = {term: weight for term, weight in ranking.idf.items() if term in ask.weights}  # not what was learned since
    told = [fact for fact in ended if _place(fact) in turns]
    met = _met(engine, owner, asked, told, turns, whether=bool(_WHETHER.match(ask.text))) if reorder else {}
    if not met:
        return replace(result, past=past)
    trace: list[dict[str, Json]] = [
        {"ended": fact.key.public_id, "by": now[fact.key].key.public_id if fact.key in now else None}
        for fact in met.values()
    ]
    memories = _put_behind(engine, ask, owner, ranking, met, now)
    return Superseded(replace(ranking, memories=memories), past, [*result.trace, *trace])


def _put_behind(
    engine: Engine,
    ask: Ask,
    owner: Owner,
    ranking: Ranking,
    met: Mapping[str, IndexedMemory],
    now: Mapping[Key, IndexedMemory],
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


def _place(fact: IndexedMemory) -> Place:
    return fact.parent_id, int(fact.data["turn"])


def _met(
    engine: Engine,
    owner: Owner,
    idf: Mapping[str, float],
    ended: Sequence[IndexedMemory],
    turns: Mapping[Place, Turn],
    *,
    whether: bool,
) -> dict[str, IndexedMemory]:
    """The cells that the question meets best in a fact that has ended, rather than in one that holds, and that fact.

    Who asks for a value of the past asks for no other, but `whether` that holds ("Am I single?") the present tells."""
    if not ended:
        return {}

    def worth(words: str) -> float:
        return sum(weight for term, weight in idf.items() if f" {term} " in words)

    holding: dict[Place, float] = {}
    for part in sorted({fact.key.kind for fact in ended}):
        for fact, turn, words in engine.index.in_turns(owner, part, sorted({_place(fact) for fact in ended})):
            place = (fact.parent_id, turn)
            holding[place] = max(holding.get(place, 0.0), worth(words))
    best: dict[str, float] = {}
    for (parent, _), found in turns.items():
        best[parent] = max(best.get(parent, 0.0), found.score)
    asked = sum(weight for term, weight in idf.items() if term != STILL)
    met: dict[str, tuple[float, IndexedMemory]] = {}
    for fact in ended:
        place, shared = _place(fact), worth(joined(tokens(str(fact.data["content"]))))
        rather = place not in holding or 0 < shared >= holding[place]
        foremost = turns[place].score >= FOREMOST * best[fact.parent_id]
        better = shared > met.get(fact.parent_id, (-1.0,))[0]
        if rather and foremost and better:
            value, further = map(worth, _value(fact))
            if not further or (value and whether and shared >= asked):
                met[fact.parent_id] = (shared, fact)
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
        named = {key: Key(owner, key.kind, str(fact.data["superseded_by"])) for key, fact in waiting.items()}
        found = engine.index.find(set(named.values()))
        waiting = {key: found[successor] for key, successor in named.items() if successor in found}
        if not waiting:
            break
        now |= waiting
    return now


def _successors(engine: Engine, ask: Ask, owner: Owner, places: Iterable[Place]) -> Iterator[Turn]:
    """The turns that speak now, as far as they may be among the results."""
    units = engine.index.anchors(owner, ask.whole, sorted(places))
    pieces = engine.index.around(sorted(units.values()), 0)
    allowed = engine.index.permitted({piece.row for piece in pieces}, ask.where)
    for piece in pieces:
        if piece.row in allowed:
            yield Turn(piece.turn, 0.0, 0.0, 0.0, 0.0, piece)
