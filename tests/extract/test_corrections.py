"""Corrections: what was said wrong, or what the assistant has wrong, is taken back with its value."""

from __future__ import annotations

import pytest
from talk import MAY_8
from telling import MONTH, Memory, after


@pytest.mark.parametrize(
    ("talk", "told"),
    [
        (["My birthday is May 4.", "Sorry, I meant my birthday is May 5."], "Alice's birthday is May 5, not May 4."),
        (
            ["My birthday is May 4.", "A: Noted!", "Wait no, actually it's May 6."],
            "Alice's birthday is May 6, not May 4.",
        ),
        (["I live in Dublin.", "No wait, I mean I live in Cork."], "Alice lives in Cork, not Dublin."),
        (
            ["I live in Dublin.", "Actually no, I moved to Cork last week."],
            "Alice moved to Cork last week (week of 1 May 2023).",
        ),
        (["I live in Kreuzberg.", "Scratch that, I live in Neukölln."], "Alice lives in Neukölln, not Kreuzberg."),
        (["A: You live in Oslo.", "Wrong, I live in Bergen"], "Alice lives in Bergen, not Oslo."),
        (
            ["A: As far as I know you live in Oslo.", "That's not right, I live in Bergen."],
            "Alice lives in Bergen, not Oslo.",
        ),
        (["A: Your birthday is May 4.", "No, my birthday is May 5."], "Alice's birthday is May 5, not May 4."),
        (["A: You work at SAP.", "That's outdated, I work at BMW."], "Alice works at BMW, not SAP."),
        (["My dog is called Rex.", "Oops, I meant my dog is called Max."], "Alice's dog is called Max, not Rex."),
        (["I'm 34.", "Correction: I'm 35."], "Alice is 35, not 34."),
        (
            ["My favorite color is blue.", "No wait, I mean my favorite color is aqua."],
            "Alice's favorite color is aqua, not blue.",
        ),
    ],
)
def test_a_correction_in_one_talk(talk: list[str], told: str) -> None:
    memory = after(talk)
    assert memory.listed == [told]
    assert [text for text in memory.standing if not text.startswith("The assistant")] == [told]


def test_a_correction_of_a_correction() -> None:
    memory = after(
        ["My birthday is May 4.", "Sorry, I meant my birthday is May 5.", "A: ok", "Wait no, actually it's May 6."]
    )
    assert memory.listed == ["Alice's birthday is May 6, not May 5."]
    assert len(memory.over) == 2


def test_what_the_assistant_has_wrong_ends_with_its_correction() -> None:
    memory = after("I live in Majorstuen.", ["A: You live in Majorstuen.", "No, I live in Bergen."])
    assert memory.over == ["Alice lives in Majorstuen."]
    assert memory.listed == ["Alice lives in Bergen, not Majorstuen."]


@pytest.mark.parametrize(
    "then", ["No wait, I mean I live in Cork.", "Sorry, I meant I live in Cork.", "Wrong, I live in Cork."]
)
def test_a_correction_a_month_later(then: str) -> None:
    memory = after("I live in Dublin.", then)
    assert memory.over == ["Alice lives in Dublin."]
    assert memory.listed == ["Alice lives in Cork."]


@pytest.mark.parametrize(
    "talk",
    [
        ["I live in Dublin.", "No wait, I mean I love Cork."],
        ["I live in Dublin.", "Sorry, I meant my sister lives in Cork."],
        ["I live in Dublin.", "Actually I work in Cork."],
        ["I live in Dublin.", "Sorry, I can't talk now."],
        ["I live in Dublin.", "A: You should visit Cork.", "No, I live in Dublin."],
        ["I live in Dublin.", "A: Do you live in Cork?", "No, I live in Dublin."],
        ["I live in Dublin.", "Wait, I have a question."],
        ["I live in Dublin.", "I mean, I love it."],
    ],
)
def test_what_corrects_something_else(talk: list[str]) -> None:
    memory = after(talk)
    assert memory.over == []
    assert "Alice lives in Dublin." in memory.listed


