"""The sentences of a hit that answer, with who said them, when and whether they hold; and the facts of its turns.

Sentences are cut and judged only for the hits that are returned (`answering`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from everlore.engine import Engine
from everlore.errors import Misconfigured, Unavailable
from everlore.extract.sentences import clip, split
from everlore.extract.turns import ASSISTANT
from everlore.kinds.episode import Turn as Spoken
from everlore.kinds.episode import turn_moment, turns_at
from everlore.search.answering import Question, Said, question, worths
from everlore.search.candidates import Ask
from everlore.search.query import Hit, Passage
from everlore.search.rank import Ranked, Turn
from everlore.search.recipes import HYBRID, Recipe
from everlore.search.score import BY_ASSISTANT, Candidates, Floats, dense_scores, looked_for, term_weights, text_scores
from everlore.search.supersede import TAKES_OVER, Changes, Place
from everlore.search.vectors import default_radius, unrelated_cosine
from everlore.stores.base import Asked, TermStats, Vector
from everlore.stores.bm25 import in_texts
from everlore.stores.tokens import joined, query_terms, tokens
from everlore.types import IndexedMemory, Owner

FACT_TURNS = 30
"""Turns of all results whose facts are shown: so many of the best,"""
FACT_TURNS_EACH = 2
"""and at least so many of each result."""
MATCHED = 0.6
"""Turns of an episode that count as matching: those that score so much of what its best turn scores."""
SHORT = 40
"""Characters of a fact that hardly says anything: who, and a few words."""
FURTHER_FACT = 0.6
"""A second fact of the same turn says less that is new."""
ASKS, BRIEF = 0.8, 0.9
"""What is left to a quotation that asks, and to one that is short: nobody kept a fact of it."""
QUOTED = 400
"""Characters of a sentence that is shown as what was said."""
LONGEST = 6000
"""Characters of a turn or text that are cut into sentences."""
READ = 5
"""Hits whose talks are read around the turns that match."""
AROUND = 3
"""Turns on either side that are read."""
AT_ONCE = 40
"""A talk with fewer pieces is read whole."""
UNLIKELY = 4.0
"""A sentence that is so much less worth than the best one is not shown (see `answering.worths`)."""
COMPARED = 8
"""Sentences that are embedded, at most, where no word of the question stands in the first hit: that takes as long as
the rest of a search,"""
MEANT = 8.0
"""and what their meaning counts."""
SAID_OF = 0.5
"""Share of a fact's telling words that its sentence holds."""
_TEXTS = ("task_intent", "key_insight", "approach", "name", "description", "content", "subject", "summary")


def text_of(stored: IndexedMemory) -> str:
    """What a memory without turns says."""
    return "\n".join(str(stored.data[name]) for name in _TEXTS if stored.data.get(name))


class Told(NamedTuple):
    """A memory that is returned, and the turns of it that matched, best first."""

    one: Ranked
    stored: IndexedMemory
    turns: list[Turn]


def matched(one: Ranked, recipe: Recipe, low: float) -> list[Turn]:
    """The turns that matched, best first. `low`: the cosine of texts that have nothing to do with each other."""
    turns = sorted(one.turns.values(), key=lambda turn: (-turn.score, turn.turn))
    if not turns or turns[0].score <= 0:
        return []
    if recipe.by_words:
        least = MATCHED * turns[0].score
        return [turn for turn in turns if turn.score > 0 and turn.score >= least]
    # cosines lie so close together that only their distance from the unrelated tells
    least = low + MATCHED * max(0.0, turns[0].cosine - low)
    return [turn for turn in turns if turn.score > 0 and max(low, turn.cosine) >= least]


def passages(
    engine: Engine, ask: Ask, hits: Sequence[Told], changes: Changes, stats: TermStats
) -> list[tuple[Passage, ...]]:
    """For each hit the sentences that answer best: more of the first one, which is read first."""
    if not ask.recipe.passages:
        return [()] * len(hits)
    asked = asked_for(ask, stats)
    return [
        _shown(engine, ask, hit, asked, turns, changes, first=not number)
        for number, (hit, turns) in enumerate(zip(hits, turns_of(engine, ask, hits), strict=True))
    ]


def asked_for(ask: Ask, stats: TermStats) -> Question:
    return question(ask.text, dict(zip(ask.weights, term_weights(stats, ask.weights).tolist(), strict=True)))


