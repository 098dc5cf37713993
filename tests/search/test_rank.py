"""One pass: units are rolled up to memories, those of the time asked for are raised, the best are kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from vaults import DAY, MAY_28

from everlore.config import load
from everlore.engine import Engine, open_engine
from everlore.memory import save_note
from everlore.search.candidates import Ask
from everlore.search.query import Parts
from everlore.search.rank import IN_TIME, SAME, SHARED_NAMES, Ranked, leading, rank
from everlore.search.recipes import HYBRID, RECALL, Recipe
from everlore.search.score import BY_ASSISTANT, added, looked_for
from everlore.search.vectors import unrelated_cosine
from everlore.sync.embedding import embed_pending
from everlore.types import Owner, Scope, Where

ANN = Owner(Scope(), "user", "ann")


def asking(engine: Engine, text: str, recipe: Recipe = HYBRID, keep: int = 10) -> Ask:
    where = Where(ANN, ("episode",))
    vector = engine.embedder.query(text)
    return Ask(text, looked_for(text), vector, where, limit=30, keep=keep, radius=None, recipe=recipe)


def by_session(engine: Engine, memories: list[Ranked]) -> dict[str, Ranked]:
    stored = engine.index.rows.stored(one.row for one in memories)
    return {stored[one.row].session_id: one for one in memories}


def test_the_best_come_first_with_the_steps_to_their_scores(told: Engine) -> None:
    ranking = rank(told, asking(told, "Who waters the tomatoes?"))
    scores = [one.score for one in ranking.memories]
    assert scores == sorted(scores, reverse=True)
    assert next(iter(by_session(told, ranking.memories))) == "garden"
    assert all(one.steps[-1][1] == one.score for one in ranking.memories)
    assert ranking.idf.keys() == {"water", "tomato"}
    best = ranking.memories[0]
    assert max(best.turns.values(), key=lambda turn: turn.score).turn == 1


def test_the_time_asked_for_is_preferred_in_one_pass_and_hides_nothing(told: Engine) -> None:
    ask = asking(told, "What did I say?")
    plain = by_session(told, rank(told, ask).memories)
    around = (MAY_28 + 89 * DAY, MAY_28 + 91 * DAY)
    raised = by_session(told, rank(told, replace(ask, favoured=around)).memories)
    assert raised.keys() == plain.keys()
    for session, one in raised.items():
        before = plain[session].score
        within = 1 - (1 - before) * (1 - HYBRID.time)
        assert one.score == pytest.approx(within if session == "wedding" else before)
        assert (IN_TIME in [why for why, _ in one.steps]) == (session == "wedding")


def test_a_note_that_shares_a_name_with_the_best_one_is_raised_past_one_that_shares_a_word(tmp_path: Path) -> None:
    engine = open_engine(load(memory={"root": tmp_path}))
    texts = ("Erik Satie was born in Honfleur.", "Honfleur lies on the Seine.", "Rivers rise in the mountains.")
    best, second, other = (save_note(engine, ANN, text).global_id for text in texts)
    while embed_pending(engine, 100):
        pass
    ask = asking(engine, "On which river is the birthplace of Erik Satie?")
    notes = replace(ask, where=Where(ANN, ("note",)))
    for recipe, order in ((HYBRID, [best, second, other]), (HYBRID.but("plain", graph=0.0), [best, other, second])):
        ranking = rank(engine, replace(notes, recipe=recipe))
        stored = engine.index.rows.stored(one.row for one in ranking.memories)
        assert [stored[one.row].key.global_id for one in ranking.memories] == order
        for one in ranking.memories:
            assert one.score == pytest.approx(added(one.steps[0][1], recipe.graph * one.parts.graph))
            assert (SHARED_NAMES in [why for why, _ in one.steps]) == (one.parts.graph > 0)
    engine.close()


def test_parts_count_what_an_assistant_said_less_too(told: Engine) -> None:
    ask = asking(told, "Does compost smell less with dry leaves?", RECALL)
    garden = by_session(told, rank(told, ask).memories)["garden"]
    shares = [(BY_ASSISTANT if turn.by_assistant else 1.0, turn) for turn in garden.turns.values()]
    assert max((turn.cosine, share) for share, turn in shares)[1] == BY_ASSISTANT
    low = unrelated_cosine(told, RECALL)
    assert garden.parts.words == pytest.approx(max(share * turn.text for share, turn in shares))
    assert garden.parts.meaning == pytest.approx(low + (1 - low) * max(share * turn.meaning for share, turn in shares))


def test_a_sum_of_parts_is_the_sum_of_its_parts(told: Engine) -> None:
    for one in rank(told, asking(told, "Who waters the tomatoes?", RECALL)).memories:
        parts = one.parts
        total = RECALL.meaning * parts.meaning + RECALL.words * parts.words + RECALL.graph * parts.graph
        assert one.score == pytest.approx(total, abs=1e-5)


def test_nothing_found_is_an_empty_ranking(told: Engine) -> None:
    nothing = rank(told, replace(asking(told, "helicopter"), vector=None))
    assert (nothing.memories, nothing.found) == ([], 0)


def test_equals_of_the_last_are_kept_with_it() -> None:
    scores = [0.5, 0.9, 0.5 - SAME / 2, 0.1]
    memories = [Ranked(row, f"cell{row}", score, {}) for row, score in enumerate(scores)]
    assert [one.row for one in leading(memories, 2)] == [1, 0, 2]
    assert [one.row for one in leading(memories, 9)] == [1, 0, 2, 3]
    assert leading(memories, 0) == []


def test_parts_move_with_the_score() -> None:
    half = Ranked(1, "cell", 0.8, {}, (("found", 0.8),), Parts(1.0, 0.6)).moved("half", lambda score: score / 2)
    assert (half.score, half.parts) == (0.4, Parts(0.5, 0.3))
    assert half.steps == (("found", 0.8), ("half", 0.4))
