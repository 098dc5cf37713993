"""Recall: from a question to ranked memories with their passages, explained stage by stage on request.

    candidates (words, vectors, graph) -> score -> time -> rounds -> supersession -> passages and facts -> explanation

Every surface asks here, by one of the recipes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from operator import mul

from everlore.engine import Engine
from everlore.kinds.registry import kind as kind_of
from everlore.models.chat import Meter
from everlore.search.candidates import Ask
from everlore.search.explain import Circumstances, Stage, explained
from everlore.search.filters import in_project
from everlore.search.floor import fitting
from everlore.search.passages import Told, asked_for, by_words, facts, matched, passages
from everlore.search.query import Hit, Query, Recall
from everlore.search.rank import Ranked, Ranking, rank
from everlore.search.recipes import HYBRID, Recipe
from everlore.search.rounds import LEARN_FROM, further, rerank
from everlore.search.score import looked_for
from everlore.search.supersede import Changes, supersede
from everlore.search.time_window import stretch
from everlore.search.vectors import default_radius, query_vector, unrelated_cosine
from everlore.stores.base import TermStats, Vector
from everlore.types import PERSONAL, IndexedMemory, Json, Owner, Where

OF_SELF = "said of oneself in a talk of another project"
WENT = "how well the run went"
UNPROVEN = 0.1
"""What a run loses of its score that failed altogether; one that went half well loses half of that."""
LEAST_SHARE = 0.3
"""Of the best score: what scores less is not worth returning, where `top_k` is left to us."""
BESIDE = 0.5
"""Of the best score, to a person, who sees the others apart: prompts of the seen half lose no right memory, and half of
the others. An agent's prompt may be of several matters."""


@dataclass(frozen=True, slots=True)
class _Given:
    """What is the same for every group of kinds."""

    vector: Vector | None
    radius: float | None
    meant: tuple[int, int] | None
    owner: Owner | None
    meter: Meter


def recall(engine: Engine, query: Query, recipe: Recipe = HYBRID) -> Recall:
    begin = time.perf_counter()
    given, note = _given(engine, query, recipe)
    embedded = time.perf_counter()
    hits: dict[str, list[Hit]] = {}
    reranked: dict[str, Json] | None = None
    stages = _stages(engine, query, recipe, given)
    # outside that view, in which nothing can be written: sentences may be embedded, and vectors are kept
    for stage in stages:
        shown = passages(engine, stage.ask, stage.told, stage.changes, stage.stats)
        hits[stage.kind] = [replace(hit, passages=said) for hit, said in zip(stage.hits, shown, strict=True)]
    if query.rerank and recipe is HYBRID and query.owner and query.owner.track == "agent":
        hits, reranked = rerank(engine, query.text, hits, given.meter)
    found = Recall(hits, usage=given.meter.usage, nodes=sum(stage.ranking.nodes for stage in stages))
    if engine.heard:
        shown_ids = [(hit.stored.key.global_id, hit.stored.key.public_id) for hit in found.best]
        engine.heard(query.owner, recipe.name, query.text, shown_ids)
    if not query.explain:
        return found
    if given.vector is not None and query.owner is not None and (waiting := engine.index.upkeep.waiting(query.owner)):
        note = f"{waiting} pieces of this owner have no vector of the model yet; only words find them"
    spent = {"embed": (embedded - begin) * 1000, "total": (time.perf_counter() - begin) * 1000}
    told = Circumstances(given.vector is not None, given.radius, given.meant, note, reranked, spent)
    return replace(found, trace=explained(engine, query, recipe, told, stages, hits))


def ranked(engine: Engine, query: Query, recipe: Recipe = HYBRID) -> list[Stage]:
    """What was found of each group of kinds, with all its evidence."""
    return _stages(engine, query, recipe, _given(engine, query, recipe)[0])


def _given(engine: Engine, query: Query, recipe: Recipe) -> tuple[_Given, str | None]:
    """And what is to be noted of it."""
    vector, note = query_vector(engine, query, recipe)
    radius = query.radius
    if radius is None and query.top_k == -1 and vector is not None:
        radius = default_radius(engine)
    meant = stretch(query.text, engine.clock.now(), engine.clock.zone) if recipe.time else None
    meter = Meter(engine.settings.llm.search_seconds)
    return _Given(vector, radius, meant, _owner(engine, query), meter), note