def turns_of(engine: Engine, ask: Ask, hits: Sequence[Told]) -> list[list[Said]]:
    """What was said: of the foremost hits in all turns around those that match, of the others in those alone."""
    low = 0.0 if ask.vector is None else unrelated_cosine(engine, ask.recipe)  # the model is asked what it is
    read: dict[int, dict[int, tuple[set[int], float]]] = {}
    rows = [hit.one.row for hit in hits[:READ] if hit.turns]
    if rows:
        units = {turn.piece.unit for hit in hits[:READ] for turn in hit.turns}
        wanted = Asked(ask.where, list(ask.weights), ask.vector, reach=AROUND, units=units, rows=rows, first=AT_ONCE)
        found = engine.index.search.candidates(wanted)
        meaning = dense_scores(np.nan_to_num(found.cosines).astype(np.float32), low)
        for at, piece in enumerate(found.pieces):
            held, meant = read.setdefault(piece.row, {}).get(piece.turn, (set(), 0.0))
            held.update(np.flatnonzero(found.occurrences[:, at]).tolist())
            read[piece.row][piece.turn] = held, max(meant, float(meaning[at]))
    return [_said(ask, hit, read.get(hit.one.row, {})) for hit in hits]


def _said(ask: Ask, hit: Told, known: Mapping[int, tuple[set[int], float]]) -> list[Said]:
    """Its turns in sentences; of a memory without turns its text, as one."""
    most = ask.recipe.passages[-1]
    for turn in hit.turns[: None if known else most]:
        if turn.turn not in known:
            held = {at for at, term in enumerate(ask.weights) if f" {term} " in turn.piece.tokens}
            known = {**known, turn.turn: (held, turn.meaning)}
    data = hit.stored.data
    account = str(data.get("episode", ""))
    told = turns_at(account, sorted(known))
    text = "" if told else text_of(hit.stored) or account
    if text.strip() and hit.turns:
        told = {hit.turns[0].turn: Spoken("", "", text)}
    assistants = (ASSISTANT, *map(str, data.get("assistants") or ()))
    said = []
    for number, spoken in told.items():
        terms = np.zeros(len(ask.weights), np.bool_)
        terms[list(known[number][0])] = True
        sentences, meant = _sentences(spoken.text), known[number][1]
        said.append(Said(number, spoken.speaker, spoken.time, sentences, terms, meant, spoken.speaker in assistants))
    return said


def _shown(
    engine: Engine, ask: Ask, hit: Told, asked: Question, turns: Sequence[Said], changes: Changes, *, first: bool
) -> tuple[Passage, ...]:
    lines, worth = worths(asked, turns)
    if not lines:
        return ()
    if first and not any(turn.held.any() for turn in turns):
        worth = worth + _meant(engine, ask, [turns[line.turn].sentences[line.place] for line in lines], worth)
    places = [(hit.stored.parent_id, turn.number) for turn in turns]
    for at, (parent, number) in enumerate(places):
        if (parent, number) in changes.present:  # the words of the question stand in what it replaced
            shares = next(_stated(turns[at], [changes.present[parent, number]]))
            own = [place for place, line in enumerate(lines) if line.turn == at]
            answers = number == hit.turns[0].turn
            worth[own[int(np.argmax(shares))]] = worth.max() + 1.0 if answers else worth[own].max()
    ended = [changes.past.get(place, ()) for place in places]
    past = [_ended(turns[line.turn], line.place, ended[line.turn]) for line in lines]
    answers = any(why == TAKES_OVER for why, _ in hit.one.steps)
    order = sorted(range(len(lines)), key=lambda at: (answers and past[at][0] is not None, -worth[at]))
    most = ask.recipe.passages[0 if first else -1]
    least = worth.max() - UNLIKELY
    return tuple(
        _passage(hit, turns[lines[at].turn], lines[at].place, float(worth[at] - worth.max()), *past[at])
        for at in order[:most]
        if worth[at] >= least
    )


