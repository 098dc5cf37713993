"""What the profile says after talks: of users with any id, and of what has changed since."""

from __future__ import annotations

import pytest
from vaults import DAY, MAY_28, SCOPE, facts, in_files, says

from everlore.engine import Engine
from everlore.memory import flush, listing, profile, remember
from everlore.types import Owner


def tell(engine: Engine, *texts: str, sender: str = "bob", name: str | None = None) -> Owner:
    """A talk for each text, thirty days apart."""
    for number, text in enumerate(texts):
        remember(engine, SCOPE, f"s{number}", [says(text, sender, MAY_28 + number * 30 * DAY, sender_name=name)])
        assert flush(engine, SCOPE, f"s{number}")
    return Owner(SCOPE, "user", sender)


def described(engine: Engine, owner: Owner) -> list[str]:
    stored = profile(engine, owner)
    return [info["description"] for info in stored.data["explicit_info"]] if stored else []


@pytest.mark.parametrize(
    ("sender", "name", "called"),
    [
        ("user123", None, "user123"),
        ("user_42", None, "user_42"),
        ("tg:42", None, "tg:42"),
        ("john@example.com", None, "john@example.com"),
        ("t1", "tom k.", "tom k."),
    ],
)
def test_a_name_without_a_capital(engine: Engine, sender: str, name: str | None, called: str) -> None:
    said = "I am allergic to peanuts. My wife is called Anna. I live in Bonn."
    owner = tell(engine, said, "I moved to Rome.", sender=sender, name=name)
    told = [f"{called} is allergic to peanuts.", f"{called}'s wife is called Anna.", f"{called} lives in Bonn."]
    assert [fact["content"] for fact in facts(engine, owner)] == [*told, f"{called} moved to Rome."]
    assert set(described(engine, owner)) == {*told[:2], f"{called} moved to Rome."}
    episode = listing(engine, owner, "episode").rows[1]
    assert episode.data["subject"] == f"{called}: wife is called Anna; lives in Bonn (28 May 2026)"


@pytest.mark.parametrize(
    ("first", "then", "left"),
    [
        ("I work at Siemens.", "I no longer work at Siemens.", []),
        ("I work at Siemens.", "I quit Siemens, I'm now at BMW.", ["Bob quit Siemens, Bob is now at BMW."]),
        ("I work at Siemens.", "I quit Siemens, I'm freelancing now.", []),
        ("My number is 123456.", "My number changed, it's 654321.", []),
        ("My email is a@b.com.", "my email has changed to c@d.com", ["Bob's email has changed to c@d.com"]),
        ("I work at Siemens.", "I left Siemens and joined BMW.", ["Bob left Siemens and joined BMW."]),
        ("I work at Siemens.", "I'm working for BMW now.", ["Bob is working for BMW now."]),
        ("I work at Siemens.", "I got laid off.", []),
        ("I'm vegan.", "I'm not vegan anymore.", []),
        ("I'm allergic to cats.", "I'm no longer allergic to cats.", []),
        ("I live in Berlin.", "I don't live in Berlin any more.", []),
    ],
)
def test_the_last_word_counts(engine: Engine, first: str, then: str, left: list[str]) -> None:
    owner = tell(engine, first, then)
    assert described(engine, owner) == left
    told = sorted((row for row in in_files(engine)[1] if row.key.kind == "fact"), key=lambda row: row.timestamp)
    assert told[0].validity.end == MAY_28 + 30 * DAY
    assert {row.validity.end for row in told[1:]} == {None}


@pytest.mark.parametrize(
    ("first", "then", "left"),
    [
        (
            "Hallo, ich heiße Peter und wohne in Graz.",
            "Ich wohne jetzt in Wien.",
            ["Ich heiße Peter.", "Ich wohne jetzt in Wien."],
        ),
        ("J'habite à Lyon. J'aime le café.", "Je n'habite plus à Lyon.", ["J'aime le café."]),
        ("Sono vegano.", "Non sono più vegano.", []),
        ("Soy de Sevilla. Vivo en Madrid.", "Me mudé a Bilbao.", ["Soy de Sevilla.", "Me mudé a Bilbao."]),
    ],
)
def test_other_languages_are_kept_as_they_were_said(engine: Engine, first: str, then: str, left: list[str]) -> None:
    owner = tell(engine, first, then)
    assert described(engine, owner) == [f'Bob said: "{words}"' for words in left]


def test_what_was_lost_before_does_not_end_what_is(engine: Engine) -> None:
    owner = tell(engine, "I work at BMW.", "I was fired from Siemens in 2010.")
    assert described(engine, owner) == ["Bob works at BMW."]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("I live in Berlin and I work at Siemens as an engineer.", "Bob works at Siemens as an engineer."),
        ("I live in Berlin and work at Siemens.", "Bob works at Siemens."),
        ("My wife is called Anna and I live in Berlin.", "Bob's wife is called Anna."),
        ("I live in Berlin but my parents are from Rome.", "Bob's parents are from Rome."),
    ],
)
def test_the_other_half_of_a_statement_stays(engine: Engine, said: str, left: str) -> None:
    owner = tell(engine, said, "I moved to Munich.")
    assert set(described(engine, owner)) == {left, "Bob moved to Munich."}


