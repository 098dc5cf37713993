"""A sentence that says several things: each that can end for itself is a statement of its own."""

from __future__ import annotations

import pytest
from talk import facts, listed, said


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I live in Berlin and I work as a nurse.", ["Alice lives in Berlin.", "Alice works as a nurse."]),
        ("I live in Cork, work at Apple and study law.", ["lives in Cork", "works at Apple", "studies law"]),
        ("I work at Apple and study law.", ["works at Apple", "studies law"]),
        ("I'm a nurse, I live in Leeds and I have two kids.", ["is a nurse", "lives in Leeds", "has two kids"]),
        ("I'm vegan and allergic to nuts.", ["is vegan", "is allergic to nuts"]),
        ("I don't smoke and I don't drink coffee.", ["doesn't smoke", "doesn't drink coffee"]),
        ("I live in Rome and I'm vegan.", ["lives in Rome", "is vegan"]),
        ("I love tea but I hate coffee.", ["loves tea", "hates coffee"]),
        ("I'm Irish and I live in Bern.", ["is Irish", "lives in Bern"]),
        ("I live in Bern; my sister lives in Rome.", ["Alice lives in Bern.", "Alice's sister lives in Rome."]),
        ("I live in Berlin but my parents are from Rome.", ["lives in Berlin", "Alice's parents are from Rome."]),
        ("My wife is called Anna and I live in Berlin.", ["Alice's wife is called Anna.", "lives in Berlin"]),
        (
            "I live in Sydney now, my husband and I separated.",
            ["lives in Sydney now", "Alice's husband and Alice separated."],
        ),
        ("Hi, I'm a baker and I own a small shop in Bonn.", ["is a baker", "owns a small shop in Bonn"]),
        ("I drive a Panda, and I play the violin.", ["drives a Panda", "plays the violin"]),
    ],
)
def test_statements_that_each_can_end(text: str, told: list[str]) -> None:
    whole = [f"Alice {one}." if not one.startswith("Alice") else one for one in told]
    assert facts(said(text)) == whole


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ich heisse Hans und wohne in Hamburg", ["Ich heisse Hans.", "Ich wohne in Hamburg"]),
        ("Ich wohne in Berlin und arbeite bei Siemens.", ["Ich wohne in Berlin.", "Ich arbeite bei Siemens."]),
        ("Je m'appelle Luc et j'habite à Lyon.", ["Je m'appelle Luc.", "J'habite à Lyon."]),
        ("Mi chiamo Luca e abito a Milano.", ["Mi chiamo Luca.", "Abito a Milano."]),
        ("Me llamo Ana y vivo en Madrid.", ["Me llamo Ana.", "Vivo en Madrid."]),
    ],
)
def test_statements_of_other_languages(text: str, told: list[str]) -> None:
    assert facts(said(text)) == [f'Alice said: "{words}"' for words in told]


@pytest.mark.parametrize(
    "text",
    [
        "I have two dogs and I love walks with them.",
        "My brother lives in Rome and works at FAO.",
        "I have a brother who lives in Rome and works at FAO.",
        "I went to the beach and I saw a turtle.",
        "I like bread and butter.",
        "I love music and dance.",
        "I'm allergic to nuts, eggs and milk.",
        "I avoid Rome because I hate crowds.",
        "I left Siemens and I joined BMW.",
        "I sold the Clio and drive a Panda now.",
        "I hope I get the job and I can move to Rome.",
        "I wish I lived in Rome and I had a dog.",
        "I love dogs but I'm allergic.",
        "Last year I moved to Rome and I started a new job.",
        "I moved to Rome and I started a new job last May.",
        "If I move to Rome and I find a job, my mom will be happy.",
        "I told her I live in Rome and I work at FAO.",
    ],
)
def test_what_needs_each_other_stays_together(text: str) -> None:
    (fact, *asides) = facts(said(text))
    assert len(fact.split()) >= len(text.split()) - 1
    assert all(aside in ("Alice hates crowds.",) for aside in asides)


@pytest.mark.parametrize(
    "text",
    [
        "I want to live in Rome and work at FAO.",
        "I'd love to live in Rome and have two kids.",
        "I have two sons who live in Rome and work at FAO.",
        "I help people live in Rome and work at FAO.",
        "I don't drink coffee and eat meat.",
        "I can't live in Rome and work at FAO.",
        "I never said I live in Rome and work at FAO.",
        "He treats me as though I work at FAO.",
        "It's not because I work at FAO.",
        "He looks as if I work at FAO.",
        "i feel like i work at FAO",
        "I'm learning to cook and work at FAO one day.",
    ],
)
def test_what_only_looks_like_a_statement_of_its_own(text: str) -> None:
    assert not {"Alice works at FAO.", "Alice eats meat.", "Alice has two kids."} & {*facts(said(text)), *listed(text)}


@pytest.mark.parametrize(
    ("said_so", "left"),
    [
        (["I live in Berlin and I work as a nurse.", "I moved to Hamburg."], ["works as a nurse", "moved to Hamburg"]),
        (["I live in Berlin and work at Siemens.", "I left Siemens."], ["lives in Berlin"]),
        (["I'm vegan and allergic to nuts.", "I'm not vegan anymore."], ["is allergic to nuts"]),
        (["I live in Berlin, I love tea.", "I hate tea now."], ["lives in Berlin", "hates tea now"]),
        (["I live in Berlin and I love it.", "I moved to Hamburg."], ["moved to Hamburg"]),
    ],
)
def test_one_ends_and_the_other_stays(said_so: list[str], left: list[str]) -> None:
    assert sorted(listed(*said_so)) == sorted(f"Alice {one}." for one in left)


