"""What people say of themselves on the way: it reaches the profile, and each half of it ends alone."""

from __future__ import annotations

import pytest
from serving import Api

AT = 1_780_000_000_000
DAY = 24 * 3600 * 1000
UUID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


def listed(api: Api, *texts: str, sender: str = "alice") -> list[str]:
    """The profile after the texts, each in a session of its own."""
    for number, text in enumerate(texts):
        api.tell(f"s{number}", text, sender=sender, at=AT + number * DAY)
    (profile,) = api.ok("get", user_id=sender, memory_type="profile")["profiles"]
    return sorted(info["description"] for info in profile["profile_data"]["explicit_info"])


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["Please remember that I'm allergic to peanuts."], ["Alice is allergic to peanuts."]),
        (["I live in Leeds.", "Oh and fyi I live in York now."], ["Alice lives in York now."]),
        (["I live in Leeds, can you help me?"], ["Alice lives in Leeds."]),
        (
            ["I live in Berlin and I work as a nurse.", "I moved to Hamburg."],
            ["Alice moved to Hamburg.", "Alice works as a nurse."],
        ),
        (["I live in Bonn.", "My wife and I live in Vienna."], ["Alice's wife and Alice live in Vienna."]),
        (["We're vegetarian."], ['Alice said: "We\'re vegetarian."']),
        (["My address is Hauptstr. 5, Munich."], ["Alice's address is Hauptstr. 5, Munich."]),
        (["my friend texted me: 'i am pregnant'", "I wear glasses"], ["Alice wears glasses"]),
    ],
)
def test_it_is_in_the_profile(api: Api, texts: list[str], told: list[str]) -> None:
    assert listed(api, *texts) == told


def test_who_somebody_is(api: Api) -> None:
    assert listed(api, "Hi, I'm Anna Berg.", sender=UUID) == [f"{UUID} is Anna Berg."]


def test_the_end_of_a_long_message(api: Api) -> None:
    talk = " ".join(f"I walked {number} miles and I thought about my garden number {number}." for number in range(60))
    assert len(talk) > 3_000
    assert listed(api, f"{talk} I am allergic to penicillin.") == ["Alice is allergic to penicillin."]


def test_an_outdated_half_ends_and_the_other_is_found(api: Api) -> None:
    listed(api, "I live in Berlin and I work as a nurse.", "I moved to Hamburg.")
    ended = [file for file in api.files("users/alice/facts/*.md") if "valid_until" in file.read_text(encoding="utf-8")]
    if ended:  # where the store is a folder
        (text,) = [file.read_text(encoding="utf-8") for file in ended]
        assert text.count("**valid_until**") == 1
        assert "lives in Berlin." in text.partition("valid_until")[2].partition("<!-- /entry")[0]
