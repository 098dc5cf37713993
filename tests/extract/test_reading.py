"""What readings share: names, and a value told from a remark."""

from __future__ import annotations

import pytest

from everlore.extract.reading import anonymous, for_a_time, for_work, is_name, is_somebody, names_of, names_value


@pytest.mark.parametrize(
    ("what", "text", "is_value"),
    [
        ("boss", "Karen", True),
        ("boss", "annoying", False),
        ("boss", "German", False),
        ("birthday", "on 3 May", True),
        ("birthday", "in two weeks", False),
        ("salary", "3000 euros", True),
        ("salary", "too low", False),
        ("email", "a@b.com", True),
        ("email", "private", False),
        ("address", "Baker Street", True),
        ("address", "near the station", False),
    ],
)
def test_a_value_is_told_from_a_remark(what: str, text: str, is_value: bool) -> None:
    assert names_value(what, text) is is_value


@pytest.mark.parametrize("rest", [" for the summer.", " until May", " on weekends", " when I visit", " this month."])
def test_a_place_for_a_time_is_no_home(rest: str) -> None:
    assert for_a_time(rest)
    assert not for_a_time(" since 2019")


def test_a_car_for_work_is_not_ones_own() -> None:
    assert for_work(" for work.")
    assert for_work(" during the week")
    assert not for_work(" and loves it")


def test_a_word_that_no_dictionary_has_is_a_name() -> None:
    assert is_name("siemens")
    assert not is_name("table")
    assert is_somebody("Jane")
    assert not is_somebody("Everybody")


def test_patterns_need_not_know_who_speaks() -> None:
    assert anonymous("Al", "Al met Ali.") == "WHO met Ali."
    assert names_of("alice", ("wife", "husband")) == ("alice's wife: name", "alice's husband: name")
