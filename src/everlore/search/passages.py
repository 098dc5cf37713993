"""The sentences of a hit that matched, with who said them, when and whether they hold; and the facts of its turns.

Sentences are cut and compared only for the hits that are returned: by words, and where no word decides, by meaning, for
as few of the first ones as a search has time for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np

from everlore.engine import Engine
from everlore.errors import Misconfigured, Unavailable
from everlore.extract.sentences import clip, split
from everlore.extract.turns import ASSISTANT
from everlore.kinds.episode import turns_at
from everlore.search.candidates import Ask
from everlore.search.query import Hit, Passage
from everlore.search.rank import Ranked, Turn
from everlore.search.recipes import HYBRID, Recipe
from everlore.search.score import BY_ASSISTANT, Candidates, Floats, dense_scores, looked_for, term_weights, text_scores
from everlore.search.supersede import TAKES_OVER, Changes, Place
from everlore.search.vectors import default_radius, unrelated_cosine
from everlore.stores.base import TermStats, Vector
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
QUOTED = 400
"""Characters of a sentence that is shown as what was said."""
LONGEST = 6000
"""Characters of a turn or text that are cut into sentences."""
COMPARED = 8
"""Sentences that one search embeds, at most, where their words don't tell which one answers,"""
COMPARED_HITS = 3
"""and of so many hits: embedding a sentence takes as long as the rest of a search."""
NEARLY = 0.9
"""A further turn is shown that scores so much of what the best one scores."""
SAID_OF = 0.5
"""Share of a fact's telling words that its sentence holds."""
_TEXTS = ("task_intent", "key_insight", "approach", "name", "description", "content", "subject", "summary")


@dataclass(frozen=True, slots=True, eq=False)
class _Said:
    """A turn, or the text of a memory without turns, cut into sentences."""

    one: Ranked
    stored: IndexedMemory
    turn: Turn
    speaker: str
    clock: str
    sentences: list[str]


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
    turns = sorted(one.turns.values(), key=_by_score)
    if not turns or turns[0].score <= 0:
        return []
    if recipe.by_words:
        least = MATCHED * turns[0].score
        return [turn for turn in turns if turn.score > 0 and turn.score >= least]
    # cosines lie so close together that only their distance from the unrelated tells
    least = low + MATCHED * max(0.0, turns[0].cosine - low)
    return [turn for turn in turns if turn.score > 0 and max(low, turn.cosine) >= least]


def _by_score(turn: Turn) -> tuple[float, int]:
    return -turn.score, turn.turn


def passages(
    engine: Engine, ask: Ask, hits: Sequence[Told], changes: Changes, stats: TermStats
) -> list[tuple[Passage, ...]]:
    """For each hit the best sentence of each of its best turns."""
    if not ask.recipe.passages:
        return [()] * len(hits)
    cut = [said for hit in hits for said in _cut(hit, ask.recipe.passages)]
    foremost = {hit.stored.id for hit in hits[:COMPARED_HITS]}
    found: dict[int, list[Passage]] = {}
    for said, worth in zip(cut, _sentence_scores(engine, ask, cut, foremost, stats), strict=True):
        one, stored, turn = said.one, said.stored, said.turn
        place = (stored.parent_id, turn.turn)
        best, score = int(np.argmax(worth)), float(worth.max())
        if place in changes.present:  # the words of the question stand in what it replaced
            best, score = int(np.argmax(next(_stated(said, [changes.present[place]])))), turn.score
        ended, by = _ended(said, best, changes.past.get(place, ()))
        validity = stored.validity if ended is None else ended.validity
        moment = _moment(stored.timestamp, said.clock)
        found.setdefault(stored.id, []).append(
            Passage(
                text=said.sentences[best],
                score=round(min(score, one.score), 6),
                turn=turn.turn + 1 if said.speaker else 0,
                speaker=said.speaker,
                time=moment,
                # a talk's own start is its last message
                valid_from=moment if validity.start is None or (said.speaker and ended is None) else validity.start,
                valid_until=validity.end,
                ended_by=by,
            )
        )
    return [_in_order(hit.one, found.get(hit.stored.id, ())) for hit in hits]


def _in_order(one: Ranked, said: Sequence[Passage]) -> tuple[Passage, ...]:
    """Best first; of a hit that says what holds now, what has ended last."""
    if len(said) < 2:
        return tuple(said)
    answers = any(why == TAKES_OVER for why, _ in one.steps)
    return tuple(sorted(said, key=lambda passage: (answers and passage.valid_until is not None, -passage.score)))


def _cut(hit: Told, most: int) -> list[_Said]:
    """The best turns, in sentences."""
    one, stored, matching = hit
    best = [turn for turn in matching[:most] if turn.score >= NEARLY * matching[0].score]
    account = str(stored.data.get("episode", ""))
    turns = turns_at(account, [turn.turn for turn in best])
    if turns:
        told = [(turn, turns[turn.turn]) for turn in best if turn.turn in turns]
        return [_Said(one, stored, turn, said.speaker, said.time, _sentences(said.text)) for turn, said in told]
    text = text_of(stored) or account
    return [_Said(one, stored, best[0], "", "", _sentences(text))] if best and text.strip() else []


def _sentences(text: str) -> list[str]:
    return split(text[:LONGEST]) or [text]