QUESTIONS = [
    ("I'm vegan and allergic to nuts, can you suggest a quick dinner?", ["is vegan", "is allergic to nuts"]),
    (
        "I'm a nurse working night shifts in Leeds, how can I sleep better?",
        ["is a nurse working night shifts in Leeds"],
    ),
    ("My dog Bruno is 12 and limps, should I go to the vet?", ["Alice's dog Bruno is 12 and limps."]),
    ("since i have diabetes type 2 what snacks are ok for me?", ["has diabetes type 2"]),
    ("I live in Leeds, can you help me?", ["lives in Leeds"]),
    ("How do I renew my British passport while I live in Canada?", ["lives in Canada"]),
    ("I work at Siemens so do you know a good lunch place nearby?", ["works at Siemens"]),
    ("Because I'm pregnant, which cheeses should I avoid?", ["is pregnant"]),
    ("Can you suggest a dinner, I'm vegan?", ["is vegan"]),
    ("What should I cook given that I'm allergic to eggs?", ["is allergic to eggs"]),
    ("I have two kids - what can we do on a rainy day?", ["has two kids"]),
    ("Right now I live in Leeds, can you help me?", ["lives in Leeds"]),
    ("Unfortunately, I'm allergic to eggs, what can I bake?", ["is allergic to eggs"]),
    ("Hey, I'm a teacher, do you have ideas for a lesson?", ["is a teacher"]),
    (
        "I live in Graz and my wife is called Eva, any ideas for a weekend?",
        ["lives in Graz", "Alice's wife is called Eva."],
    ),
    ("i'm a beginner and i own a Fender, which amp should i buy?", ["is a beginner", "owns a Fender"]),
]


@pytest.mark.parametrize(("text", "told"), QUESTIONS)
def test_a_statement_in_front_of_a_question_is_one(text: str, told: list[str]) -> None:
    whole = [f"Alice {one}." if not one.startswith("Alice") else one for one in told]
    assert [fact for fact in facts(said(text)) if " asked: " not in fact] == whole
    assert sorted(listed(text)) == sorted(whole)


@pytest.mark.parametrize(
    "text",
    [
        "I live in Leeds, right?",
        "I'm allergic to nuts, am I?",
        "I live in Leeds, don't I?",
        "Do I live in Leeds?",
        "What should I eat if I'm diabetic?",
        "Is it true that I live in Leeds and I work as a nurse?",
        "Suppose I'm a nurse, how much would I earn?",
        "Imagine I live in Rome, what would I eat?",
        "If I live in Leeds, can I vote?",
        "My friend says I'm vegan, what do you think?",
        "Would you believe that I live in Rome?",
        "Should I say I'm a nurse or a doctor?",
        "Do you think I'm allergic to nuts?",
        "She lives in Leeds, can you help her?",
        "Say I'm pregnant, what should I eat?",
        "Do you know whether I live in Leeds?",
    ],
)
def test_what_is_asked_is_not_said(text: str) -> None:
    assert listed(text) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I'm allergic to peanuts so if you suggest restaurants keep that in mind", "is allergic to peanuts"),
        ("I'm vegan, so please don't send me meat recipes.", "is vegan"),
        ("I live in Ghent, as you know.", "lives in Ghent"),
        ("I work at Siemens and you could find me there.", "works at Siemens"),
        ("I have a peanut allergy, please keep that in mind when you cook.", "has a peanut allergy"),
        ("You're right, I live in Oslo.", "lives in Oslo"),
        ("He's a chef and I'm a waiter.", "is a waiter"),
        ("I avoid Thai food because I'm allergic to nuts.", "is allergic to nuts"),
        ("Since I live in Leeds, I take the train to my office.", "lives in Leeds"),
    ],
)
def test_a_statement_beside_something_else_is_found(text: str, told: str) -> None:
    assert f"Alice {told}." in listed(text)


@pytest.mark.parametrize(
    "text",
    [
        "You said I live in Rome and I'm vegan.",
        "My mom thinks because I'm vegan I eat nothing.",
        "If you come, I live in Rome.",
        "The guy said he left because I'm allergic to work.",
        "Write a story where I live in Rome, I'm a knight and you are a dragon.",
    ],
)
def test_what_others_say_or_what_is_made_up_is_not(text: str) -> None:
    assert listed(text) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("my name is dave i live in leeds i work as a nurse", ["lives in leeds", "works as a nurse"]),
        ("i live in berlin im allergic to nuts", ["lives in berlin", "is allergic to nuts"]),
        ("im a nurse i work at siemens my dog is called Rex", ["is a nurse", "works at siemens"]),
        ("i have two kids i love pizza", ["has two kids", "loves pizza"]),
    ],
)
def test_run_ons(text: str, told: list[str]) -> None:
    assert {f"Alice {one}" for one in told} <= {line.rstrip(".") for line in listed(text)}


@pytest.mark.parametrize(
    "text", ["i love the place i live in", "i think i work at siemens", "the people i know say i live in berlin"]
)
def test_what_only_looks_like_a_run_on(text: str) -> None:
    assert len(facts(said(text))) <= 1
