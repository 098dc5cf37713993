"""Whose words they are: what is pasted, quoted or played says nothing of who sends it."""

from __future__ import annotations

from functools import partial

import pytest
from growth import assert_linear
from talk import ALICE, MAY_8, MINUTE, cell, message

from everlore.extract.borrowed import apart
from everlore.extract.facts import as_fact, write_facts
from everlore.extract.pretending import acted
from everlore.extract.profile import add_facts
from everlore.types import Cell


def own(talk: Cell) -> list[str]:
    """The statements that are made of the speaker, and not quoted."""
    return [draft.text for draft in write_facts(talk) if draft.own_voice]


def listed(*texts: str, name: str | None = None) -> list[str]:
    """The profile after the turns of one talk; those that begin with "A: " are the assistant's."""
    turns = [
        message(text.removeprefix("A: "), "bot", "assistant", at=MAY_8 + number * MINUTE)
        if text.startswith("A: ")
        else message(text, at=MAY_8 + number * MINUTE, name=name)
        for number, text in enumerate(texts)
    ]
    talk = cell(*turns)
    facts = [as_fact(draft, talk, ALICE, f"af_{number}") for number, draft in enumerate(write_facts(talk))]
    made = add_facts(None, facts, ALICE, MAY_8, name or "Alice")
    return [info.description for info in made.explicit_info]


MAIL = """Can you help me answer this mail?

From: Peter Lang <p@x.de>
To: Alice
Subject: Moving

Hi Alice,
I moved to Zurich last month and I started a new job at UBS. My wife and I are expecting a baby in July!

Best,
Peter"""


@pytest.mark.parametrize(
    "text",
    [
        MAIL,
        "From: HR <hr@acme.com>\nDate: 3 May\n\nI am your new manager. I live in Texas.\n\nI love dogs.",
        "Forwarded message from my brother:\n\nHey sis, I got divorced last month. I work at Dell now. Love, Tim",
        "Hey sis, I got divorced last month. I work at Dell now. Love, Tim",
        "Hi Max,\n\nI can't come. I live near the station now.\n\nCheers,\nOle\n\n^ is this mail polite enough?",
        "Dear Ms Smith,\nI am a senior engineer at Google.\n\nI live in Zurich.\n\nKind regards,\nKarl Huber",
        "Dear Mom,\n\nI'm vegan now.\n\nLots of love,\nLena\n\nPS: I live in Rome.",
        "Hi Alice,\n\nI moved to Zurich. I work at UBS now.",
        "See this.\n\nHello Team,\nI am pregnant and I live in Oslo.\n\nBest wishes\nDana\n\nWhat do I answer?",
    ],
)
def test_letters_of_others(text: str) -> None:
    assert listed(text) == []
    assert not [fact for fact in own(cell(message(text))) if fact.startswith("Alice ")]


