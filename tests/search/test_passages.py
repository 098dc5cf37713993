"""The sentence that answers is shown, with who said it, when, and whether it still holds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from vaults import DAY, MAY_28, says

from everlore.config import load
from everlore.engine import Engine, open_engine
from everlore.memory import flush, remember
from everlore.search import METHODS, Hit, Query, recall
from everlore.search.passages import ASKS, BRIEF, likeness
from everlore.search.recipes import CONTEXT, HYBRID, KEYWORD, RECALL, RECORDS, SEARCH, SEARCH_TEXT, Recipe
from everlore.sync.embedding import embed_pending
from everlore.types import Owner, Scope

ANN = Owner(Scope(), "user", "ann")
MINUTE = 60_000


CYD = Owner(Scope(), "user", "cyd")
CHANGED = {
    "siemens": (0, ["I work at Siemens in Munich. After work I like the beer in Munich."]),
    "bosch": (60, ["I started at Bosch last week."]),
    "mozilla": (120, ["I now work at Mozilla."]),
    "alone": (124, ["I am single."]),
    "tom": (127, ["I left the office early. By the way, I got engaged to Tom."]),
    "both": (130, ["My favorite color is blue.", "The train was late.", "My favorite color is green now."]),
}
MIDNIGHT = MAY_28 - MAY_28 % DAY


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Someone whose name has digits said things that have ended since, and talked over midnight."""
    # midnight of the files' clock, UTC, is nine in the morning there: a talk goes on
    engine = open_engine(load(memory={"root": tmp_path_factory.mktemp("changed"), "timezone": "Asia/Tokyo"}))
    talks = {name: (MAY_28 + day * DAY, lines) for name, (day, lines) in CHANGED.items()}
    talks["night"] = (MIDNIGHT - MINUTE, [f"The moon over the harbour {does}." for does in ("rose", "hides", "sank")])
    for session, (begin, lines) in talks.items():
        said = [says(line, "cyd", begin + at * MINUTE, sender_name="Cyd42") for at, line in enumerate(lines)]
        remember(engine, Scope(), session, said)
        flush(engine, Scope(), session)
    while embed_pending(engine, 100):
        pass
    yield engine
    engine.close()


def hits(engine: Engine, question: str, recipe: Recipe = HYBRID, owner: Owner = ANN) -> dict[str, Hit]:
    found = recall(engine, Query(owner, question, 10), recipe).hits["episode"]
    return {hit.stored.session_id: hit for hit in found}


@pytest.mark.parametrize(
    "recipe", [*METHODS.values(), CONTEXT, RECALL, SEARCH, SEARCH_TEXT, RECORDS], ids=lambda r: r.name
)
def test_the_sentence_that_answers_is_the_passage(told: Engine, recipe: Recipe) -> None:
    hit = hits(told, "Who waters the tomatoes on Sundays?", recipe)["garden"]
    said = hit.passages[0]
    assert said.text == "My sister Maria waters them on Sundays."
    assert (said.speaker, said.turn) == ("Ann", 2)
    assert said.time // MINUTE == (MAY_28 + 10 * DAY + MINUTE) // MINUTE
    assert (said.valid_until, said.ended_by) == (None, "")
    assert 0 < said.score <= hit.score


def test_of_sentences_without_a_word_of_the_question_the_one_that_means_it_is_shown(told: Engine) -> None:
    assert hits(told, "What stinks?")["garden"].passages[0].text == "The compost smells."


def test_an_assistant_is_named_as_the_speaker(told: Engine) -> None:
    said = hits(told, "dry leaves", KEYWORD)["garden"].passages[0]
    assert (said.text, said.turn) == ("Compost smells less with dry leaves in it.", 3)
    assert said.speaker != "Ann"


def test_what_has_ended_says_until_when_and_what_replaced_it(told: Engine) -> None:
    found = hits(told, "Where do I live?")
    old, new = found["home"].passages[0], found["moved"].passages[0]
    assert (old.text, old.ended_by) == ("I live in Rome.", "Ann moved to Lisbon.")
    assert (old.valid_from, old.valid_until) == (MAY_28, MAY_28 + 60 * DAY)
    assert (new.text, new.valid_from, new.valid_until, new.ended_by) == (
        "I moved to Lisbon.",
        MAY_28 + 60 * DAY,
        None,
        "",
    )


