from __future__ import annotations

import pytest

from everlore.clock import EARLIEST_MS, LATEST_MS, Clock, as_ms, day, entry_id, iso, spoken_day
from everlore.errors import InvalidInput, Misconfigured

MAY = 1_780_000_000_123
"""28 May 2026, 20:26:40.123 UTC."""


def test_times_are_shown_in_the_zone_of_the_owner() -> None:
    assert iso(MAY) == "2026-05-28T20:26:40.123Z"
    assert Clock("Europe/Berlin").show(MAY) == "2026-05-28T22:26:40.123+02:00"
    assert Clock("Europe/Berlin").local(MAY).hour == 22
    assert (day(MAY), spoken_day(MAY)) == ("2026-05-28", "28 May 2026")
    assert entry_id("ep", MAY, 7) == "ep_20260528_00000007"


@pytest.mark.parametrize("value", [MAY, "2026-05-28T20:26:40.123Z", "2026-05-28t22:26:40.123+02:00"])
def test_times_are_read_as_numbers_and_as_text(value: int | str) -> None:
    assert Clock().parse(value) == MAY


def test_a_text_without_a_zone_is_in_the_owners() -> None:
    assert Clock("Europe/Berlin").parse("2026-05-28T22:26:40.123") == MAY


def test_seconds_and_milliseconds_are_told_apart() -> None:
    assert as_ms(1_780_000_000) == 1_780_000_000_000
    assert as_ms(MAY) == MAY


def test_the_ends_of_the_calendar_are_kept_and_what_lies_beyond_is_refused() -> None:
    assert Clock().parse("0001-01-01T00:00:00Z") == EARLIEST_MS
    assert Clock().parse("9999-12-31T23:59:59Z") == LATEST_MS
    with pytest.raises(InvalidInput, match="years 1 to 9999"):
        as_ms(10**17)


@pytest.mark.parametrize("text", ["", "yesterday", "202605281", "2026-13-01"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="ISO-8601"):
        Clock().parse(text)


def test_a_zone_that_is_none_is_named() -> None:
    with pytest.raises(Misconfigured, match="Mars/Olympus"):
        Clock("Mars/Olympus")
