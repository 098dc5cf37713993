"""What does not fit is not shown, however few memories there are to choose from."""

from __future__ import annotations

import pytest

from everlore.engine import Engine
from everlore.search import Query, recall
from everlore.search.recipes import CONTEXT, HYBRID, KEYWORD
from everlore.types import Owner, Scope

ANN = Owner(Scope(), "user", "ann")


@pytest.mark.parametrize(
    "prompt", ["Write a haiku about the sea", "yes, go ahead", "what does idempotent mean", "fix the failing test"]
)
def test_a_prompt_that_nothing_fits_brings_nothing(told: Engine, prompt: str) -> None:
    assert recall(told, Query(ANN, prompt, 5), CONTEXT).hits["episode"] == []
    assert recall(told, Query(ANN, prompt), HYBRID).hits["episode"] == []
    assert recall(told, Query(ANN, prompt, 5), HYBRID).hits["episode"], "who asks for five gets them"


@pytest.mark.parametrize(
    ("prompt", "session"),
    [("Who waters the tomatoes on Sundays?", "garden"), ("Where do I live?", "moved"), ("Is my rent cheap?", "single")],
)
def test_what_fits_is_shown(told: Engine, prompt: str, session: str) -> None:
    for query, recipe in ((Query(ANN, prompt, 5), CONTEXT), (Query(ANN, prompt), HYBRID)):
        assert recall(told, query, recipe).hits["episode"][0].stored.session_id == session


def test_words_alone_have_no_floor_of_meaning(told: Engine) -> None:
    assert recall(told, Query(ANN, "compost"), KEYWORD).hits["episode"][0].stored.session_id == "garden"
