from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from talk import ALICE, MAY_8, MINUTE, cell, message, said

from everlore.extract.episode import write_episode
from everlore.extract.facts import FactDraft, as_fact, write_facts
from everlore.kinds.episode import parse_turns
from everlore.kinds.fact import from_entry, to_entry
from everlore.types import Cell, Role


def facts(talk: Cell) -> list[str]:
    return [draft.text for draft in write_facts(talk)]


def test_the_three_sentences_of_the_contract() -> None:
    drafts = write_facts(
        said(
            "I love climbing in Yosemite every spring.",
            "My favorite coffee shop is Blue Bottle in SOMA.",
            "I bike to work most days.",
        )
    )
    assert [d.text for d in drafts] == [
        "Alice loves climbing in Yosemite every spring.",
        "Alice's favorite coffee shop is Blue Bottle in SOMA.",
        "Alice bikes to work most days.",
    ]
    assert [d.turn for d in drafts] == [0, 1, 2]
    assert drafts[1].about == "alice: favorite coffee shop"


@pytest.mark.parametrize(
    "text",
    [
        "Hey there!",
        "Wow, that's cool!",
        "Sounds good.",
        "Thanks so much, you're the best!",
        "How are you?",
        "Where do you live?",
        "ok",
        "😀😀",
        "I'm so happy for you!",
        "Talk to you soon!",
    ],
)
def test_chatter_and_questions_are_no_facts(text: str) -> None:
    assert facts(said(text)) == []


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I am vegetarian.", "Alice is vegetarian."),
        ("I have diabetes.", "Alice has diabetes."),
        ("I'm pregnant.", "Alice is pregnant."),
        ("Allergic to nuts.", "Alice is allergic to nuts."),
        ("I never drink.", "Alice never drinks."),
        ("No pork for me.", 'Alice said: "No pork for me."'),
        ("I can't swim.", "Alice can't swim."),
        ("I'm left-handed.", "Alice is left-handed."),
        ("I got a dog.", "Alice got a dog."),
        ("We bought a house.", 'Alice said: "We bought a house."'),
        ("I got the promotion!", "Alice got the promotion!"),
        ("We got divorced", "Alice got divorced"),
        ("We're married.", "Alice is married."),
        ("I got divorced.", "Alice got divorced."),
    ],
)
def test_short_statements_about_oneself_are_facts(text: str, fact: str) -> None:
    assert facts(said(text)) == [fact]


@pytest.mark.parametrize(
    "text",
    [
        *("I see", "I'm sorry", "I'm good", "I agree", "I'm on it", "I'm back!", "I got it.", "I have a question."),
        *("I'm so tired.", "I can't wait!", "I have to go.", "I won't give up!", "I don't mind.", "No problem for me."),
        *("I'm off to bed.", "We love it!", "I'm not giving up.", "I'm in for the show."),
    ],
)
def test_moods_of_a_moment_are_no_facts(text: str) -> None:
    assert facts(said(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Don't call me Miss Sato.",
        "Skip Nara, I hated it on my last trip.",
        "Remind me to buy her flowers when I get home.",
        "Give me 10 headlines I can test.",
    ],
)
def test_requests_are_quoted(text: str) -> None:
    assert facts(said(text)) == [f'Alice said: "{text}"']


def test_dates_are_of_the_message() -> None:
    assert facts(said("I went to a support group yesterday.")) == [
        "Alice went to a support group yesterday (7 May 2023)."
    ]


def test_what_cannot_be_rewritten_is_quoted() -> None:
    assert facts(said("We adopted two kittens from the shelter.")) == [
        'Alice said: "We adopted two kittens from the shelter."'
    ]
    assert facts(said('My boss called your plan "a bold move" in public.')) == [
        "Alice said: \"My boss called your plan 'a bold move' in public.\""
    ]


def test_the_words_of_others_stay_as_they_were() -> None:
    assert facts(said('My boss called it "my bold move" in public.')) == [
        "Alice's boss called it 'my bold move' in public."
    ]


@pytest.mark.parametrize(
    "text",
    ["我喜欢在春天爬山。", "Me gusta el café de Madrid.", "Ich gehe im Sommer in die Berge und schwimme im See."],
)
def test_other_languages_are_quoted_whole(text: str) -> None:
    assert facts(said(text)) == [f'Alice said: "{text}"']


def test_a_short_answer_brings_its_question() -> None:
    talk = cell(
        message("Nice to meet you. Where do you live?", "bob"),
        message("Thanks! Berlin", at=MAY_8 + MINUTE),
        message("Do you have any pets?", "bob", at=MAY_8 + 2 * MINUTE),
        message("No", at=MAY_8 + 3 * MINUTE),
    )
    assert facts(talk) == [
        'Asked "Where do you live?", Alice said: "Berlin"',
        'Asked "Do you have any pets?", Alice said: "No"',
    ]


