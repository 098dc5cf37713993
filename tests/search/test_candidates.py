"""Which units come in: by words, by vectors, by the time asked for, with what stands around them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vaults import DAY, MAY_28

from everlore.engine import Engine
from everlore.search.candidates import Ask, Found, collect
from everlore.search.recipes import HYBRID, KEYWORD, VECTOR, Recipe
from everlore.search.score import looked_for
from everlore.types import Owner, Predicate, Scope, Where

ANN = Owner(Scope(), "user", "ann")


def asking(engine: Engine, text: str, recipe: Recipe = HYBRID, limit: int = 30, keep: int = 1) -> Ask:
    vector = engine.embedder.query(text) if recipe.by_meaning else None
    where = Where(ANN, ("episode",))
    return Ask(text, looked_for(text), vector, where, limit=limit, keep=keep, radius=None, recipe=recipe)


def sessions(engine: Engine, found: Found | None) -> set[str]:
    assert found is not None
    stored = engine.index.rows.stored({int(row) for row in found.scored.memory})
    return {one.session_id for one in stored.values()}


def test_words_bring_in_what_has_them_and_what_stands_around_it(told: Engine) -> None:
    found = collect(told.index, asking(told, "tomatoes", KEYWORD))
    assert found is not None
    assert (found.text_hits, found.dense_hits) == (1, 0)
    assert sessions(told, found) == {"garden"}
    assert {piece.turn for piece in found.pieces} == {0, 1, 2}, "neighbours lend their words"


def test_vectors_bring_in_what_shares_no_word(told: Engine) -> None:
    found = collect(told.index, asking(told, "vegetables", VECTOR, limit=1))
    assert found is not None
    assert (found.text_hits, found.dense_hits) == (0, 1)
    assert sessions(told, found) == {"garden"}


def test_both_together(told: Engine) -> None:
    found = collect(told.index, asking(told, "tomatoes"))
    assert found is not None
    assert found.text_hits == 1
    assert found.dense_hits > 1
    assert len(found.scored.cosine) == len(found.pieces)


@pytest.mark.parametrize("text", ["helicopter", "?!"])
def test_nothing_is_nothing(told: Engine, text: str) -> None:
    assert collect(told.index, asking(told, text, KEYWORD)) is None


def test_the_time_asked_for_brings_in_its_own(told: Engine) -> None:
    """However many others are nearer: of each list as many again are asked for within that time."""
    ask = asking(told, "Where do I live?", limit=1)
    assert "wedding" not in sessions(told, collect(told.index, ask))
    around = (MAY_28 + 89 * DAY, MAY_28 + 91 * DAY)
    assert "wedding" in sessions(told, collect(told.index, replace(ask, favoured=around)))


def test_what_is_demanded_is_demanded_of_every_candidate(told: Engine) -> None:
    ask = asking(told, "Where do I live?")
    where = replace(ask.where, filter=Predicate("session_id", "in", ("garden", "night")))
    assert sessions(told, collect(told.index, replace(ask, where=where))) == {"garden", "night"}


def test_lists_are_read_on_until_there_are_as_many_memories_as_are_wanted(told: Engine) -> None:
    few, more = (sessions(told, collect(told.index, asking(told, "I", limit=1, keep=keep))) for keep in (1, 4))
    assert len(few) < 4 <= len(more)