def _passage(hit: Told, turn: Said, place: int, behind: float, ended: IndexedMemory | None, by: str) -> Passage:
    moment = turn_moment(hit.stored.timestamp, turn.clock)
    validity = hit.stored.validity if ended is None else ended.validity
    return Passage(
        text=turn.sentences[place],
        score=round(hit.one.score * math.exp(behind), 6),
        turn=turn.number + 1 if turn.speaker else 0,
        speaker=turn.speaker,
        time=moment,
        # a talk's own start is its last message
        valid_from=moment if validity.start is None or (turn.speaker and ended is None) else validity.start,
        valid_until=validity.end,
        ended_by=by,
    )


def _sentences(text: str) -> list[str]:
    return split(text[:LONGEST]) or [text]


def _meant(engine: Engine, ask: Ask, sentences: Sequence[str], worth: Floats) -> Floats:
    """What the best of these say by their meaning, where no word tells which one answers."""
    best = np.argsort(-worth, kind="stable")[:COMPARED]
    near = _cosines(engine, ask.vector, [sentences[at] for at in best])
    told = np.zeros_like(worth)
    if near is not None:
        told[best] = MEANT * dense_scores(near, unrelated_cosine(engine, ask.recipe))
    return told


def _cosines(engine: Engine, vector: Vector | None, texts: Sequence[str]) -> Floats | None:
    if vector is None or not texts or not engine.embedder.ready():
        return None
    try:
        near: Floats = engine.embedder.encode(texts, patient=False) @ vector
    except (Unavailable, Misconfigured):
        return None
    return near


def _ended(said: Said, at: int, facts: Sequence[tuple[IndexedMemory, str]]) -> tuple[IndexedMemory | None, str]:
    """The fact that has ended which this sentence states, and what replaced it."""
    texts = [str(fact.data["content"]) for fact, _ in facts]
    for (fact, by), shares in zip(facts, _stated(said, texts), strict=True):
        if shares[at] >= SAID_OF and shares[at] == max(shares):
            return fact, by
    return None, ""


def _stated(said: Said, facts: Sequence[str]) -> Iterator[list[float]]:
    """How much of each fact each sentence holds. "Ann is single." and "I am single." differ in the speaker alone."""
    held = [set(query_terms(sentence)) for sentence in said.sentences] if facts else []
    speaker = tokens(said.speaker) if facts else []
    for fact in facts:
        words = set(query_terms(fact)).difference(speaker)
        yield [len(words & those) / max(1, len(words)) for those in held]


def likeness(engine: Engine, query: str, texts: Sequence[tuple[Owner, str]]) -> list[float]:
    """How much each text that the index does not hold (a line of a profile) has to do with the query: by words, and by
    meaning once the model is there."""
    if not texts:
        return []
    score = np.zeros(len(texts), np.float32)
    for owner in {owner for owner, _ in texts}:
        weights = looked_for(query, owner)
        own = [at for at, (of, _) in enumerate(texts) if of == owner]
        stats = engine.index.search.term_stats(list(weights), owner)
        score[own] = by_words(stats, weights, [texts[at][1] for at in own])
    if engine.embedder.ready():
        try:
            cosine = _cosines(engine, engine.embedder.query(query), [text for _, text in texts])
        except (Unavailable, Misconfigured):
            cosine = None
        if cosine is not None:
            near = np.where(cosine >= default_radius(engine), cosine, 0.0)
            score = HYBRID.meaning * dense_scores(near, unrelated_cosine(engine, HYBRID)) + HYBRID.words * score
    return [float(one) for one in score]


def by_words(stats: TermStats, weights: Mapping[str, float], texts: Sequence[str]) -> Floats:
    words = [tokens(text) for text in texts]
    terms = list(weights)
    if not terms or not texts:
        return np.zeros(len(texts), np.float32)
    nothing, apart = np.zeros(len(texts), np.float32), np.arange(len(texts))  # none is beside another
    length = np.array([len(held) for held in words], np.float32)
    each = Candidates(in_texts(terms, [joined(held) for held in words]), length, nothing, apart, apart, nothing, apart)
    return text_scores(each, term_weights(stats, weights), stats.mean_length)