@pytest.mark.parametrize(
    ("question", "answer", "fact"),
    [
        ("Where do you live?", "Graz", "Alice lives in Graz."),
        ("Welcome! Where do you live?", "In Graz, Austria.", "Alice lives in Graz, Austria."),
        ("What do you do for a living?", "nurse", "Alice is a nurse."),
        ("What's your job?", "Engineer", "Alice is an Engineer."),
        ("How old are you?", "42", "Alice is 42 years old."),
        ("Are you allergic to anything?", "Yes, nuts.", "Alice is allergic to nuts."),
        ("What is your wife's name?", "Anna", "Alice's wife is called Anna."),
        ("What is your favorite color?", "blue", "Alice's favorite color is blue."),
        ("What's your name? And where do you live?", "Anna", 'Asked "And where do you live?", Alice said: "Anna"'),
        ("Where do you live?", "Not far from here", 'Asked "Where do you live?", Alice said: "Not far from here"'),
        ("Where do you work?", "From home mostly", 'Asked "Where do you work?", Alice said: "From home mostly"'),
        ("Where do you live?", "Nice Try", 'Asked "Where do you live?", Alice said: "Nice Try"'),
        ("What's your favorite tool?", "My old chisel, by far", "Alice's favorite tool is their old chisel, by far."),
        (
            "What's your favorite game?",
            "We prefer chess together",
            'Asked "What\'s your favorite game?", Alice said: "We prefer chess together"',
        ),
        (
            "What's your favorite game to play with them?",
            "Chess",
            'Asked "What\'s your favorite game to play with them?", Alice said: "Chess"',
        ),
        ("Any allergies?", "Maybe pollen", 'Asked "Any allergies?", Alice said: "Maybe pollen"'),
        ("Do you have any allergies?", "no", 'Asked "Do you have any allergies?", Alice said: "no"'),
    ],
)
def test_an_answer_that_is_a_plain_value_is_a_statement(question: str, answer: str, fact: str) -> None:
    talk = cell(message(question, "bot", "assistant"), message(answer, at=MAY_8 + MINUTE))
    assert facts(talk) == [fact]


@pytest.mark.parametrize(
    ("said_so", "told"),
    [
        (["I'm Alice and I live in Bern."], ["Alice lives in Bern."]),
        (["Hi, I'm Eva, I live in Bern."], ["Alice's name is Eva.", "Alice lives in Bern."]),
        (["I'm Irish and I live in Bern."], ["Alice is Irish.", "Alice lives in Bern."]),
        (["I left Siemens.", "I'm at BMW now."], ["Alice left Siemens.", "Alice works at BMW now."]),
        (["I got a new job!", "I'm now at BMW."], ["Alice got a new job!", "Alice works at BMW now."]),
        (["I left Siemens.", "I'm at Lake Como now."], ["Alice left Siemens.", "Alice is at Lake Como now."]),
        (["I quit my job!", "I'm at BMW now."], ["Alice quit their job!", "Alice is at BMW now."]),
        (["I need a desk.", "I'm at IKEA now."], ["Alice needs a desk.", "Alice is at IKEA now."]),
        (["I have two cats.", "Actually three."], ["Alice has two cats.", "Alice has three cats, not two."]),
        (["I'm 34.", "I mean 35."], ["Alice is 34.", "Alice is 35, not 34."]),
        (
            ["My birthday is on March 3.", "No wait, it's March 5."],
            ["Alice's birthday is on March 3.", "Alice's birthday is on March 5, not March 3."],
        ),
        (["I rent a flat in Linz."], ["Alice rents a flat in Linz."]),
        (["im a nurse"], ["Alice is a nurse"]),
        (["I'm into bouldering."], ["Alice is into bouldering."]),
        (["My pronouns are they/them."], ["Alice's pronouns are they/them."]),
    ],
)
def test_what_is_meant_by_what_was_said_before(said_so: list[str], told: list[str]) -> None:
    assert facts(said(*said_so)) == told


ABOUT_ONESELF = ["Alice's name is Peter.", "Alice is a nurse.", "Alice lives in Graz."]


@pytest.mark.parametrize(
    "text",
    [
        "Name: Peter\nJob: nurse\nCity: Graz",
        "Name: Peter / Job: nurse / City: Graz",
        "Some facts about me:\n\n- **Name:** Peter\n- **Job**: nurse\n- City: Graz",
    ],
)
def test_a_list_about_oneself_is_statements(text: str) -> None:
    assert facts(said(text)) == ABOUT_ONESELF


@pytest.mark.parametrize(
    "text",
    [
        "Character sheet for my novel:\nName: Aldric\nJob: nurse\nCity: Camelot",
        "I met a guy.\nName: Karl\nCity: Linz",
        "Name: Max\nAge: 4\nAllergies: peanuts",
        "Name: Max\nAllergies: peanuts\nThis is my son's form.",
        "Role: developer\nLanguages: Python, Go",
        "Name: web-1\nCity: n/a\nPort: 8080",
        "Name: required\nEmail: required",
        "Name: Apple Pie\nTime: 40 min",
        "Job: failed\nError: timeout",
    ],
)
def test_a_list_about_something_else_is_quoted(text: str) -> None:
    assert not [fact for fact in facts(said(text)) if fact.startswith(("Alice's", "Alice is", "Alice lives"))]


