"""Whose words they are: what is pasted, quoted or played says nothing of who sends it."""

from __future__ import annotations

from functools import partial

import pytest
from growth import assert_linear
from talk import ALICE, MAY_8, MINUTE, cell, message
from telling import after

from everlore.extract.attribution import acted, apart
from everlore.extract.facts import as_fact, write_facts
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


@pytest.mark.parametrize(
    "talk",
    [
        ["please summarize this review for me:\n\nI've had this vacuum for a year. I have two dogs."],
        ["What do you think of this dating profile?\n\nI'm 32, I love hiking and I work as a vet in Leeds."],
        ["Got this text from my ex: I miss you. I quit drinking and I got a new job at Ford."],
        ["Subject: Sick leave\n\nDear Mr Brown,\n\nI am ill and cannot come. I live in Reading.\n\nRegards,\nTess"],
        ["My grandmother always said: I was born poor. I'll die happy."],
        ["She goes: I'm vegan. I hate leather."],
        ['quote of the day: "I am the master of my fate"'],
        ["Poem by Frost:\nI have been one acquainted with the night.\nI have walked out in rain."],
        ["Can you grade my student's essay?\n\nMy name is Kim. I live in Seoul. I want to be a doctor."],
        ["Reddit post: AITA? I (34F) am married to a chef. I hate his food."],
        ["Translate to Spanish: I am allergic to nuts."],
        ['how do you say "I am a vegetarian and I live in Rome" in Thai?'],
        ["The patient said: I have chest pain. I am diabetic. I smoke a pack a day."],
        ["Email from HR:\nI am pleased to inform you that I am leaving the company. I moved to Lisbon."],
        ["Here is the transcript of the call.\nI am calling about my order. I live in Denver."],
        ["Correct my English: I am working in bank since five years and I has two daughters."],
        ["Interviewer: Where do you live?\nCandidate: I live in Madrid and I work at BBVA."],
        ["Write a first-person story: I am a lighthouse keeper and I live alone."],
        ["Act like you're my landlord. I'm a tenant who lost his job. I have three cats."],
        [
            "Let's do a role play where I'm a customer.",
            "A: Welcome!",
            "Hi, I'm Bob. I live in Ohio and I'm allergic to shellfish.",
        ],
        [
            "Can we roleplay a first date?",
            "A: Sure, tell me about yourself!",
            "I'm a firefighter. I have a twin brother.",
        ],
        [
            "You will play the detective and I will be the suspect.",
            "A: Where were you?",
            "I live in Soho. I work at a bank.",
        ],
        [
            "I want you to act as an interviewer. I will be the candidate.",
            "A: Introduce yourself.",
            "I'm Raj. I work at Infosys.",
        ],
        ["In my D&D campaign I'm a dwarf. I live under a mountain."],
        ["Imagine I'm a billionaire. I live on a yacht. What should I invest in?"],
        ["Hypothetically, say I'm pregnant. I live in Texas. What are my rights?"],
        ["Write a monologue for my character. I am old. I live by the sea."],
        ["Lyrics: I'm on the highway to hell"],
        ["> I live in Oslo and I work at Equinor\nwhat should I reply to this?"],
        ["Dear John,\nI'm leaving you. I moved to Spain.\nYours, Mary\n\nshould I be worried about this letter I got?"],
        ["my boss emailed: I quit. I'm moving to Fiji."],
        ["This is what my neighbor posted: I hate dogs. I am allergic to cats."],
        ["User story: As a nurse, I want to log in. I work at a hospital."],
        ["Bio of the speaker: I'm a painter. I live in Prague."],
        ["WhatsApp chat:\nLena: I'm in Rome\nMax: I'm vegan now"],
    ],
)
def test_words_of_others(talk: list[str]) -> None:
    assert after(talk).listed == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I got a mail from my boss. I live in Rome.", "lives in Rome"),
        ("Hi! Quick question: I live in Rome, do I need a visa?", "lives in Rome"),
        ("Here's my situation: I live in Rome. I'm 34.", "34"),
        ("About me:\nI live in Rome.\nI'm vegan.", "vegan"),
        ("Let's play chess. I live in Rome.", "lives in Rome"),
        ("I watched a play. I live in Rome.", "lives in Rome"),
        ("My role at work: I'm a nurse. I live in Rome.", "lives in Rome"),
        ("My mom texted me this morning. I live in Rome.", "lives in Rome"),
        ("I told my sister that I live in Rome now. I'm vegan.", "vegan"),
        ("Imagine that! I live in Rome.", "lives in Rome"),
        ("What a story! I live in Rome.", "lives in Rome"),
        ("Write me a poem about Rome. I live in Rome.", "lives in Rome"),
        ("Help me write an email to my boss. I work at SAP and I'm pregnant.", "SAP"),
        ("Dear diary... just kidding. I live in Rome.", "lives in Rome"),
        ("You are a helpful travel assistant. I am a nurse from Graz.", "nurse"),
        ("Act as my nutritionist. I'm vegan and I weigh 80 kg.", "vegan"),
        ("Thanks!\n\nI live in Rome.\n\nBest,\nAlice", "lives in Rome"),
        ("Summary of my week: I moved to Rome. I'm vegan now.", "vegan"),
        ("PS: I live in Rome.", "lives in Rome"),
        ("Two things: I live in Rome and I'm vegan.", "Rome"),
        ("This is about my job. I work at SAP.", "SAP"),
        ("Is this correct? I think so. I live in Rome.", "lives in Rome"),
        ("Fun fact: I have three cats.", "three cats"),
    ],
)
def test_words_of_ones_own(text: str, told: str) -> None:
    assert told in " ".join(after(text).listed)