def test_work_that_begins_and_ends_in_one_talk() -> None:
    memory = after(
        ["I live in Dublin.", "Actually no, I moved to Cork last week.", "I work at Dell.", "I quit Dell this morning."]
    )
    assert memory.listed == ["Alice moved to Cork last week (week of 1 May 2023)."]
    assert memory.over == ["Alice lives in Dublin.", "Alice works at Dell."]


def test_what_says_that_work_is_over_goes_with_new_work() -> None:
    memory = after("I work at Nike.", "I got fired from Nike", "I found a job at Adidas!")
    assert memory.listed == ["Alice found a job at Adidas!"]
    assert after("I work at Nike.", "I got fired from Nike").listed == ["Alice got fired from Nike"]


def test_a_new_value_of_what_was_listed_takes_its_place() -> None:
    memory = after("My sister Jane lives in Leeds", "Jane moved to York")
    assert memory.listed == ['Alice said: "Jane moved to York"']
    assert memory.profile
    assert [info.category for info in memory.profile.explicit_info] == ["family"]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("My husband Tom is a teacher.", "Tom and I got divorced"),
        ("My husband Tom works at SAP.", "My husband Tom left me"),
        ("My girlfriend Eva lives in Rome.", "I broke up with Eva"),
        ("My dog Rex is afraid of cats.", "Rex died last week"),
        ("My cat loves tuna.", "My cat passed away."),
    ],
)
def test_who_is_gone_is_not_listed(first: str, then: str) -> None:
    before = after(first).listed
    assert len(before) == 1
    assert before[0] not in after(first, then).listed


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("My husband Tom is a teacher.", "Anna and I got divorced"),
        ("My dog Rex is afraid of cats.", "Max died last week"),
        ("My girlfriend Eva lives in Rome.", "My cat passed away."),
        ("My sister Eva lives in Rome.", "I broke up with Eva"),
    ],
)
def test_who_is_not_gone_stays_listed(first: str, then: str) -> None:
    assert after(first).listed[0] in after(first, then).listed


def test_a_move_at_the_turn_of_the_year_ends_with_the_next_one() -> None:
    memory = Memory()
    new_year = MAY_8 + 239 * 86_400_000  # 2 January 2024
    memory.tell("So I finally moved to Lisbon last Tuesday, still living out of boxes", at=new_year)
    assert memory.listed == ["Alice finally moved to Lisbon last Tuesday (26 December 2023), still living out of boxes"]
    memory.tell("So I live in Porto now", at=new_year + MONTH)
    assert memory.listed == ["Alice lives in Porto now"]


def test_history_that_is_told_later_ends_when_the_newer_begins() -> None:
    memory = Memory()
    memory.tell("I live in Dublin.", at=MAY_8 + 7 * MONTH)
    memory.tell("I live in Galway.", at=MAY_8)
    assert memory.over == ["Alice lives in Galway."]
    assert memory.listed == ["Alice lives in Dublin."]


@pytest.mark.parametrize(
    "order",
    [
        *(
            "Please answer in German from now on.",
            "From now on please reply in French.",
            "Can you keep answers short please?",
        ),
        *(
            "Please keep your replies brief.",
            "Could you always answer in English?",
            "Stop using emojis.",
            "No emojis please.",
        ),
        *("In future, use metric units.", "I want you to always call me Lex.", "Going forward, be concise."),
        *("Never use emojis.", "Please never use emojis again.", "Always run the tests before you commit, please."),
    ],
)
def test_a_standing_order(order: str) -> None:
    memory = after(order)
    assert memory.listed == [f'Alice said: "{order}"']


@pytest.mark.parametrize(
    "asked",
    [
        *(
            "Please answer in German.",
            "Can you keep this short?",
            "Can you answer in German?",
            "Keep the receipt.",
            "Use it.",
        ),
        *("You can use emojis again.", "Please answer this in French from here on the list.", "Can you always see me?"),
        *(
            "Never mind.",
            "Avoid using harsh chemicals on the pipes.",
            "Stop it.",
            "No problem, please go on.",
            "Make dinner short and sweet.",
        ),
    ],
)
def test_no_standing_order(asked: str) -> None:
    assert after(asked).listed == []
