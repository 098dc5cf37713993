"""Whose words they are, and what has changed, as the API and the files show it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from serving import Api

AT = 1_780_000_000_000
"""28 May 2026."""
DAY = 24 * 3600 * 1000


def tell(api: Api, *talks: str | Sequence[str], days: Sequence[int] = ()) -> list[str]:
    """The profile after these talks, a month between them if no days are given. A turn that begins with "A: " is the
    assistant's."""
    for number, talk in enumerate(talks):
        at = AT + (days[number] if days else 30 * number) * DAY
        messages = [
            {
                "sender_id": "bot" if text.startswith("A: ") else "alice",
                "role": "assistant" if text.startswith("A: ") else "user",
                "timestamp": at + turn * 60_000,
                "content": text.removeprefix("A: "),
            }
            for turn, text in enumerate([talk] if isinstance(talk, str) else talk)
        ]
        api.ok("add", session_id=f"s{number}", messages=messages)
        api.ok("flush", session_id=f"s{number}")
    profiles = api.ok("get", user_id="alice", memory_type="profile")["profiles"]
    return [info["description"] for profile in profiles for info in profile["profile_data"]["explicit_info"]]


def assert_ended(api: Api, over: dict[str, str]) -> None:
    """These facts have an end in the files, each on its day; where the store is no folder there are no files."""
    files = api.files("users/alice/facts/*.md")
    entries = [
        entry
        for file in files
        for entry in re.split(r"<!-- /entry:\w+ -->", file.read_text(encoding="utf-8"))
        if "**valid_until**" in entry
    ]
    found = {
        entry.partition("### Fact\n")[2].strip(): entry.partition("**valid_until**: ")[2][:10] for entry in entries
    }
    assert found == (over if files else {})


MAIL = (
    "Can you help me answer this mail?\n\nFrom: Peter Lang <p@x.de>\nTo: Alice\nSubject: Moving\n\nHi Alice,\nI moved "
    "to Zurich last month and I started a new job at UBS. My wife and I are expecting a baby in July!\n\nBest,\nPeter"
)


@pytest.mark.parametrize(
    "talk",
    [
        [MAIL],
        ["Forwarded message from my brother:\n\nHey sis, I got divorced last month. I work at Dell now. Love, Tim"],
        ["Customer complaint: I bought the blender and I hate it. I am 76 years old. Please write a reply."],
        ["Is this sentence correct? I am working as a engineer in Siemens since 2019."],
        ["Let's role-play. You are a doctor, I am a patient named Greg. I'm 80 years old. I live in Texas."],
        ["Pretend to be my interviewer.", "A: Sure! What do you do?", "I'm a pilot, I live in Dubai"],
    ],
)
def test_words_of_others_and_of_parts_are_not_the_users(api: Api, talk: list[str]) -> None:
    assert tell(api, talk) == []
    episodes = api.ok("get", user_id="alice", memory_type="episode")["episodes"]
    assert len(episodes) == 1, "and they are kept"


@pytest.mark.parametrize(
    ("talks", "listed", "over"),
    [
        (
            [["My birthday is May 4.", "A: Nice!", "Sorry, I meant my birthday is May 5."]],
            ["Alice's birthday is May 5."],
            {},
        ),
        (
            ["I live in Oslo.", ["A: You live in Oslo.", "Wrong, I live in Bergen"]],
            ["Alice lives in Bergen"],
            {"Alice lives in Oslo.": "2026-06-27"},
        ),
        (
            ["I work at SAP.", "I joined Google last month."],
            ["Alice joined Google last month (May 2026)."],
            {"Alice works at SAP.": "2026-06-27"},
        ),
        (
            ["I work at Nike.", "I got fired from Nike.", "I found a job at Adidas!"],
            ["Alice found a job at Adidas!"],
            {"Alice works at Nike.": "2026-06-27"},
        ),
        (
            ["My husband is called Tom.", "Tom and I got divorced."],
            [],
            {"Alice's husband is called Tom.": "2026-06-27"},
        ),
        (["I'm vegan.", "I eat meat now."], ["Alice eats meat now."], {"Alice is vegan.": "2026-06-27"}),
        (["I have a dog named Rex.", "I had to put Rex down."], [], {"Alice has a dog named Rex.": "2026-06-27"}),
        (
            ["My sister Jane lives in Leeds.", "Jane moved to York."],
            [],
            {"Alice's sister Jane lives in Leeds.": "2026-06-27"},
        ),
        (["Never use emojis.", "You can use emojis again."], [], {'Alice said: "Never use emojis."': "2026-06-27"}),
        (["Can you keep answers short please?"], ["Can you keep answers short please?"], {}),
    ],
)
def test_what_has_changed(api: Api, talks: list[str | list[str]], listed: list[str], over: dict[str, str]) -> None:
    assert tell(api, *talks) == listed
    assert_ended(api, over)


def test_history_that_is_imported_later(api: Api) -> None:
    assert tell(api, "I live in Dublin.", "I live in Galway.", days=[0, -210]) == ["Alice lives in Dublin."]
    assert_ended(api, {"Alice lives in Galway.": "2026-05-28"})


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I work at Dell.", "My boss quit Dell."),
        ("I work at SAP.", "I started at 9 this morning."),
        ("My husband is called Tom.", "Tom left me a note."),
        ("I have a dog.", "My friend's dog died."),
        ("I want to run a marathon.", "I ran a half marathon."),
    ],
)
def test_what_has_not(api: Api, first: str, then: str) -> None:
    before = tell(api, first)
    assert before == [line for line in tell(api, first, then) if line in before]
    assert_ended(api, {})
