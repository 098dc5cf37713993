"""What stands before a statement and leaves it true must not keep it from being read."""

from __future__ import annotations

import pytest
from talk import facts, listed, said

STATEMENTS = {
    "I'm allergic to peanuts.": "Alice is allergic to peanuts.",
    "I live in Leeds.": "Alice lives in Leeds.",
    "I work as a nurse.": "Alice works as a nurse.",
}

LEADS = [
    *(
        "Please remember that",
        "Remember that",
        "Remember,",
        "Please remember:",
        "Keep in mind that",
        "Don't forget that",
    ),
    *(
        "Note that",
        "Please note that",
        "Just so you know,",
        "For context,",
        "Oh and",
        "Oh, and",
        "fyi",
        "FYI,",
        "Ok so",
    ),
    *("As I said,", "Like I said", "As mentioned before,", "Unfortunately", "Unfortunately,", "Sadly", "Luckily,"),
    *("Currently", "Right now", "These days", "Nowadays,", "At the moment", "Honestly,", "tbh", "To be honest,"),
    *("Because", "Since", "First of all,", "Secondly,", "Finally,", "I forgot to mention,", "I forgot to mention that"),
    *("I mean,", "Wrong,", "The thing is,", "The truth is", "Fact is,", "hmm", "Hmm,", "um,", "well", "Well,", "Also"),
    *("Also,", "And", "But", "So", "Yes,", "No,", "Yeah", "Actually", "Actually,", "btw", "By the way", "Anyway,"),
    *("Sorry,", "Sorry but", "Thanks!", "Hi,", "Hello!", "Hey,", "ok", "Okay,", "Alright,", "Right,", "Of course"),
    *("Sure,", "Look,", "Listen,", "Basically,", "Obviously", "Personally,", "Correction:", "Update:", "Heads up:"),
    *("PS:", "P.S.", "Edit:", "To clarify,", "To be clear,", "In fact", "It turns out", "Turns out that", "Mind you,"),
    *("It's important to know that", "You should know that", "I want you to know that", "I should mention that"),
    *("I just wanted to let you know that", "For your information,", "For the record,", "Fun fact:", "As you know,"),
    *("One more thing:", "What you should know:", "Be aware that", "Bear in mind", "Make a note that", "Save this:"),
    *("Can you remember that", "In case it matters,", "Just a reminder that", "Like I told you,", "Another thing,"),
    *(
        "Me too,",
        "Same here,",
        "That's why",
        "Ok cool,",
        "Wait,",
        "Before I forget,",
        "I already told you",
        "Guess what,",
    ),
    *("Yes, and btw", "Ok, please remember that", "Oh sorry, I forgot to mention:", "Hey, just so you know,"),
]


@pytest.mark.parametrize("lead", LEADS)
def test_a_statement_is_read_behind_it(lead: str) -> None:
    assert {said_so: listed(f"{lead} {said_so}") for said_so in STATEMENTS} == {
        said_so: [told] for said_so, told in STATEMENTS.items()
    }


@pytest.mark.parametrize("lead", ["Please remember that", "Ok so", "Right now", "Because", "I forgot to mention,"])
def test_a_statement_behind_it_takes_the_place_of_an_older_one(lead: str) -> None:
    assert listed("I live in Berlin.", f"{lead} I live in Hamburg.") == ["Alice lives in Hamburg."]


@pytest.mark.parametrize(
    "lead",
    [
        *("If", "Even if", "Imagine", "Pretend that", "Suppose", "Let's say", "Say", "What if", "Maybe", "Perhaps"),
        *(
            "I wish",
            "My friend says",
            "She said",
            "He thinks",
            "It's not true that",
            "I don't think",
            "Hypothetically,",
        ),
        *("In my dream", "In the story", "Nobody believes that", "Ideally,", "In another life,", "I'm not sure that"),
        *("Probably", "Supposedly", "I guess", "I'd say", "He looks as if", "It's not because", "As though"),
        *("It would be nice if", "Some say that", "Unless", "Mom:", "Possibly", "I doubt that", "He forgot that"),
    ],
)
def test_what_makes_it_less_than_true_does(lead: str) -> None:
    assert listed(f"{lead} I live in Leeds.") == []
    assert listed(f"{lead} I'm allergic to peanuts.") == []


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Please remember that I'm allergic to peanuts.", "Alice is allergic to peanuts."),
        ("Oh and I'm allergic to peanuts.", "Alice is allergic to peanuts."),
        ("Sorry, I'm vegan.", "Alice is vegan."),
        ("Right now I live in Leeds.", "Right now Alice lives in Leeds."),
        ("Unfortunately my cat Tom has asthma.", "Unfortunately Alice's cat Tom has asthma."),
        ("Thanks, but I hate cilantro.", "Alice hates cilantro."),
        ("Remember my wife is called Eva.", "Alice's wife is called Eva."),
        ("I run daily, more if I remember.", "Alice runs daily, more if Alice remembers."),
        ("I live in Rome, don't forget.", "Alice lives in Rome."),
    ],
)
def test_what_tells_nothing_is_left_out(text: str, fact: str) -> None:
    assert facts(said(text)) == [fact]


@pytest.mark.parametrize("text", ["Sorry, I'm late.", "Ok so I'm done.", "Oh and I agree.", "Sorry about that."])
def test_a_mood_behind_it_is_still_no_fact(text: str) -> None:
    assert facts(said(text)) == []


def test_what_only_begins_like_one_stays() -> None:
    text = "I should add my friend Mike's daughter Charlotte to the list."
    assert facts(said(text)) == ["Alice should add their friend Mike's daughter Charlotte to the list."]


def test_a_reason_stays_with_what_it_is_the_reason_for() -> None:
    text = "Since I moved to Rome my life is better."
    assert facts(said(text)) == ["Since Alice moved to Rome their life is better."]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Yesterday I moved to York.", "Alice moved to York yesterday (7 May 2023)."),
        ("Last month, I quit my job at Bosch.", "Alice quit their job at Bosch last month (April 2023)."),
        ("Since 2010 I live in York.", "Alice lives in York since 2010."),
        ("Two weeks ago I went to a concert.", "Two weeks ago (week of 24 April 2023) Alice went to a concert."),
    ],
)
def test_a_time_in_front_stands_behind_where_something_lasts(text: str, told: str) -> None:
    assert facts(said(text)) == [told]


def test_it_ends_what_was_before() -> None:
    assert listed("I live in Leeds.", "Last week I moved to York.") == [
        "Alice moved to York last week (week of 1 May 2023)."
    ]
    assert listed("I live in Leeds.", "In 2010 I moved to York.") == [
        "Alice lives in Leeds.",
        "Alice moved to York in 2010.",
    ]
