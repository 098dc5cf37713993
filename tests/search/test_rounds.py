"""Further rounds: learn from what was found, look again, and stop when nothing changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from embeddings import Endpoint
from llm import KEY, Llm, Said, scripted, sensible
from vaults import ALICE, DAY, MAY_28, SCOPE, open_vault, says

from everlore.engine import Engine
from everlore.memory import flush, remember
from everlore.search import Query, Recall, recall
from everlore.search.recipes import AGENTIC, HYBRID
from everlore.search.rounds import FOLLOWED, FURTHER_QUERY, ROUNDS
from everlore.sync.embedding import embed_pending
from everlore.types import Owner, Scope

ANN = Owner(Scope(), "user", "ann")
TALKS = ("The dentist repaired my tooth.", "Okonkwo won the regatta.", "The tomatoes ripen slowly.")


@pytest.fixture(scope="module")
def llm() -> Iterator[Llm]:
    with scripted() as served:
        yield served


@pytest.fixture
def led(tmp_path: Path, vectors: Endpoint, llm: Llm) -> Iterator[Engine]:
    """A vault with a language model, which is asked only when it is searched."""
    root = tmp_path / "vault"
    plain = open_vault(root, vectors.url)
    for number, text in enumerate(TALKS):
        remember(plain, SCOPE, f"s{number}", [says(text, at=MAY_28 + number * DAY)])
        flush(plain, SCOPE, f"s{number}")
    embed_pending(plain, 100)
    plain.close()
    opened = open_vault(root, vectors.url, llm={"base_url": llm.url, "api_key": KEY, "model": "scripted"})
    yield opened
    opened.close()
    llm.otherwise = sensible


def scores(found: Recall) -> dict[str, float]:
    return {hit.stored.session_id: hit.score for hit in found.hits["episode"]}


def rounds(found: Recall) -> list[dict[str, object]]:
    told: list[dict[str, object]] = found.trace["stages"][0]["rounds"]
    return told


def test_words_are_learned_until_the_best_stay_the_same(told: Engine) -> None:
    found = recall(told, Query(ANN, "Who waters the tomatoes?", 10, explain=True), AGENTIC)
    each = rounds(found)
    assert 1 <= len(each) < ROUNDS
    assert [one["round"] for one in each] == list(range(2, 2 + len(each)))
    assert [one["settled"] for one in each[:-1]] == [False] * (len(each) - 1)
    learned = {word for one in each for word in one["learned"]}  # type: ignore[attr-defined]
    assert "compost" in learned
    assert not {"water", "tomato"} & learned, "the question's own words are not learned"


def test_what_one_round_found_stays(told: Engine) -> None:
    for question in ("Who waters the tomatoes?", "Where do I live?", "compost"):
        once, again = (scores(recall(told, Query(ANN, question), recipe)) for recipe in (HYBRID, AGENTIC))
        assert once.keys() <= again.keys()
        assert next(iter(once)) == next(iter(again))


def test_one_round_is_all_where_the_recipe_has_no_more(told: Engine) -> None:
    assert rounds(recall(told, Query(ANN, "compost", 10, explain=True), HYBRID)) == []


def test_a_language_model_asks_for_what_is_missing(led: Engine, llm: Llm) -> None:
    llm.script.append(Said({"sufficient": False, "queries": ["Okonkwo regatta"]}))
    found = recall(led, Query(ALICE, "Who repaired the tooth?", 10, explain=True), AGENTIC)
    (told,) = rounds(found)
    assert (told["sufficient"], told["queries"]) == (False, ["Okonkwo regatta"])
    hit = next(hit for hit in found.hits["episode"] if hit.stored.session_id == "s1")
    assert FURTHER_QUERY in hit.moved
    alone = recall(led, Query(ALICE, "Okonkwo regatta", 10), HYBRID)
    assert hit.score == pytest.approx(FOLLOWED * scores(alone)["s1"], abs=1e-5)
    assert hit.score < scores(alone)["s1"], "the question's own answers go first"
    assert hit.score < scores(alone)["s1"]
    assert found.usage.requests == 1


def test_a_model_that_has_enough_changes_nothing(led: Engine, llm: Llm) -> None:
    llm.script.append(Said({"sufficient": True, "queries": ["regatta"]}))
    deep = recall(led, Query(ALICE, "Who repaired the tooth?", 10), AGENTIC)
    assert scores(deep) == scores(recall(led, Query(ALICE, "Who repaired the tooth?", 10), HYBRID))


def test_without_its_answer_the_local_rounds_stand(led: Engine, llm: Llm) -> None:
    llm.otherwise = Said(status=401)
    found = recall(led, Query(ALICE, "Who repaired the tooth?", 10, explain=True), AGENTIC)
    first, *others = rounds(found)
    assert str(first["model"]).startswith("did not answer: ")
    assert all("learned" in one for one in others)
    assert next(iter(scores(found))) == "s0"
