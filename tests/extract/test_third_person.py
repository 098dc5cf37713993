from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.extract.third_person import third_person


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I love climbing in Yosemite every spring.", "Alice loves climbing in Yosemite every spring."),
        ("My favorite coffee shop is Blue Bottle.", "Alice's favorite coffee shop is Blue Bottle."),
        ("I bike to work most days.", "Alice bikes to work most days."),
        ("I really love my dog and it loves me.", "Alice really loves their dog and it loves them."),
        ("I quit my job and moved to Berlin.", "Alice quit their job and moved to Berlin."),
        ("I'm a nurse and work at Charité.", "Alice is a nurse and works at Charité."),
        ("I’ve been there.", "Alice has been there."),
        ("I'd already gone home.", "Alice had already gone home."),
        ("I'd love to go.", "Alice would love to go."),
        ("I'll call her.", "Alice will call her."),
        ("I'm Alice, I've been a nurse for years.", "Alice has been a nurse for years."),
        ("I'm Alice and I work at Charité.", "Alice works at Charité."),
        ("I'm Alice, a nurse from Porto.", "Alice is a nurse from Porto."),
        ("I'm Alice Silva, I'm 34.", "Alice is Alice Silva, Alice is 34."),
        ("Born in Graz, I live in Vienna.", "Born in Graz, Alice lives in Vienna."),
        ("I don't eat meat.", "Alice doesn't eat meat."),
        ("I can't swim.", "Alice can't swim."),
        ("I read every night.", "Alice reads every night."),
        ("I found a gym and go there on Mondays.", "Alice found a gym and goes there on Mondays."),
        ("I feed the cat at noon.", "Alice feeds the cat at noon."),
        ("I read the news twice a day.", "Alice reads the news twice a day."),
        ("I read a book yesterday.", "Alice read a book yesterday."),
        ("I want to travel and see the world.", "Alice wants to travel and see the world."),
        ("I like bread and butter.", "Alice likes bread and butter."),
        ("I wake up at 6 and go running.", "Alice wakes up at 6 and goes running."),
        ("My wife and I have two kids.", "Alice's wife and Alice have two kids."),
        ("My wife and I love Paris.", "Alice's wife and Alice love Paris."),
        ("Sarah and I love Paris.", "Sarah and Alice love Paris."),
        ("I live in Berlin and I work as a nurse.", "Alice lives in Berlin and Alice works as a nurse."),
        ("I love hiking and I hate running.", "Alice loves hiking and Alice hates running."),
        ("In summer, I swim and I run.", "In summer, Alice swims and Alice runs."),
        ("I love the park and I hate running.", "Alice loves the park and Alice hates running."),
        ("I left the party and I'm at home.", "Alice left the party and Alice is at home."),
        ("I think my kids and I love Paris.", "Alice thinks their kids and Alice love Paris."),
        ("My mom called and I answered.", "Alice's mom called and Alice answered."),
        ("It makes me happy.", "It makes Alice happy."),
        ("I taught myself piano.", "Alice taught themself piano."),
        ("That book of mine is old.", "That book of Alice's is old."),
        ("i moved to paris", "Alice moved to paris"),
        ("The people I know say I am kind.", "The people Alice knows say Alice is kind."),
        ("Last week, my grandma passed away.", "Last week, Alice's grandma passed away."),
        ("I found a job.", "Alice found a job."),
        ("I sold the Clio and drive a Panda now.", "Alice sold the Clio and drives a Panda now."),
        ("I sold it and put the money away.", "Alice sold it and put the money away."),
        ("I drive a truck and hate it.", "Alice drives a truck and hates it."),
        ("Please note: I prefer tea.", "Please note: Alice prefers tea."),
        ("Work is killing me.", "Work is killing Alice."),
        ("The file is my_file__v2.txt on my disk.", "The file is my_file__v2.txt on Alice's disk."),
        ("I call `my_dog.bark()` in my class.", "Alice calls `my_dog.bark()` in their class."),
        ("He's a chef and I'm a waiter.", "He's a chef and Alice is a waiter."),
        ("It's late and I'm at home.", "It's late and Alice is at home."),
        ("My wife's sister and I are vegan.", "Alice's wife's sister and Alice are vegan."),
        ("Oh and I'm vegan.", "Oh and Alice is vegan."),
        ("tom and i live in rome.", "tom and Alice live in rome."),
        ("I live in Cork, work at Apple and study law.", "Alice lives in Cork, works at Apple and studies law."),
        ("I work at Apple and study law.", "Alice works at Apple and studies law."),
        ("I moved to Rome and work at FAO.", "Alice moved to Rome and works at FAO."),
        ("I love art, take a look!", "Alice loves art, take a look!"),
        ("I have great memories, like our trip.", "Alice has great memories, like their trip."),
        ("I make a plan or to-do list.", "Alice makes a plan or to-do list."),
        ("I work with dance and study groups.", "Alice works with dance and study groups."),
        ("I'm reading 'I Am Legend'.", "Alice is reading 'I Am Legend'."),
        ("My friend texted me: 'i am pregnant'", "Alice's friend texted them: 'i am pregnant'"),
        ('I said "no" to my boss.', 'Alice said "no" to their boss.'),
        ("My boss calls me “my hero”.", "Alice's boss calls them “my hero”."),
        ("I love 'We Need to Talk' and my friends' band.", "Alice loves 'We Need to Talk' and their friends' band."),
        ("I don't know what 'my' means.", "Alice doesn't know what 'my' means."),
        ("I live in the US and work for US Steel.", "Alice lives in the US and works for US Steel."),
        ("I love our dog and it loves us.", "Alice loves their dog and it loves them."),
        ("My kids and our dog are here.", "Alice's kids and their dog are here."),
    ],
)
def test_first_person_becomes_third(text: str, expected: str) -> None:
    assert third_person(text, "Alice") == expected


@pytest.mark.parametrize(
    "text",
    [
        "We went home.",
        "I think you are right.",
        'I said "no to my boss.',
        '"I am vegan."',
        "Our dog loves me.",
        "They gave us my book.",
        "I know what they did for us.",
        "I told u so.",
        "I think we're late.",
        "So do I.",
        "World War I was long.",
        "Went to my mom's house.",
        "Gonna continue my studies.",
        "Plus my full support.",
        "The gold mine was deep.",
        "I, too, love it.",
        "Don't call me Miss.",
        "Skip Nara, I hated it.",
        "Remind me to call her.",
        "Am I late?",
        "Handed in my notice, I start in May.",
        "Says I am lazy and I never finish.",
        "Thought I lost my keys.",
        "",
    ],
)
def test_what_is_not_safe_is_left_to_be_quoted(text: str) -> None:
    assert third_person(text, "Alice") is None


WORDS = [
    "I",
    "I'm",
    "my",
    "me",
    "mine",
    "and",
    "love",
    "was",
    "to",
    ",",
    ".",
    "have",
    "run",
    "the",
    "do",
    "i'd",
    "xyzzy",
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join))
def test_no_first_person_is_left_over(text: str) -> None:
    rewritten = third_person(text, "Bo")
    if rewritten is not None:
        words = rewritten.replace(",", " ").replace(".", " ").lower().split()
        assert not {"i", "i'm", "my", "me", "mine", "i'd"} & set(words)
