"""Units get their vectors: at once where they are few, else by the worker."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from itertools import islice

from everlore.engine import Engine
from everlore.errors import EverloreError, Unavailable
from everlore.logs import get_logger
from everlore.stores.base import Vector
from everlore.types import Owner

EMBED_AT_ONCE = 48
"""Units embedded in the same call that stored them; more are left to the worker."""
EMBED_SLICE = 256
"""Units embedded before their vectors are stored. More at once pads less: those of like length go together."""
FRESH = 256
"""So many units without a vector are what was just stored; more are a backlog."""

log = get_logger("everlore.sync")


def embed_soon(engine: Engine, owners: Iterable[Owner]) -> None:
    """Embed what was just stored of these if that is quick. What is not done now, the worker does."""
    if not engine.embedder.ready():
        with suppress(Unavailable):  # closed, since the server stops
            engine.embedder.warm()
    elif engine.embedding.acquire(blocking=False):
        # when somebody else is embedding already, the backlog is theirs and this call need not wait
        try:
            for owner in owners:
                _embed(engine, EMBED_AT_ONCE, owner, patient=False)
        except EverloreError as error:
            log.warning("embedding failed; words find the new memories until it works", error=str(error))
        finally:
            engine.embedding.release()


def embedded(engine: Engine, texts: Collection[str]) -> dict[str, Vector]:
    """The vectors of what is about to be stored, as far as that is quick."""
    some = list(islice(texts, EMBED_AT_ONCE))
    if not engine.embedder.ready():
        with suppress(Unavailable):  # closed, since the server stops
            engine.embedder.warm()
    elif some and engine.embedding.acquire(blocking=False):
        try:
            engine.index.upkeep.use_model(engine.embedder.name, engine.embedder.dimension)
            return dict(zip(some, engine.embedder.encode(some, patient=False), strict=True))
        except EverloreError as error:
            log.warning("embedding failed; words find the new memories until it works", error=str(error))
        finally:
            engine.embedding.release()
    return {}


def embed_fresh(engine: Engine, seconds: float = 2.0, most: int = FRESH, owner: Owner | None = None) -> None:
    """Embed what was stored a moment ago, of the owner where one is named, so that a search by meaning finds it, if it
    is not more than `most` units; a long backlog is the worker's. While another thread embeds, it is waited for so many
    seconds."""
    if engine.embedder.state() != "ready":
        return
    deadline = time.monotonic() + seconds
    try:
        engine.index.upkeep.use_model(engine.embedder.name, engine.embedder.dimension)
        while 0 < len(engine.index.upkeep.unembedded(most + 1, owner)) <= most:
            if not engine.embedding.acquire(timeout=max(0.0, deadline - time.monotonic())):
                return
            try:
                _embed(engine, EMBED_AT_ONCE, owner, patient=False)
            finally:
                engine.embedding.release()
            if time.monotonic() > deadline:
                return
    except EverloreError as error:
        log.warning("embedding failed; words find the new memories until it works", error=str(error))


def embed_pending(engine: Engine, limit: int) -> int:
    """Give vectors to units that have none, at most `limit` of them; returns how many got one."""
    with engine.embedding:
        return _embed(engine, limit)


def _embed(engine: Engine, limit: int, owner: Owner | None = None, *, patient: bool = True) -> int:
    index, embedder = engine.index, engine.embedder
    index.upkeep.use_model(embedder.name, embedder.dimension)
    done = 0
    while done < limit:
        units = index.upkeep.unembedded(min(EMBED_SLICE, limit - done), owner)
        if not units:
            break
        pieces = [unit.unit for unit in units]
        index.upkeep.put_vectors(
            pieces, embedder.encode([unit.dense for unit in units], patient=patient, pieces=pieces)
        )
        done += len(units)
    return done
