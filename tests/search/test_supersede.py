"""The present answers a question before the past does, and the past can still be asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everlore.config import load
from everlore.engine import Engine, open_engine
from everlore.memory import NewMessage, flush, remember
from everlore.search import METHODS, Method, Query, Recall, Recipe, recall
from everlore.search.recipes import CONTEXT, HYBRID, RECALL, RECORDS, SEARCH, SEARCH_TEXT
from everlore.search.supersede import ENDED, PAST
from everlore.sync.embedding import embed_pending
from everlore.types import Owner, Predicate, Scope

DAY = 86_400_000
START = 1_779_967_836_000
"""28 May 2026."""
CYD = Owner(Scope(), "user", "cyd")
RECIPES = [*METHODS.values(), CONTEXT, RECALL, SEARCH, SEARCH_TEXT, RECORDS]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = open_engine(load(memory={"root": tmp_path_factory.mktemp("vault")}))
    tell(opened, "boston", 0, "I live in Boston with my parrot.", "I work for Google.")
    tell(opened, "balcony", 10, "The tomatoes on the balcony ripen slowly.")
    tell(opened, "seattle", 30, "I moved to Seattle.")
    tell(opened, "denver", 60, "I moved to Denver.", "The train was late.")
    while embed_pending(opened, 100):
        pass
    yield opened
    opened.close()


def tell(engine: Engine, session: str, day: int, *texts: str) -> None:
    said = [
        NewMessage("cyd", "user", START + day * DAY + at * 1000, text, sender_name="Cyd")
        for at, text in enumerate(texts)
    ]
    remember(engine, Scope(), session, said)
    flush(engine, Scope(), session)


def ask(engine: Engine, text: str, method: Method = "hybrid", **more: object) -> Recall:
    return recall(engine, Query(CYD, text, 10, explain=True, **more), METHODS[method])  # type: ignore[arg-type]


def sessions(found: Recall) -> list[str]:
    return [hit.stored.session_id for hit in found.hits["episode"]]


def facts(found: Recall, session: str) -> list[str]:
    hits = (hit for hit in found.hits["episode"] if hit.stored.session_id == session)
    return [str(fact.stored.data["content"]) for hit in hits for fact in hit.facts]


@pytest.mark.parametrize("method", ["hybrid", "agentic"])
@pytest.mark.parametrize("question", ["Where do I live?", "Where does Cyd live?", "In which city is my home?"])
def test_what_holds_now_comes_before_what_held_once(engine: Engine, method: Method, question: str) -> None:
    found = ask(engine, question, method)
    assert sessions(found)[0] == "denver"
    assert facts(found, "denver")[0] == "Cyd moved to Denver."
    assert {"boston", "seattle"} < set(sessions(found)), "nothing is hidden"
    assert all(0 <= hit.score <= 1 for hit in found.hits["episode"])
    told = found.trace["stages"][0]["superseded"]
    assert {one["by"] for one in told} == {"cyd_af_20260727_00000001"}, "the last of the chain"


def test_what_still_holds_in_an_old_memory_is_not_put_back(engine: Engine) -> None:
    for question in ("Where do I work?", "Do I have a parrot?", "What was my home in Boston like?"):
        found = ask(engine, question)
        assert sessions(found)[0] == "boston", question


def test_one_who_asks_for_a_time_gets_what_held_then(engine: Engine) -> None:
    found = ask(engine, "Where did I live in May 2026?")
    assert sessions(found)[0] == "boston"
    assert found.trace["stages"][0]["superseded"] == []


@pytest.mark.parametrize("question", ["Do I live in Boston?", "Do I still live in Boston?", "Does Cyd live in Boston?"])
def test_who_asks_whether_something_holds_is_told_what_does(engine: Engine, question: str) -> None:
    for recipe in (HYBRID, RECALL):
        hits = recall(engine, Query(CYD, question, 10), recipe).hits["episode"]
        assert hits[0].stored.session_id == "denver"


def test_who_asks_whether_something_held_is_told_that(engine: Engine) -> None:
    for question in ("Did I live in Boston?", "Is the parrot in Boston loud?"):
        assert sessions(ask(engine, question))[0] == "boston", question


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_every_recipe_puts_what_has_ended_behind_what_replaced_it(engine: Engine, recipe: Recipe) -> None:
    hits = recall(engine, Query(CYD, "Where do I live?", 10, explain=True), recipe).hits["episode"]
    order = [hit.stored.session_id for hit in hits]
    assert order[0] == "denver"
    past = hits[order.index("boston")]
    assert ENDED in past.moved
    worth = recall(engine, Query(CYD, "Where do I live?", 10), recipe.but("as told", supersede=False)).hits["episode"]
    told = next(hit.score for hit in worth if hit.stored.session_id == "boston")
    assert past.score == pytest.approx(PAST * told, abs=1e-5)
    assert past.score < told
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    said = past.passages[0]
    assert (said.text, said.ended_by) == ("I live in Boston with my parrot.", "Cyd moved to Denver.")
    assert said.valid_until is not None
    assert hits[0].passages[0].valid_until is None


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_what_has_ended_stands_behind_though_its_turn_says_what_still_holds(tmp_path: Path, recipe: Recipe) -> None:
    opened = open_engine(load(memory={"root": tmp_path}))
    tell(opened, "utrecht", 0, "We moved into a flat in Utrecht, I live in Utrecht now.")
    tell(opened, "hallway", 20, "I painted the hallway yesterday.")
    tell(opened, "ghent", 40, "I moved to Ghent.")
    while embed_pending(opened, 100):
        pass
    found = recall(opened, Query(CYD, "Where do I live?", 5), recipe).best
    opened.close()
    assert found[0].stored.session_id == "ghent"


@pytest.mark.parametrize(
    "question", ["Who is Cyd's partner?", "What is the greyhound of Cyd called?", "What can Cyd not stand?"]
)
def test_a_question_about_another_matter_of_the_talk_is_not_put_back(tmp_path: Path, question: str) -> None:
    opened = open_engine(load(memory={"root": tmp_path}))
    first = ("I'm Cyd, I work as a nurse in Porto.", "My partner Luis and I got a greyhound called Pixel.")
    tell(opened, "nurse", 0, *first, "I can't stand cilantro.")
    tell(opened, "academy", 30, "I work as a teacher now.", "Luis is in Spain.")
    while embed_pending(opened, 100):
        pass
    found = ask(opened, question)
    ended = [passage for hit in ask(opened, "Is Cyd a nurse?").hits["episode"] for passage in hit.passages]
    opened.close()
    assert any(passage.valid_until for passage in ended), "else there is nothing to be mistaken about"
    assert sessions(found)[0] == "nurse"


def test_what_the_present_says_too_and_the_sort_that_is_asked_for_name_no_past(tmp_path: Path) -> None:
    opened = open_engine(load(memory={"root": tmp_path}))
    tell(opened, "mondays", 0, "I go to the gym on Mondays.")
    tell(opened, "vim", 10, "I use Vim as my editor.")
    tell(opened, "fridays", 40, "I go to the gym on Fridays now.")
    tell(opened, "emacs", 50, "I switched to Emacs.")
    while embed_pending(opened, 100):
        pass
    asked = ("On which day do I go to the gym?", "Which editor do I use?", "Did I go to the gym on Mondays?")
    found = [recall(opened, Query(CYD, one, 5), HYBRID).best[0].stored.session_id for one in asked]
    opened.close()
    assert found == ["fridays", "emacs", "mondays"]


def test_a_filter_that_leaves_the_present_out_keeps_it_out(engine: Engine) -> None:
    before = Predicate("timestamp", "lt", START + 40 * DAY)
    found = ask(engine, "Where do I live?", filter=before)
    assert "denver" not in sessions(found)
    assert set(sessions(found)) >= {"boston", "seattle"}


def test_a_memory_that_the_question_does_not_meet_itself_is_brought_in(tmp_path: Path) -> None:
    engine = open_engine(load(memory={"root": tmp_path}))
    tell(engine, "boston", 0, "I live in Boston.")
    for number in range(40):
        tell(engine, f"s{number}", number + 1, f"My train number {number} to the mountains moved slowly.")
    tell(engine, "seattle", 50, "I moved to Seattle.")
    while embed_pending(engine, 100):
        pass
    found = recall(engine, Query(CYD, "Where do I live?", 3), HYBRID)
    assert sessions(found)[:2] == ["seattle", "boston"]
    engine.close()