@pytest.mark.parametrize(
    "text",
    [
        "Here's a tweet I found:\nI quit my job at Tesla and moved to Bali",
        "Here is a post from a forum\nI am a nurse. I live in Texas.\n\nI love cats.",
        "Lyrics:\nI'm a creep, I'm a weirdo\nwho wrote it?",
        "Customer complaint: I bought the blender and I hate it. I am 76 years old. Please write a reply.",
        "My wife's diary: I hate my husband. I love Bob.",
        "Review I saw: I love this phone. I'm a pilot.\n\nI live in Rome.",
        "A question from a reader: I'm 34. I live with my mother. What would you say?",
        "A text from my sister: I'm pregnant! I moved to Rome.",
        "Write a cover letter: I am a painter. I live in Prague.",
        "Now write a LinkedIn bio: I'm Jane Doe, CEO of Foo Corp. I live in Prague.",
        "Interview transcript:\n\nI was born in Kenya.\n\nI work at NASA.",
    ],
)
def test_a_text_goes_on_to_the_end_of_the_message(text: str) -> None:
    assert listed(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "My son asked: can I have a dog? I love dogs!",
        "my friend texted me: 'i am pregnant and i'm moving to Peru'",
        "my friend texted me: i am pregnant. i live in peru now",
        "She told me: I hate my job. I work at Dell.",
        "And then he was like, I'm vegan. I live in Rome.",
        "My boss wrote:\nI am leaving. I work at SAP now.\nI live in Walldorf.",
        "Someone on the bus said to me: I'm a doctor. I live in Graz.",
        "Tom: I work at Siemens. I live in Boston.",
        "Tom:\nI work at Siemens.\nI live in Boston.",
        "My mom: I hate broccoli. I live in Rome.",
    ],
)
def test_what_others_say_goes_on_after_the_first_sentence(text: str) -> None:
    assert listed(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Is this sentence correct? I am working as a engineer in Siemens since 2019.",
        "Is the following sentence right? I live in Rome since two years.",
        "Does this sound natural? I am a teacher and I live in Rome.",
        "Is this polite enough? I can't come. I live in Rome.",
        "Please correct this sentence. I am a nurse and I lives in Berlin.",
        "Which is correct: I live in Rome or I am living in Rome?",
        "I am a nurse and I live in Berlin.\n\nCan you translate this into German?",
        "I am a nurse and I live in Berlin.\n^ is that good English?",
        "I am a nurse and I live in Berlin.\nPlease rewrite the above.",
    ],
)
def test_words_that_are_to_be_judged(text: str) -> None:
    assert listed(text) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Hi Max,\n\nI live in Rome now.\n\nCheers,\nAlice", "Alice lives in Rome now."),
        ("Hi Claude,\n\nI live in Rome now.\n\nThanks,\nLena", "Alice lives in Rome now."),
        ("Hello there,\nI live in Rome now.\nBest,\nLena", "Alice lives in Rome now."),
        ("Hey! I live in Rome now. Thanks, Max", "Alice lives in Rome now."),
        ("I told them: I live in Rome.", "I told them: Alice lives in Rome."),
        ("You asked me: yes. I live in Rome.", "Alice lives in Rome."),
        ("Good news: I got the job. I live in Rome.", "Alice lives in Rome."),
        ("Tom: hi\nMe: I live in Rome.", "Alice lives in Rome."),
        ("My sister said: call me.\n\nI live in Rome.", "Alice lives in Rome."),
        ("> I live in Oslo\nI live in Rome.", "Alice lives in Rome."),
        ("My email: a@b.com. I live in Rome.", "Alice lives in Rome."),
        ("I live in Rome. Is this right?", "Alice lives in Rome."),
        ("I live in Rome.\nWhat do you think of this?", "Alice lives in Rome."),
        ("I wrote a letter today.\nI live in Rome.", "Alice lives in Rome."),
        ("Best,\nI live in Rome.", "Alice lives in Rome."),
        (f"{MAIL}\n\nI live in Rome, by the way.", "Alice lives in Rome, by the way."),
        ("Tom: I hate it\n\nI live in Rome.", "Alice lives in Rome."),
        ('I like this quote: "I am the storm." I live in Rome.', "Alice lives in Rome."),
        ("Animal Crossing: New Horizons is cute and calming. I live in Rome.", "Alice lives in Rome."),
    ],
)
def test_the_speakers_own_words(text: str, told: str) -> None:
    said = own(cell(message(text)))
    assert [fact for fact in said if "lives in Rome" in fact or fact == told], said


def test_nothing_is_lost() -> None:
    said, passed_on = apart(MAIL, "Alice")
    assert said.split() + passed_on.split() == MAIL.split()
    assert said.strip() == "Can you help me answer this mail?"


