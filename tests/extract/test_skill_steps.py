"""The steps that the runs of a skill have in common."""

from __future__ import annotations

from skills import made, steps, written

from everlore.extract.skill import SOURCES

# -- what it says


def test_what_differs_between_runs_is_told_by_its_name() -> None:
    assert steps(
        "1. `search_hotels(city=Porto, max=120)`: ok\n2. `book_hotel(id=h1, guests=1)`: ok",
        "1. `search_hotels(city=Vienna, near=Hbf, max=150)`: ok\n2. `book_hotel(id=v7, guests=1)`: ok",
    ) == ["1. `search_hotels(city, max)`", "2. `book_hotel(id, guests=1)`"]


def test_commands_keep_the_words_that_all_runs_have() -> None:
    assert steps(
        "1. `bash(command=certbot renew --cert-name a.io)`: ok\n2. `Bash(command=ls -l, description=Look)`: ok",
        "1. `bash(command=certbot renew --cert-name b.io)`: ok\n2. `Bash(command=ls -l, description=See)`: ok",
    ) == ["1. `certbot renew --cert-name …`", "2. `ls -l`"]


def test_several_calls_of_one_tool_are_told_apart() -> None:
    light = "`call_service(domain=light, service=turn_off)`: ok"
    assert steps(
        f"1. {light}\n2. `call_service(domain=climate, service=set, temperature=18)`: ok",
        f"1. `call_service(domain=climate, service=set, temperature=17)`: ok\n2. {light}",
    ) in (
        [
            "1. `call_service(domain=light, service=turn_off)`",
            "2. `call_service(domain=climate, service=set, temperature)`",
        ],
        [
            "1. `call_service(domain=climate, service=set, temperature)`",
            "2. `call_service(domain=light, service=turn_off)`",
        ],
    )


def test_a_page_of_many_runs_stays_readable() -> None:
    cases = [made(number, f"Book a flight to place {number}") for number in range(40)]
    skill = written(*cases)
    assert len(skill.source_case_ids) == 40
    sources = skill.content.partition("## Sources\n\n")[2].splitlines()
    assert sources[0] == "- … and earlier ones"
    assert sum("`helper_ac_" in line for line in sources) == SOURCES
    assert "00000039" in sources[SOURCES]