def _stages(engine: Engine, query: Query, recipe: Recipe, given: _Given) -> list[Stage]:
    groups = (query.kinds,) if query.kinds else recipe.groups(query.owner.track if query.owner else None)
    look = _stage if query.project is None else _in_project
    # one view of the index for every step; not while a language model may be asked, which takes seconds
    with nullcontext() if recipe.rounds else engine.index.search.snapshot():
        stages = [look(engine, query, recipe, kinds, given) for kinds in groups]
    freely = query.top_k == -1 and query.radius is None and recipe.by_meaning and recipe.by_turns
    told = recipe.floor == "told"
    return [_fitting(engine, stage, told=told) for stage in stages] if recipe.floor or freely else stages


def _fitting(engine: Engine, stage: Stage, *, told: bool) -> Stage:
    """Without what does not fit the question; or, if that is to be told, with it."""
    fits = fitting(asked_for(stage.ask, stage.stats), stage.told, stage.stats, stage.ask.vector, engine.embedder.name)
    if told:
        least = BESIDE * max((hit.score for hit in stage.hits), default=0.0)
        shown = zip(stage.hits, fits, strict=True)
        return replace(stage, hits=[replace(hit, fits=fit and hit.score >= least) for hit, fit in shown])
    return replace(stage, told=[*compress(stage.told, fits)], hits=[*compress(stage.hits, fits)])


def _owner(engine: Engine, query: Query) -> Owner | None:
    """Of a scope with a single owner the owner's own lists are walked, which is quicker."""
    if query.owner is not None or query.scope is None:
        return query.owner
    owners = engine.index.rows.owners(query.scope, 2)
    return owners[0][0] if len(owners) == 1 else None


def _in_project(engine: Engine, query: Query, recipe: Recipe, kinds: tuple[str, ...], given: _Given) -> Stage:
    """Of all that its owner said, what this project may see, with the scores that it has among everything. Talks of
    other projects are left out, but what was said there of oneself stands for itself. What the others left no room for
    is looked for alone."""
    here = _stage(engine, query, recipe, kinds, given)
    if not here.ask.parts or given.owner is None:
        return here
    every = _stage(engine, replace(query, project=None), recipe, kinds, given)
    known = {told.stored.id: (told, hit) for told, hit in zip(here.told, here.hits, strict=True)}
    known |= {
        told.stored.id: (told, hit)
        for told, hit in zip(every.told, every.hits, strict=True)
        if told.stored.project in ("", query.project)
    }
    known |= {told.stored.id: (told, _hit(told)) for told in _of_self(engine, query.project, every, given.owner)}
    best = sorted(known.values(), key=lambda pair: _order(*pair[0][:2]))
    best = best if query.top_k == -1 else best[: query.top_k]
    return replace(
        every,
        ranking=replace(every.ranking, memories=[told.one for told, _ in best]),
        told=[told for told, _ in best],
        hits=[hit for _, hit in best],
        changes=here.changes.with_those(every.changes),
    )


def _of_self(engine: Engine, project: str | None, every: Stage, owner: Owner) -> Iterator[Told]:
    """What the owner said of themselves in talks of other projects: by the words of the sentence alone, without those
    that stood around it, and by what its turn means."""
    talks = {told.one.parent_id: told for told in every.told if told.stored.project not in ("", project)}
    places = [(parent, turn.turn) for parent, told in talks.items() for turn in told.turns]
    rows = engine.index.search.in_turns(owner, every.ask.parts, places) if places else []
    said = [(fact, talks[fact.parent_id], number) for fact, number, _ in rows if fact.project == PERSONAL]
    texts = [str(fact.data["content"]) for fact, _, _ in said]
    for (fact, talk, number), words in zip(said, by_words(every.stats, every.ask.weights, texts), strict=True):
        turn = talk.one.turns[number]
        worth = turn.score
        if (fact.parent_id, number) not in every.changes.present:  # else it answers for what it has ended
            worth = min(worth, HYBRID.words * float(words) + HYBRID.meaning * turn.meaning)
        share = worth / talk.turns[0].score
        one = replace(talk.one, row=fact.id, turns={number: turn}).moved(OF_SELF, partial(mul, share))
        yield Told(one, fact, [turn])