def _sentence_scores(
    engine: Engine, ask: Ask, cut: Sequence[_Said], foremost: Set[int], stats: TermStats
) -> list[Floats]:
    """Each sentence by its own words and the meaning of its turn, or by its own meaning in the foremost hits where no
    word tells which one answers."""
    choices = [said for said in cut if len(said.sentences) > 1]
    words = _by_words(stats, ask.weights, [sentence for said in choices for sentence in said.sentences])
    scores: dict[int, Floats] = {}
    wordless: list[_Said] = []
    begin, left = 0, COMPARED
    for said in choices:
        count = len(said.sentences)
        text = words[begin : begin + count]
        begin += count
        meaning = HYBRID.meaning * said.turn.meaning if ask.vector is not None else 0.0
        scores[id(said)] = (HYBRID.words * text + meaning).astype(np.float32) if ask.vector is not None else text
        if ask.vector is not None and text.max() <= 0 and said.stored.id in foremost and count <= left:
            left -= count
            wordless.append(said)
    near = _cosines(engine, ask.vector, [sentence for said in wordless for sentence in said.sentences])
    if near is not None:
        meant = HYBRID.meaning * dense_scores(near, unrelated_cosine(engine, ask.recipe))
        for said in wordless:
            scores[id(said)], meant = meant[: len(said.sentences)], meant[len(said.sentences) :]
    return [
        np.array([said.turn.score], np.float32)
        if id(said) not in scores
        else scores[id(said)] * (BY_ASSISTANT if said.turn.by_assistant else 1.0)
        for said in cut
    ]


def _cosines(engine: Engine, vector: Vector | None, texts: Sequence[str]) -> Floats | None:
    if vector is None or not texts or not engine.embedder.ready():
        return None
    try:
        near: Floats = engine.embedder.encode(texts, patient=False) @ vector
    except (Unavailable, Misconfigured):
        return None
    return near


def _ended(said: _Said, at: int, facts: Sequence[tuple[IndexedMemory, str]]) -> tuple[IndexedMemory | None, str]:
    """The fact that has ended which this sentence states, and what replaced it."""
    texts = [str(fact.data["content"]) for fact, _ in facts]
    for (fact, by), shares in zip(facts, _stated(said, texts), strict=True):
        if shares[at] >= SAID_OF and shares[at] == max(shares):
            return fact, by
    return None, ""


def _stated(said: _Said, facts: Sequence[str]) -> Iterator[list[float]]:
    """How much of each fact each sentence holds. "Ann is single." and "I am single." differ in the speaker alone."""
    held = [set(query_terms(sentence)) for sentence in said.sentences] if facts else []
    speaker = tokens(said.speaker) if facts else []
    for fact in facts:
        words = set(query_terms(fact)).difference(speaker)
        yield [len(words & those) / max(1, len(words)) for those in held]


def _moment(last: int, clock: str) -> int:
    """A turn's time: its clock time, on the day of the episode's last message or the one before."""
    end = datetime.fromtimestamp(last / 1000, UTC)
    if not clock or clock == f"{end:%H:%M}":
        return last
    hour, minute = int(clock[:2]), int(clock[3:])
    said = end.replace(hour=hour % 24, minute=minute % 60, second=0, microsecond=0)
    return int((said if said <= end else said - timedelta(days=1)).timestamp() * 1000)


def likeness(engine: Engine, query: str, texts: Sequence[tuple[Owner, str]]) -> list[float]:
    """How much each text that the index does not hold (a line of a profile) has to do with the query: by words, and by
    meaning once the model is there."""
    if not texts:
        return []
    score, weights = np.zeros(len(texts), np.float32), looked_for(query)
    for owner in {owner for owner, _ in texts}:
        own = [at for at, (of, _) in enumerate(texts) if of == owner]
        stats = engine.index.search.term_stats(list(weights), owner)
        score[own] = _by_words(stats, weights, [texts[at][1] for at in own])
    if engine.embedder.ready():
        try:
            cosine = _cosines(engine, engine.embedder.query(query), [text for _, text in texts])
        except (Unavailable, Misconfigured):
            cosine = None
        if cosine is not None:
            near = np.where(cosine >= default_radius(engine), cosine, 0.0)
            score = HYBRID.meaning * dense_scores(near, unrelated_cosine(engine, HYBRID)) + HYBRID.words * score
    return [float(one) for one in score]


def _by_words(stats: TermStats, weights: Mapping[str, float], texts: Sequence[str]) -> Floats:
    words = [tokens(text) for text in texts]
    terms = list(weights)
    if not terms or not texts:
        return np.zeros(len(texts), np.float32)
    nothing = np.zeros(len(texts))
    each = Candidates(
        frequency=in_texts(terms, [joined(held) for held in words]),
        length=np.array([len(held) for held in words], np.float32),
        cosine=nothing.astype(np.float32),
        beside=np.arange(len(texts)),  # none is beside another
        memory=np.arange(len(texts)),
        centre=nothing.astype(np.float32),
        turn=nothing.astype(np.int64),
    )
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
            content = f'{turn.speaker} said: "{clip(held[at][0], QUOTED)}"'.replace("\n", " ")
            by_user = turn.speaker not in (*map(str, hit.stored.data.get("assistants") or ()), ASSISTANT)
            data = {"content": content, "superseded_by": "", "turn": number, "by_user": by_user}
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
        share = FURTHER_FACT**number * (1.0 if fact.data["by_user"] else BY_ASSISTANT)
        found.append((fact, round(min(turn * share, most), 6)))
    return found


def _telling(pair: tuple[float, IndexedMemory]) -> tuple[float, bool, bool, str]:
    """More words of the question first, then a statement about something before small talk."""
    overlap, fact = pair
    return -overlap, not fact.slot, len(str(fact.data["content"])) < SHORT, fact.key.local_id