@pytest.mark.parametrize(
    "said",
    [
        "My brother lives in Rome and works at FAO.",
        "I have a brother who lives in Rome and works at FAO.",
        "I have two dogs and I love walks with them.",
    ],
)
def test_a_statement_whose_halves_need_each_other_stays_whole(engine: Engine, said: str) -> None:
    assert len(described(engine, tell(engine, said))) == 1


def test_a_summary_is_never_empty_while_there_is_something_to_say(engine: Engine) -> None:
    owner = tell(engine, "I want to climb El Capitan one day. I am vegetarian.")
    stored = profile(engine, owner)
    assert stored is not None
    assert stored.data["summary"] == "Bob is vegetarian. Bob wants to climb El Capitan one day."
    tell(engine, "I live in Bonn.")
    stored = profile(engine, owner)
    assert stored is not None
    assert stored.data["summary"] == "Bob lives in Bonn."


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("My boss is Karen.", "My boss is annoying."),
        ("My birthday is March 5.", "My birthday is coming up next week."),
        ("My favorite restaurant is Luigi's.", "My favorite restaurant is closed on Mondays."),
        ("My hometown is Graz.", "My hometown is beautiful in winter."),
        ("My weight is 80 kg.", "My weight is a big problem."),
        ("I live in Berlin.", "I'm living in Vienna for the summer."),
        ("I live in Berlin.", "I live in Hamburg during the week."),
        ("I drive a Toyota Corolla.", "I drive a BMW at work."),
        ("I work at Siemens.", "I work at BMW on weekends."),
        ("I love jazz.", "I hate jazz when I'm tired."),
        ("My dog is called Rex.", "My dog is called Bella."),
        ("My daughter is called Mia.", "My daughter is called Emma."),
        ("My wife is called Anna.", "I got divorced in 2010, before I met her."),
        ("My girlfriend is called Eva.", "I broke up with Lisa when I was 17."),
        ("I work at Siemens.", "I'm at IKEA now."),
        ("I live in Berlin.", "I moved to Paris in 2005."),
        ("I live in Berlin.", "I moved to Paris 20 years ago."),
        ("I work at Google.", "I started working at Apple in 2011."),
        ("I have two kids.", "I have three kids in my class."),
        ("I drink coffee.", "I can't drink coffee right now."),
        ("I hate jazz when I'm tired.", "I love jazz."),
        ("I'm a doctor.", "I'm a better driver now."),
        ("I'm single.", "I'm married to my job lol"),
        ("My wife is called Anna.", "My wife is called away a lot now."),
    ],
)
def test_a_remark_ends_nothing(engine: Engine, first: str, then: str) -> None:
    owner = tell(engine, first, then)
    told = sorted((row for row in in_files(engine)[1] if row.key.kind == "fact"), key=lambda row: row.timestamp)
    assert [row.validity.end for row in told] == [None, None]
    fact = str(told[0].data["content"])
    assert fact in described(engine, owner) or fact == "Bob drinks coffee."  # which is no line of a profile


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("My wife is called Anna.", "I got divorced."),
        ("I have a boyfriend, Mark.", "Mark and I broke up."),
        ("My girlfriend is called Eva.", "We broke up last week."),
        ("My cat is called Mimi.", "Mimi died last night."),
        ("i got a dog called rex", "rex passed away yesterday"),
        ("My favorite color is blue.", "My favourite colour is green now."),
        ("My favorite color is blue.", "My favorite color isn't blue."),
        ("My doctor is Dr. Weber.", "My doctor is Dr. Klein now."),
        ("My rent is 950 a month.", "My rent is 1,020 a month now."),
        ("I'm allergic to cats.", "Turns out I'm not allergic to cats."),
        ("I live in Berlin.", "Update: I moved to Rome."),
        ("I live in Berlin.", "Actually no, I moved to Hamburg."),
        ("I live in Munich.", "Actually I live in Augsburg, not Munich."),
        ("I live in Berlin.", "I moved to Rome in May."),
        ("I live in Munich.", "I live in Augsburg, not Munich."),
        ("i live in berlin", "i moved to hamburg last week"),
        ("I'm a nurse.", "I started a new job as a paramedic last week."),
        ("I work at Siemens.", "I'm at BMW these days."),
        ("I smoke.", "I quit smoking 3 weeks ago."),
        ("I live in Berlin.", "I moved to Paris in 2026."),
        ("I have been living in Prague since 2019.", "I relocated to Brno."),
        ("I've worked at IBM for ten years.", "I've left IBM."),
        ("I'm 29.", "I just turned 30!"),
    ],
)
def test_what_is_over_ends(engine: Engine, first: str, then: str) -> None:
    owner = tell(engine, first, then)
    told = sorted((row for row in in_files(engine)[1] if row.key.kind == "fact"), key=lambda row: row.timestamp)
    assert [row.validity.end for row in told] == [MAY_28 + 30 * DAY, None]
    assert str(told[0].data["content"]) not in described(engine, owner)


