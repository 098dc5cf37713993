"""Texts that the index does not hold as they are, such as the lines of a profile, scored as memories are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from everlore.engine import Engine
from everlore.errors import Misconfigured, Unavailable
from everlore.index.bm25 import in_texts
from everlore.index.tokens import joined, query_terms, tokens
from everlore.search.meaning import default_radius, nothing
from everlore.search.score import (
    Candidates,
    Floats,
    dense_scores,
    fused,
    term_weights,
    text_scores,
)
from everlore.types import Owner


def likeness(engine: Engine, query: str, texts: Sequence[tuple[Owner, str]]) -> list[float]:
    """How much each text has to do with the query: by words, and by meaning once the model is there."""
    if not texts:
        return []
    score = np.zeros(len(texts), np.float32)
    for owner in {owner for owner, _ in texts}:
        own = [at for at, (of, _) in enumerate(texts) if of == owner]
        score[own] = _by_words(engine, owner, query_terms(query), [texts[at][1] for at in own])
    if engine.embedder.ready():
        try:
            vectors = engine.embedder.encode([text for _, text in texts], patient=False)
            cosine = vectors @ engine.embedder.query(query)
        except (Unavailable, Misconfigured):
            pass
        else:
            near = np.where(cosine >= default_radius(engine), cosine, 0.0)
            score = fused(dense_scores(near, nothing(engine)), score)
    return [float(one) for one in score]


def _by_words(engine: Engine, owner: Owner, terms: Sequence[str], texts: Sequence[str]) -> Floats:
    words = [tokens(text) for text in texts]
    stats = engine.index.term_stats(terms, owner)
    nothing = np.zeros(len(texts))
    each = Candidates(
        frequency=in_texts(terms, [joined(held) for held in words]),
        length=np.array([len(held) for held in words], np.float32),
        cosine=nothing.astype(np.float32),
        memory=np.arange(len(texts)),  # none is beside another
        centre=nothing.astype(np.float32),
        turn=nothing.astype(np.int64),
    )
    return text_scores(each, term_weights(stats, terms), stats.mean_length)
