"""Finding code: by meaning first, by identifiers as well, and by name when a name is asked for.

Scores are absolute and in [0, 1]. A chunk that has no vector yet is judged by its words, so that search works while
embeddings are still being made and without any model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from everlore.code.graph import ranks
from everlore.code.rows import KIND, owner_of, slot_of
from everlore.code.service import CodeIndex, open_code
from everlore.engine import Engine
from everlore.errors import Misconfigured, Unavailable
from everlore.search import Query
from everlore.search.candidates import Ask, collect
from everlore.search.rank import unit_scores
from everlore.search.recipes import CODE
from everlore.search.score import dense_scores, term_weights, text_scores
from everlore.search.vectors import await_embedder, unrelated_cosine
from everlore.stores.base import Vector
from everlore.stores.tokens import query_terms
from everlore.types import IndexedMemory, Owner, Predicate, Where

NAMED = 0.35
"""What a chunk gains of the rest up to 1 when the query says its name."""
UNSEEN = 0.9
"""What a chunk without a vector is worth of its text score."""
MOST_NAMED = 20
"""Definitions that are added because the query names them."""
UNSCORED = 0.5
"""What such a one is worth when neither its words nor its vector are among the candidates."""
SEEDS = 20
"""Best hits from which the graph is walked."""

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_QUOTES = str.maketrans("'\"`", "   ")
_WORDS = "how what which where when who why can could should does way using use used make"
_ASKING = frozenset(_WORDS.split())
"""Words of a question that say nothing of the code."""


@dataclass(frozen=True, slots=True)
class CodeHit:
    """What a row tells of a chunk, under the same names, and how well it matches."""

    id: str
    project_id: str
    file_path: str
    content: str
    language: str
    start_line: int
    end_line: int
    chunk_type: str
    name: str | None
    breadcrumb: str
    score: float
    vector_score: float
    bm25_score: float
    ppr_score: float
    """How near it is to the best hits in the graph of who names whom."""


def code_hits(
    engine: Engine, query: str, project_id: str | None = None, language: str | None = None, limit: int = 10
) -> list[CodeHit]:
    """The best chunks, best first. Raises NotFound for a project that nobody indexed."""
    query = Query(None, query).text  # refuses what is too long to be a question
    code = engine.part(open_code)
    owner = None
    if project_id is not None:
        owner = owner_of(code.get(project_id).id)
    wanted = Predicate("parent_type", "eq", language.strip().casefold()) if language else None
    ask = Ask(
        text=query,
        weights=dict.fromkeys(_terms(query), 1.0),
        vector=_vector(engine, query),
        where=Where(owner, (KIND,), wanted),
        limit=max(CODE.candidates, 3 * limit),
        keep=limit,
        radius=None,
        recipe=CODE,
    )
    return _best(code, _scored(engine, code, ask), query, ask.where, limit)


def chunk_count(engine: Engine) -> int:
    return sum(engine.part(open_code).chunks().values())


def _terms(query: str) -> list[str]:
    words = query.translate(_QUOTES)
    telling_words = " ".join(word for word in words.split() if word.casefold().strip("?!.,") not in _ASKING)
    return query_terms(telling_words) or query_terms(words)


def _vector(engine: Engine, query: str) -> Vector | None:
    """None when there is no model to be had soon."""
    try:
        return engine.embedder.query(query) if await_embedder(engine, CODE.patience) else None
    except (Unavailable, Misconfigured):
        return None


@dataclass(frozen=True, slots=True)
class _Scored:
    row: int
    score: float
    dense: float
    text: float


def _scored(engine: Engine, code: CodeIndex, ask: Ask) -> dict[int, _Scored]:
    """By row: words and meaning of the candidates, or words alone where there is no vector."""
    found = collect(code.index, ask)
    if found is None:
        return {}
    seen = found.scored.cosine != 0
    words = text_scores(found.scored, term_weights(found.stats, ask.weights), found.stats.mean_length)
    meaning = np.where(seen, dense_scores(found.scored.cosine, unrelated_cosine(engine, CODE)), 0.0)
    score = np.where(seen, unit_scores(CODE, meaning, words), UNSEEN * words)
    each = map(_Scored, found.scored.memory.tolist(), score.tolist(), meaning.tolist(), words.tolist())
    return {one.row: one for one in sorted(each, key=lambda one: one.score)}


def _best(code: CodeIndex, by_row: dict[int, _Scored], query: str, where: Where, limit: int) -> list[CodeHit]:
    names = _names(query)
    projects = {owner_of(project.id): project.id for project in code.projects.all()}
    for row in _named(code, names, [where.owner] if where.owner is not None else list(projects)):
        by_row.setdefault(row, _Scored(row, UNSCORED, 0.0, 0.0))
    stored = {
        number: row
        for number, row in code.index.rows.stored(by_row).items()
        if row.key.owner in projects and _permitted(row, where)
    }
    scores = {number: _score(row, by_row[number], names) for number, row in stored.items()}
    best = sorted(stored.values(), key=lambda row: (-scores[row.id], row.path, row.data["start_line"]))
    near = ranks(code.index, [(row, scores[row.id]) for row in best[:SEEDS]])
    return [
        _hit(row, by_row[row.id], projects[row.key.owner], scores[row.id], near.get(row.id, 0.0))
        for row in best[:limit]
        if scores[row.id] > 0
    ]


def _score(row: IndexedMemory, scored: _Scored, names: frozenset[str]) -> float:
    said = bool(names) and slot_of(row.data["name"]) in names
    return scored.score + NAMED * (1 - scored.score) if said else scored.score


def _permitted(row: IndexedMemory, where: Where) -> bool:
    return not isinstance(where.filter, Predicate) or row.parent_type == where.filter.value


def _names(query: str) -> frozenset[str]:
    """Identifiers that a query names: those that look like one, or the query itself when it is but one word."""
    words = _IDENTIFIER.findall(query)
    if len(words) == 1 or re.fullmatch(r"[\w.:]+", query.strip()):
        return frozenset(word.casefold() for word in words[-1:])
    return frozenset(word.casefold() for word in words if "_" in word.strip("_") or re.search(r"[a-z][A-Z]|\d", word))


def _named(code: CodeIndex, names: frozenset[str], owners: Sequence[Owner]) -> list[int]:
    """Definitions of these names. Words may miss one whose name is a very common word."""
    if not names:
        return []
    found = [code.index.rows.in_slots(owner, KIND, sorted(names)) for owner in owners]
    return [row for slots in found for rows in slots.values() for row in rows][:MOST_NAMED]


def _hit(row: IndexedMemory, scored: _Scored, project: str, score: float, near: float) -> CodeHit:
    return CodeHit(
        row.key.local_id,
        project,
        **row.data,
        score=round(min(1.0, score), 6),
        vector_score=round(scored.dense, 6),
        bm25_score=round(scored.text, 6),
        ppr_score=round(near, 6),
    )