def facts(
    engine: Engine, ask: Ask, told: Sequence[Told], stats: TermStats, past: Collection[Place] = ()
) -> dict[str, list[Hit]]:
    """The facts of the turns that matched best, by cell, the more telling ones of a turn first; of a turn that has
    none, what was said in it. `past` are turns whose facts have ended."""
    owner, recipe = ask.where.owner, ask.recipe
    if owner is None:
        return {}
    turns_of = {hit.one.parent_id: hit.turns for hit in told if hit.one.parent_id}
    scores = {(parent, turn.turn): turn.score for parent, turns in turns_of.items() for turn in turns}
    best = sorted(scores, key=lambda place: (-scores[place], place))[:FACT_TURNS]
    first = [(parent, turn.turn) for parent, turns in turns_of.items() for turn in turns[:FACT_TURNS_EACH]]
    most = {hit.one.parent_id: hit.one.score for hit in told}
    idf = dict(zip(ask.weights, term_weights(stats, ask.weights).tolist(), strict=True))
    stated: dict[Place, list[tuple[float, IndexedMemory]]] = {}
    for fact, turn, words in engine.index.search.in_turns(owner, ask.parts, sorted({*best, *first})):
        overlap = sum(weight for term, weight in idf.items() if f" {term} " in words)
        stated.setdefault((fact.parent_id, turn), []).append((overlap, fact))
    for place, quoted in _quoted(told, {*best, *first} - stated.keys() - set(past), idf):
        stated[place] = [quoted]
    if not recipe.by_meaning:
        stated = _worded(stated)
    hits: dict[str, list[Hit]] = {}
    for place, said in stated.items():
        for fact, score in _scored(said, scores[place], most[place[0]]):
            if recipe.by_words or ask.radius is None or score >= ask.radius:
                hits.setdefault(place[0], []).append(Hit(fact, score))
    for found in hits.values():
        found.sort(key=lambda hit: (-hit.score, hit.stored.key.local_id))
    return hits


def _quoted(
    told: Sequence[Told], places: Collection[Place], idf: Mapping[str, float]
) -> Iterator[tuple[Place, tuple[float, IndexedMemory]]]:
    """What was said in turns of which no fact is kept: the sentence with most words of the question, as a quotation."""
    for hit in told:
        wanted = [turn for parent, turn in places if parent == hit.one.parent_id]
        account = str(hit.stored.data.get("episode", "")) if wanted else ""
        for number, turn in turns_at(account, wanted).items() if account else ():
            held = [(sentence, set(query_terms(sentence))) for sentence in _sentences(turn.text)]
            if not held:
                continue
            worth = [sum(weight for term, weight in idf.items() if term in terms) for _, terms in held]
            at = int(np.argmax(worth)) if max(worth) > 0 else int(np.argmax([len(terms) for _, terms in held]))
            said = clip(held[at][0], QUOTED)
            content = f'{turn.speaker} said: "{said}"'.replace("\n", " ")
            by_user = turn.speaker not in (*map(str, hit.stored.data.get("assistants") or ()), ASSISTANT)
            left = (ASKS if said.endswith(("?", "？")) else 1.0) * (BRIEF if len(said) < SHORT else 1.0)
            data = {"content": content, "superseded_by": "", "turn": number, "by_user": by_user, "left": left}
            row = hit.stored._replace(data=data, slot="")  # goes by the id of where it was said
            yield (hit.one.parent_id, number), (worth[at], row)


def _worded(told: Mapping[Place, list[tuple[float, IndexedMemory]]]) -> dict[Place, list[tuple[float, IndexedMemory]]]:
    """By words alone, a turn may be here for its neighbours' words, but a fact must have one itself."""
    worded = {parent for (parent, _), said in told.items() if any(overlap for overlap, _ in said)}
    return {
        place: [pair for pair in said if pair[0] > 0] if place[0] in worded else sorted(said, key=_telling)[:1]
        for place, said in told.items()
    }


def _scored(said: Sequence[tuple[float, IndexedMemory]], turn: float, most: float) -> list[tuple[IndexedMemory, float]]:
    """The facts of a turn with their scores. No fact is worth more than its memory."""
    found = []
    for number, (_, fact) in enumerate(sorted(said, key=_telling)):
        share = FURTHER_FACT**number * (1.0 if fact.data["by_user"] else BY_ASSISTANT) * fact.data.get("left", 1.0)
        found.append((fact, round(min(turn * share, most), 6)))
    return found


def _telling(pair: tuple[float, IndexedMemory]) -> tuple[float, bool, bool, str]:
    """More words of the question first, then a statement about something before small talk."""
    overlap, fact = pair
    return -overlap, not fact.slot, len(str(fact.data["content"])) < SHORT, fact.key.local_id
