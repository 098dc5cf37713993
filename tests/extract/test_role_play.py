"""What is said in a part that somebody plays says nothing of them."""

from __future__ import annotations

import pytest
from talk import ALICE, MAY_8, MINUTE, cell, message

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