def test_what_almost_happened_is_not_listed(engine: Engine) -> None:
    assert described(engine, tell(engine, "I almost moved to Rome.", "I just turned 30!")) == ["Bob just turned 30!"]


def test_a_joke_is_not_listed(engine: Engine) -> None:
    assert described(engine, tell(engine, "Sure, I totally love waiting in line /s", "I'm a coffee machine lol")) == []


def test_a_name_with_brackets(engine: Engine) -> None:
    owner = tell(engine, "I live in Berlin.", "I moved to Rome.", sender="u1", name="Bob (he/him)")
    assert described(engine, owner) == ["Bob (he/him) moved to Rome."]


def test_two_people_of_one_name(engine: Engine) -> None:
    told = [("u1", "I live in Rome."), ("u2", "I live in Berlin."), ("u2", "I hate olives."), ("u1", "I love olives.")]
    talk = [says(text, sender, MAY_28 + at, sender_name="Alex") for at, (sender, text) in enumerate(told)]
    remember(engine, SCOPE, "s", talk)
    assert flush(engine, SCOPE, "s")
    assert {row.validity.end for row in in_files(engine)[1] if row.key.kind == "fact"} == {None}
    assert described(engine, Owner(SCOPE, "user", "u2")) == ["Alex lives in Berlin.", "Alex hates olives."]


def test_a_client_that_begins_to_send_a_name(engine: Engine) -> None:
    said = "I live in Rome. My favorite color is red. My cat is called Mimi."
    owner = tell(engine, said, sender="u7")
    now = "I live in Berlin. My favorite color is blue. Mimi died last night."
    remember(engine, SCOPE, "later", [says(now, "u7", MAY_28 + DAY, sender_name="Carla")])
    assert flush(engine, SCOPE, "later")
    assert described(engine, owner) == ["Carla lives in Berlin.", "Carla's favorite color is blue."]
    ended = [row for row in in_files(engine)[1] if row.key.kind == "fact" and row.validity.end]
    assert len(ended) == 3


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I live in Munich. Actually I meant Augsburg, sorry.", "Bob lives in Augsburg."),
        ("My favorite color is blue. Oops, I meant aqua.", "Bob's favorite color is aqua."),
        ("I'm 43. Sorry, I meant 34.", "Bob is 34."),
        ("I live in Berlin. I live in Athens now.", "Bob lives in Athens now."),
    ],
)
def test_a_correction_in_one_breath(engine: Engine, said: str, told: str) -> None:
    owner = tell(engine, said)
    assert described(engine, owner) == [told]
    standing = [row for row in in_files(engine)[1] if row.key.kind == "fact" and row.validity.end is None]
    assert [row.data["content"] for row in standing] == [told]


@pytest.mark.parametrize("then", ["I meant the other one.", "I meant it.", "I meant to call her.", "It's great."])
def test_what_corrects_no_value(engine: Engine, then: str) -> None:
    assert described(engine, tell(engine, f"My favorite color is blue. {then}")) == ["Bob's favorite color is blue."]


def test_the_summary_tells_how_things_are(engine: Engine) -> None:
    stored = profile(engine, tell(engine, "I live in Berlin.", "I moved to Paris in 2005."))
    assert stored is not None
    assert stored.data["summary"] == "Bob lives in Berlin."


def test_what_a_person_added_to_the_page_stays_when_something_new_is_told(engine: Engine) -> None:
    owner = tell(engine, "I live in Bonn. I run every day.", "I run every morning.", "I run every week.")
    page = engine.settings.memory.root / "default_app/default_project/users/bob/user.md"
    text = page.read_text(encoding="utf-8")
    assert "- trait: sporty" in text
    home = next(line for line in text.splitlines() if "description" in line and "Bonn" in line)
    text = text.replace(home, f"{home}  # near the river\n  colour: blue  # of the house")
    text = text.replace("- category", "# an item\n- category")
    text = text.replace("- trait: sporty", "- trait: sporty\n  since: 2019")
    text = text.replace("implicit_traits:\n", "- description: Likes tea  # really\n  mine: [1, 2]\nimplicit_traits:\n")
    page.write_text(text, encoding="utf-8")
    tell(engine, "I am allergic to peanuts.", sender="bob")
    after = page.read_text(encoding="utf-8")
    assert any("peanuts" in line for line in described(engine, owner))
    gone = [line for line in text.splitlines() if line not in after.splitlines()]
    assert [line.partition(":")[0] for line in gone] == ["profile_timestamp_ms", "generated"]
    theirs = next(part for part in after.split("\n- ") if "colour: blue" in part)
    tell(engine, "I moved to Rome.", "I run every evening.", sender="bob")
    parts = page.read_text(encoding="utf-8").split("\n- ")
    assert theirs in parts, "to what they added something is theirs, and stays"
    assert any("Bob moved to Rome." in part for part in parts)
    assert "since: 2019" in page.read_text(encoding="utf-8")
