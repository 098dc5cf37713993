"""What a lesson or a skill may tell of people: nothing."""

from __future__ import annotations

import pytest

from everlore.extract.agent.mask import introduced, is_personal, mask


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("refund to mia.li3818@example.com failed", "refund to <email> failed"),
        ("user mia_li_3668 not found", "user <id> not found"),
        ("flight HAT069 of booking ZFA04Y", "flight <id> of booking <id>"),
        ("order #W5744371 and #12", "order <id> and <id>"),
        ("card credit_card_4421486", "card <id>"),
        ("commit 4f2a9c1 broke it", "commit <id> broke it"),
        ("id 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "id <id>"),
        ("call +49 170 1234567 now", "call +00 000 0000000 now"),
        ("invoice 551207", "invoice 000000"),
        ("born 1990-04-05, not 12/03/2026", "born 0000-00-00, not 00/00/0000"),
        ("phone number of Ewa Nowak needs a country", "phone number of <name> needs a country"),
        ("ask Dr. Weiss or Mrs Amari", "ask <name> or <name>"),
    ],
)
def test_ids_names_and_numbers_are_masked(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "python3.11 reads utf-8, sha256 and base64",
        "src/a.ts(3,5): error TS2304: Cannot find name 'x'",
        "error[E0382]: borrow of moved value",
        "HTTP 404 Not Found, 502 Bad Gateway",
        "listen EADDRINUSE: address already in use :::3000",
        "pip install django==5.1.2",
        "--max-old-space-size=4096",
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xfc",
        "GitHub Actions and Visual Studio",
        "v2 of the api, page 3 of 12",
    ],
)
def test_what_is_public_stays(text: str) -> None:
    assert mask(text) == text


def test_known_people_are_masked_in_any_form() -> None:
    assert mask("ask anna_schmidt, Anna or ANNA", {"Anna", "anna_schmidt"}) == "ask <name>, <name> or <name>"
    assert mask("the banner is gone", {"Ann"}) == "the banner is gone"


def test_arguments_and_introductions_that_name_somebody() -> None:
    assert is_personal("customer_id")
    assert is_personal("Name")
    assert not is_personal("currency")
    assert introduced(["Hi, my name is Ewa Nowak.", "ich heiße Jonas", "this is urgent"]) == {"Ewa Nowak", "Jonas"}