@pytest.mark.parametrize(
    "talk",
    [
        ["Let's role-play. You are a doctor, I am a patient named Greg. I'm 80 and I have diabetes. I live in Texas."],
        ["You are Gandalf and I am Frodo. I live in the Shire."],
        ["You be the waiter, I'll be a guest. I'm vegan."],
        ["I'll be the customer and you're the shopkeeper.", "I live in Leeds."],
        ["Pretend to be my interviewer and ask me questions.", "A: What do you do?", "I'm a pilot, I live in Dubai"],
        ["Can we practice a job interview?", "A: Sure! Tell me about yourself.", "I'm a nurse. I work at Dell."],
        ["Imagine you are my boss.", "I want a raise. I'm 45 and I have two kids."],
        ["Act as an interviewer.", "My name is Greg. I live in Oslo."],
        ["Can you do a mock interview with me?", "A: Where do you live?", "Graz"],
        ["Roleplay: you're a bartender.", "I'm a sailor. I live in Bristol."],
        ["My D&D character is an elf. I'm a wizard."],
        ["In my novel, I am a spy. I live in Moscow."],
        ["Let's say I'm a pilot. I live in Dubai."],
        ["Suppose I am 70 years old. I live in Texas. What pension do I get?"],
        ["My character lives in Rome and I'm a knight."],
    ],
)
def test_a_part_that_is_played(talk: list[str]) -> None:
    assert listed(*talk) == []


@pytest.mark.parametrize(
    "talk",
    [
        ["Let's role-play. I am a king.", "Ok, back to me. I live in Rome."],
        ["Pretend to be my boss.", "I'm a pilot.", "End of role-play. I live in Rome."],
        ["Pretend to be my boss.", "I'm a pilot.", "Seriously now. I live in Rome."],
        ["Let's role-play.", "I'm a pilot.", "OOC: brb", "I live in Rome."],
        ["Let's role-play.", "I'm a pilot.", "Let's stop pretending. I live in Rome."],
        ["My D&D character is an elf.", "I live in Rome."],
        ["I play a lot of role-playing games. I live in Rome."],
        ["Role-play is fun. I live in Rome."],
        ["You're a lifesaver! I live in Rome."],
        ["You are a travel expert. I live in Rome."],
        ["Act as a chef. I live in Rome."],
        ["You are right and I am glad. I live in Rome."],
        ["You're an AI and I'm a human. I live in Rome."],
        ["I suppose I am lucky. I live in Rome."],
        ["I want to practice my Spanish. I live in Rome."],
        ["He has a lot of character. I live in Rome."],
        ["My favorite character is Aragorn. I live in Rome."],
        ["I had a mock interview today. I live in Rome."],
        ["My kids pretend to be pirates. I live in Rome."],
        ["I pretend to be fine. I live in Rome."],
        ["We rehearse the play on Mondays. I live in Rome."],
    ],
)
def test_no_part_or_one_that_is_over(talk: list[str]) -> None:
    assert "Alice lives in Rome." in " ".join(listed(*talk))


def test_people_who_talk_with_each_other_play_no_parts() -> None:
    said = [message("You are a teacher and I am a nurse. I live in Rome."), message("True!", "bob", at=MAY_8 + MINUTE)]
    assert "Alice lives in Rome." in own(cell(*said))


def test_what_is_played_is_kept_and_says_so() -> None:
    texts = [draft.text for draft in write_facts(cell(message("Let's role-play. I am a patient from Texas.")))]
    assert texts == ['Alice said in a role-play: "I am a patient from Texas."']


@pytest.mark.parametrize(
    "run",
    [
        *("Hi Bob,\n", "Best,\n", "Love, Tim\n", "From: a@b.c\n", "a: 'b "),
        *("you are a ", "Tom: hi\n", "let's ", "say I'm ", "\n"),
    ],
)
def test_long_runs_are_read_in_linear_time(run: str) -> None:
    def read(text: str) -> None:
        own_words, _ = apart(text, "Alice")
        acted(own_words, playing=False, alone=True)

    assert_linear(lambda size: partial(read, run * (size // len(run))), 20_000)