def test_only_the_sentence_that_states_it_has_ended(told: Engine) -> None:
    """ "I am single." is told as "Ann is single.": one word is the same."""
    single, rent = (hits(told, question)["single"].passages[0] for question in ("Am I single?", "Is the rent cheap?"))
    assert (single.text, single.ended_by) == ("I am single.", "Ann got married.")
    assert (rent.text, rent.ended_by, rent.valid_until) == ("The rent is cheap here.", "", None)


def test_a_sentence_has_ended_though_the_fact_says_more_than_it(changed: Engine) -> None:
    """The fact has the date that "last week" means, and a name of three words: Cyd42, Cyd and 42."""
    said = hits(changed, "When did I start at Bosch?", owner=CYD)["bosch"].passages[0]
    assert (said.text, said.ended_by) == ("I started at Bosch last week.", "Cyd42 now works at Mozilla.")


def test_of_the_sentences_of_a_turn_the_one_that_says_most_of_a_fact_has_ended(changed: Engine) -> None:
    work, beer = (hits(changed, asked, owner=CYD)["siemens"].passages[0] for asked in ("Siemens", "Do I like beer?"))
    assert (work.text, work.ended_by) == ("I work at Siemens in Munich.", "Cyd42 now works at Mozilla.")
    assert (beer.text, beer.ended_by) == ("After work I like the beer in Munich.", "")


def test_within_a_hit_what_has_ended_stands_behind_what_holds(changed: Engine) -> None:
    said = hits(changed, "What is my favorite color?", owner=CYD)["both"].passages
    assert [one.text for one in said] == ["My favorite color is green now.", "My favorite color is blue."]
    assert said[1].ended_by == "Cyd42's favorite color is green now."


@pytest.mark.parametrize("recipe", [*METHODS.values(), CONTEXT, RECALL, SEARCH_TEXT], ids=lambda r: r.name)
def test_of_what_answers_now_the_sentence_is_shown_that_replaced_what_was_met(changed: Engine, recipe: Recipe) -> None:
    assert hits(changed, "Am I single?", recipe, CYD)["tom"].passages[0].text == "By the way, I got engaged to Tom."


def test_what_was_said_before_midnight_was_said_the_day_before(changed: Engine) -> None:
    asked = {-1: "rose", 0: "hides", 1: "sank"}
    told = {minute: hits(changed, word, KEYWORD, CYD)["night"].passages[0].time for minute, word in asked.items()}
    assert told == {minute: MIDNIGHT + minute * MINUTE for minute in asked}


def test_a_sentence_holds_from_when_it_was_said(told: Engine) -> None:
    """Not from the end of its talk."""
    first, later = (hits(told, word, KEYWORD)["garden"].passages[0] for word in ("ripen", "dry"))
    assert first.valid_from == first.time < later.time == later.valid_from


def test_a_quotation_that_asks_or_is_short_is_worth_less_than_its_turn(changed: Engine) -> None:
    asked = "Is the night ferry from Piraeus to the island of Naxos late again?"
    for number, line in enumerate((asked, "Oh, Naxos!")):
        remember(changed, Scope(), "ferry", [says(line, "dan", MAY_28 + number * MINUTE, sender_name="Dan")])
    flush(changed, Scope(), "ferry")
    found = recall(changed, Query(Owner(Scope(), "user", "dan"), "ferry Naxos", 5, explain=True), HYBRID)
    [result] = found.trace["stages"][0]["results"]
    worth = {turn["turn"]: turn["score"] for turn in result["turns"]}
    quoted = {int(fact.stored.data["turn"]) + 1: fact.score for fact in found.hits["episode"][0].facts}
    assert quoted == {1: pytest.approx(ASKS * worth[1], abs=1e-5), 2: pytest.approx(BRIEF * worth[2], abs=1e-5)}


def test_there_are_at_most_as_many_as_the_recipe_has(told: Engine) -> None:
    for most in (0, 1, 2):
        found = hits(told, "tomatoes and compost", HYBRID.but("few", passages=(most, most) if most else ()))
        assert max(len(hit.passages) for hit in found.values()) <= most
    scores = [one.score for hit in hits(told, "compost").values() for one in hit.passages[:1]]
    assert all(0 <= score <= 1 for score in scores)


def test_a_text_that_the_index_does_not_hold_is_compared_by_words_and_meaning(told: Engine) -> None:
    lines = ["Ann's sister waters the tomatoes.", "Somebody cares for vegetables.", "The bank is closed on Mondays."]
    worded, meant, unrelated = likeness(told, "Who waters the tomatoes?", [(ANN, line) for line in lines])
    assert worded > meant > unrelated
    assert likeness(told, "tomatoes", []) == []
