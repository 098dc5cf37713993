"""The query's vector, and what cosines mean on the scale of the model that is in use."""

from __future__ import annotations

import time

from everlore.engine import Engine
from everlore.errors import Misconfigured, Unavailable
from everlore.models.base import scaled
from everlore.search.query import Query
from everlore.search.recipes import Recipe
from everlore.stores.base import Vector
from everlore.sync.embedding import embed_fresh

RADIUS = 0.6
"""The built-in model's cosine below which a text is not worth showing, where no words speak for it."""
FRESH_SECONDS = 1.0
"""How long a search that waited for the model waits for the vectors of what was stored meanwhile."""
FEW_FRESH = 16
"""Units without a vector that any other search embeds before it begins, if some are of the owner it asks about,"""
MOMENT_SECONDS = 0.25
"""or waits for when another thread is at them; so few are soon done."""


def unrelated_cosine(engine: Engine, recipe: Recipe) -> float:
    """The cosine that counts as nothing."""
    return scaled(engine.embedder, recipe.unrelated)


def default_radius(engine: Engine) -> float:
    """The least cosine of what is shown for its meaning alone, where the request names none."""
    chosen = engine.settings.search.default_radius
    return scaled(engine.embedder, RADIUS) if chosen is None else chosen


def await_embedder(engine: Engine, seconds: float) -> bool:
    """Whether the model is ready; one that is loading is waited for a little."""
    if engine.embedder.state() != "ready":
        engine.embedder.warm()
    deadline = time.monotonic() + seconds
    while engine.embedder.state() == "loading" and time.monotonic() < deadline:
        time.sleep(0.02)
    return engine.embedder.state() == "ready"


def query_vector(engine: Engine, query: Query, recipe: Recipe) -> tuple[Vector | None, str | None]:
    """The vector, or why there is none. Words go on alone then, unless they don't count."""
    if not recipe.by_meaning:
        return None, None
    loading = recipe.by_words and engine.embedder.state() == "loading"
    if loading and not await_embedder(engine, recipe.patience):
        return None, "searched by words alone: the embedding model is not ready yet"
    try:
        vector = engine.embedder.query(query.text) if query.vector is None else query.vector
    except (Unavailable, Misconfigured) as error:
        if not recipe.by_words:
            raise
        return None, f"searched by words alone: {error}"
    # words alone would score far too low what was stored while the model was loading, or edited a moment ago
    if loading or query.owner is None:
        embed_fresh(engine, FRESH_SECONDS)
    else:
        embed_fresh(engine, MOMENT_SECONDS, FEW_FRESH, query.owner)
    unrelated_cosine(engine, recipe)  # measured once, and not later, inside a view in which nothing can be written
    return vector, None