def _stage(engine: Engine, query: Query, recipe: Recipe, kinds: tuple[str, ...], given: _Given) -> Stage:
    """One group of kinds: its ranking, further rounds, what gave way to something later, and the hits."""
    kind = kinds[0]
    demand = query.filter if query.project is None else in_project(query.project, query.filter)
    wanted = kind_of(kind).most_found if query.top_k == -1 else query.top_k
    now = engine.clock.now() if recipe.valid_only else None
    scope = query.owner.scope if query.owner else query.scope
    ask = Ask(
        text=query.text,
        weights=looked_for(query.text, given.owner),
        vector=given.vector,
        where=Where(given.owner, kinds, demand, valid_at=now, scope=scope),
        limit=max(recipe.candidates, 2 * wanted),
        keep=max(wanted, LEARN_FROM),
        radius=given.radius,
        recipe=recipe,
        favoured=given.meant,
    )
    ranking = first = rank(engine, ask)
    rounds: list[dict[str, Json]] = []
    if recipe.rounds:
        ranking, rounds = further(engine, ask, first, given.meter)
    changes, ended = Changes(), list[dict[str, Json]]()
    if recipe.supersede and ask.whole:
        # who asks for a time asks for what held then
        done = supersede(engine, ask, ranking, reorder=given.meant is None)
        ranking, stored, changes, ended = done.ranking, done.stored, done.changes, done.trace
    else:
        stored = engine.index.rows.stored(one.row for one in ranking.memories)
    if len(kinds) == 1 and recipe.by_words and recipe.by_meaning and (quality := kind_of(kind).quality):
        ranking = _proven(stored, ranking, quality)
    least = _least(query, first, ranking)
    found = [(one, stored[one.row]) for one in ranking.memories if one.row in stored]
    found.sort(key=lambda pair: _order(*pair))
    best = [pair for pair in found if least is None or pair[0].score >= least][:wanted]
    low = 0.0 if recipe.by_words else unrelated_cosine(engine, recipe)
    told = [Told(one, row, matched(one, recipe, low)) for one, row in best]
    stats = _word_statistics(engine, ask, ranking)
    nested = facts(engine, ask, told, stats, changes.past.keys()) if ask.whole == kind and not recipe.valid_only else {}
    hits = [_hit(hit, nested.get(hit.one.parent_id, ())) for hit in told]
    return Stage(kind, ask, ranking, stats, told, changes, hits, rounds, ended, least)


def _hit(told: Told, nested: Sequence[Hit] = ()) -> Hit:
    one, moves = told.one, tuple(why for why, _ in told.one.steps[1:])
    return Hit(told.stored, round(one.score, 6), tuple(nested), (), one.parts, moves)


def _order(one: Ranked, stored: IndexedMemory) -> tuple[float, int, str]:
    """Among equals the newest first, and the same order in every process."""
    return -one.score, -stored.timestamp, stored.key.global_id


def _word_statistics(engine: Engine, ask: Ask, ranking: Ranking) -> TermStats:
    """Of the question's words, also where words did not rank."""
    known = ranking.stats
    if known is not None and known.frequency.keys() >= ask.weights.keys():
        return known
    return engine.index.search.term_stats(list(ask.weights), ask.where.owner)


def _proven(stored: dict[int, IndexedMemory], ranking: Ranking, quality: str) -> Ranking:
    """Of runs that match alike, the one that went well goes first: it tells how to do it."""
    moved = []
    for one in ranking.memories:
        said = float(stored[one.row].data[quality]) if one.row in stored else 1.0
        left = 1 - UNPROVEN * (1 - min(1.0, max(0.0, said)))  # a person may write what they like
        moved.append(one.moved(WENT, partial(mul, left)) if left < 1 else one)
    return replace(ranking, memories=sorted(moved, key=lambda one: (-one.score, one.parent_id, one.row)))


def _least(query: Query, first: Ranking, ranking: Ranking) -> float | None:
    """Who leaves it to us how many there are gets no long tail of those that share a common word.

    What a single round would have returned stays, however good the best of a further round is.
    """
    if query.top_k != -1 or query.radius is not None or not ranking.memories:
        return None
    least = LEAST_SHARE * ranking.memories[0].score
    if ranking is first:
        return least
    at_first = {one.row for one in first.memories if one.score >= LEAST_SHARE * first.memories[0].score}
    return min([least, *(one.score for one in ranking.memories if one.row in at_first)])