def test_a_list_with_the_name_of_somebody_else_is_about_them() -> None:
    listed = message("Name: Karl Huber\nCity: Linz", name="Alice Meier")
    assert facts(cell(listed)) == ['Alice Meier said: "Name: Karl Huber"', 'Alice Meier said: "City: Linz"']
    asked = cell(message("Who comes with her?", "bot", "assistant"), message("Name: Karl\nCity: Linz"))
    assert not [fact for fact in facts(asked) if "lives in" in fact]


def test_leading_interjections_and_names_go() -> None:
    talk = cell(
        message("Did you paint that?", "mel"), message("Yeah, Mel, I painted that sunrise in Rome!", at=MAY_8 + MINUTE)
    )
    assert facts(talk) == ["Alice painted that sunrise in Rome!"]


def test_a_statement_that_ends_as_a_question_is_kept() -> None:
    text = "My 2015 Honda Civic squeaks when it brakes downhill, what should I do?"
    assert facts(said(text)) == ["Alice's 2015 Honda Civic squeaks when it brakes downhill.", f'Alice asked: "{text}"']


def test_a_request_that_names_somebody_is_kept() -> None:
    asked = "can you help me write a birthday card for my sister Julia?"
    assert facts(said(f"{asked} she turns 30 on Saturday"))[0] == f'Alice asked: "{asked}"'
    assert facts(said("can you help me write a birthday card for the whole team?")) == []


def test_pictures_stay() -> None:
    assert facts(said("[image: a photo of a dog]")) == ["Alice shared [image: a photo of a dog]"]


def test_assistant_is_brief_and_named() -> None:
    items = "\n".join(
        f"{n}. **Option {n} Paris**: a long walk along the river number {n} in spring." for n in range(1, 12)
    )
    talk = cell(message(f"I'd be happy to help!\n{items}", "bot", "assistant"))
    found = facts(talk)
    assert 2 <= len(found) <= 6
    assert found[0].startswith('The assistant listed: "Option 1 Paris; Option 2 Paris')
    assert not any("happy to help" in text for text in found)
    named = cell(message("The museum in Paris opens at nine on Mondays.", "bot", "assistant", name="Otto"))
    assert facts(named) == ['Otto said: "The museum in Paris opens at nine on Mondays."']


def test_a_list_is_told_once_and_every_item_of_it() -> None:
    ships = "Here are some ships:\n1. *Erebus* of Franklin\n2. *Terror* of Crozier\n3. The F.A. Brandt of Hamburg"
    assert facts(cell(message(ships, "bot", "assistant"))) == [
        'The assistant listed: "Erebus of Franklin; Terror of Crozier; The F.A. Brandt of Hamburg"'
    ]
    inline = "Here are some tips: 1. Drink warm water at night 2. Walk through old parks 3. Sleep until seven"
    assert facts(cell(message(inline, "bot", "assistant"))) == [
        'The assistant listed: "Drink warm water at night; Walk through old parks; Sleep until seven"'
    ]


def test_tool_output_code_and_long_pastes() -> None:
    assert facts(cell(message("The answer is forty two in Paris today.", "bot", "tool"))) == []
    assert facts(said("```\nI love my old red Honda Civic.\n```")) == []
    paste = " ".join(f"The committee of city {n} met in Hall {n} to vote on budget {n}." for n in range(60))
    assert len(facts(said(paste))) == 8


def test_equal_facts_once() -> None:
    assert len(facts(said("I love hiking in Norway.", "I love hiking in Norway."))) == 1


def test_a_fact_survives_its_file() -> None:
    talk = said("I love hiking in Norway.")
    fact = as_fact(write_facts(talk)[0], talk, ALICE, "af_20230508_00000001")
    assert from_entry(to_entry(fact), ALICE) == fact
    assert fact.sender_ids == ("alice",)
    assert fact.parent_id == talk.id


TEXT = st.sampled_from(
    [
        "",
        "  ",
        "I live in Rome.",
        "**Bob** (12:00): I was in Oslo.",
        "ok",
        "我住在上海。",
        "Why?",
        "\n\n",
        "My cat Tom is 3!",
    ]
) | st.text(max_size=60)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), TEXT), min_size=1, max_size=8))
def test_turns_of_facts_are_turns_of_the_episode(turns: list[tuple[Role, str]]) -> None:
    talk = cell(*(message(text, role, role, MAY_8 + n) for n, (role, text) in enumerate(turns)))
    drafts: list[FactDraft] = write_facts(talk)
    episode = write_episode(talk, ALICE, "ep_20230508_00000001", drafts)
    if episode is None:
        assert not drafts
        assert all(not text.strip() for _, text in turns)
        return
    spoken = [text for _, text in turns if text.strip()]
    _, parsed = parse_turns(episode.content)
    assert len(parsed) == len(spoken)
    assert all(0 <= draft.turn < len(parsed) for draft in drafts)
    assert len(episode.subject) <= 101
    assert len(episode.summary) <= 240
    assert "\n" not in episode.subject + episode.summary
