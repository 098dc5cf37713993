"""The arithmetic of scoring, without an index."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.search.score import (
    BEND,
    CONTEXT,
    OF_OWNER,
    Candidates,
    added,
    dense_scores,
    in_context,
    looked_for,
    roll_up,
    term_weights,
    text_scores,
    z_scores,
)
from everlore.stores.base import TermStats
from everlore.types import Owner, Scope

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def units(frequency: list[list[int]], memory: list[int], centre: list[float]) -> Candidates:
    count = len(memory)
    return Candidates(
        frequency=np.array(frequency, np.float32).reshape(-1, count),
        length=np.full(count, 10, np.float32),
        cosine=np.zeros(count, np.float32),
        beside=np.array(memory),
        memory=np.array(memory),
        centre=np.array(centre, np.float32),
        turn=np.arange(count),
    )


def whole(scores: list[float]) -> float:
    ordered = np.array(sorted(scores, reverse=True), np.float32)
    return float(roll_up(ordered, np.array([0]))[0])


def test_rare_terms_tell_more_than_common_ones() -> None:
    stats = TermStats(1000, 10.0, {"a": 1, "b": 10, "c": 999})
    idf = term_weights(stats, {"a": 1.0, "b": 1.0, "c": 1.0})
    assert idf[0] > idf[1] > idf[2] > 0
    assert term_weights(stats, {"b": 3.0})[0] == np.float32(3 * idf[1])


def test_a_neighbour_lends_its_terms_and_distance_fades_them() -> None:
    idf = np.array([1.0, 1.0], np.float32)
    alone = text_scores(units([[1, 0], [0, 1]], [1, 2], [5, 5]), idf, 10, 3)
    near = text_scores(units([[1, 0], [0, 1]], [1, 1], [5, 15]), idf, 10, 3)
    far = text_scores(units([[1, 0], [0, 1]], [1, 1], [5, 300]), idf, 10, 3)
    assert near[0] > alone[0]
    assert alone[0] < far[0] + 0.02 < near[0]


def test_a_term_counts_once_however_many_neighbours_have_it() -> None:
    idf = np.array([1.0], np.float32)
    one = text_scores(units([[1, 0]], [1, 1], [5, 15]), idf, 10, 3)
    many = text_scores(units([[1, 1, 1]], [1, 1, 1], [5, 15, 25]), idf, 10, 3)
    assert many[1] <= max(one[0], many[0])


def test_the_name_of_the_owner_tells_little_of_their_own_memories() -> None:
    ann = Owner(Scope(), "user", "ann-marie")
    assert looked_for("Where does Ann Marie work?", ann) == {"ann": OF_OWNER, "mari": OF_OWNER, "work": 1.0}
    assert looked_for("Where does Ann Marie work?")["ann"] == 1.0
    nobody = Owner(Scope(), "user", "default")
    assert looked_for("the default branch", nobody)["default"] == 1.0, "that is a word"


def test_a_query_without_usable_terms_scores_nothing() -> None:
    empty = text_scores(units([], [1, 2], [5, 5]), np.zeros(0, np.float32), 10, 3)
    assert empty.tolist() == [0, 0]


def test_unrelated_text_has_no_dense_score_and_identical_text_all() -> None:
    assert dense_scores(np.array([-1, 0.1, 1.0], np.float32), 0.4).tolist() == [0, 0, 1]


def test_meaning_is_drawn_towards_what_stands_beside_it_in_the_same_memory() -> None:
    near = replace(units([], [1, 1, 1, 2, 2], [5, 15, 25, 5, 15]), cosine=np.array([0.9, 0.5, 0.5, 0.8, 0], np.float32))
    first = (0.9 + CONTEXT * 0.5) / (1 + CONTEXT)
    second = (0.5 + CONTEXT * (0.9 + 0.5)) / (1 + 2 * CONTEXT)
    assert np.allclose(in_context(near), [first, second, 0.5, 0.8, 0])


@settings(max_examples=100, deadline=None)
@given(SCORES)
def test_a_memory_is_worth_at_least_its_best_turn_and_at_most_one(scores: list[float]) -> None:
    worth = whole(scores)
    assert max(scores) - 1e-6 <= worth <= 1 + 1e-6


@settings(max_examples=100, deadline=None)
@given(SCORES, st.floats(0, 1))
def test_another_matching_turn_never_lowers_a_memory(scores: list[float], extra: float) -> None:
    assert whole([*scores, extra]) >= whole(scores) - 1e-6


@settings(max_examples=100, deadline=None)
@given(st.floats(0, 1), st.floats(0, 2), st.floats(0, 2))
def test_further_evidence_adds_up_and_stays_at_most_one(score: float, more: float, again: float) -> None:
    assert score - 1e-9 <= added(score, more) <= 1
    assert added(score, 0) == pytest.approx(score)
    assert added(added(score, more), again) == pytest.approx(added(score, more + again)), "in whatever order"
    if score + more <= BEND:
        assert added(score, more) == score + more


def test_memories_are_rolled_up_each_by_itself() -> None:
    worth = roll_up(np.array([0.8, 0.4, 0.5], np.float32), np.array([0, 2]))
    assert worth.tolist() == [np.float32(whole([0.8, 0.4])), np.float32(0.5)]


def test_sources_are_brought_to_one_scale_each_by_its_own_mean_and_spread() -> None:
    many, few = z_scores([[0.9] * 10 + [0.5] * 10, [0.3, 0.1]])
    assert many[0] > 0 > many[-1]
    assert few[0] > few[1]
    assert z_scores([[], [0.5]]) == [[], [0.0]]
