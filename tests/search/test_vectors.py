"""The query's vector, and what there is where a model does not answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from embeddings import endpoint
from vaults import open_vault

from everlore.engine import Engine
from everlore.errors import Unavailable
from everlore.search import METHODS, Query
from everlore.search.recipes import HYBRID, KEYWORD, VECTOR
from everlore.search.vectors import RADIUS, await_embedder, default_radius, query_vector, unrelated_cosine
from everlore.types import Owner, Scope

ASKED = Query(Owner(Scope(), "user", "ann"), "Where do I live?")


def test_words_alone_need_no_vector(told: Engine) -> None:
    assert query_vector(told, ASKED, KEYWORD) == (None, None)


def test_the_vector_is_that_of_the_question(told: Engine) -> None:
    vector, note = query_vector(told, ASKED, HYBRID)
    assert vector is not None
    assert note is None
    assert np.allclose(vector, told.embedder.query(ASKED.text))


def test_a_vector_that_the_caller_has_is_taken(told: Engine) -> None:
    own = told.embedder.query("Who waters the tomatoes?")
    given = Query(ASKED.owner, ASKED.text, vector=own)
    vector, _ = query_vector(told, given, VECTOR)
    assert vector is own


def test_without_the_model_words_go_on_alone_and_meaning_does_not(tmp_path: Path) -> None:
    with endpoint() as served:
        engine = open_vault(tmp_path, served.url)
        served.broken = True
        for recipe in METHODS.values():
            if recipe.by_words and recipe.by_meaning:
                vector, note = query_vector(engine, ASKED, recipe)
                assert vector is None
                assert str(note).startswith("searched by words alone: ")
        with pytest.raises(Unavailable):
            query_vector(engine, ASKED, VECTOR)
        engine.close()


def test_one_who_waits_for_a_model_that_is_there_waits_for_nothing(told: Engine) -> None:
    assert await_embedder(told, 0.0)


def test_cosines_are_those_of_the_built_in_model(told: Engine) -> None:
    assert unrelated_cosine(told, HYBRID) == pytest.approx(HYBRID.unrelated, abs=0.01)
    assert default_radius(told) == pytest.approx(RADIUS, abs=0.01)


def test_the_least_cosine_can_be_set(tmp_path: Path) -> None:
    with endpoint() as served:
        engine = open_vault(tmp_path, served.url, search={"default_radius": 0.33})
        assert default_radius(engine) == 0.33
        engine.close()
