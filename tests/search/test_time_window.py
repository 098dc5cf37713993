"""Which stretch of time a question means."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from everlore.search.time_window import stretch

NOW = int(datetime(2026, 11, 16, 12, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What did I do yesterday?", "2026-11-15", "2026-11-15"),
        ("what happened last week", "2026-11-09", "2026-11-15"),
        ("Who called two weeks ago?", "2026-11-02", "2026-11-08"),
        ("Where was I last weekend?", "2026-11-14", "2026-11-15"),
        ("our trip last summer", "2026-06-01", "2026-08-31"),
        ("What did Ada say on 8 May 2023?", "2023-05-08", "2023-05-08"),
        ("What did Ada say on May 8th, 2023?", "2023-05-08", "2023-05-08"),
        ("the notes of 2023-05-08", "2023-05-08", "2023-05-08"),
        ("plans in Sept. 2024", "2024-09-01", "2024-09-30"),
        ("December 2023", "2023-12-01", "2023-12-31"),
        ("What did I learn in 2021?", "2021-01-01", "2021-12-31"),
    ],
)
def test_times_are_understood(text: str, first: str, last: str) -> None:
    found = stretch(text, NOW, UTC)
    assert found is not None
    assert [datetime.fromtimestamp(moment / 1000, UTC).date().isoformat() for moment in found] == [first, last]


@pytest.mark.parametrize(
    "text", ["", "Where do I climb?", "31 February 2023", "may I come?", "room 12345", "in a week"]
)
def test_what_names_no_time_has_no_window(text: str) -> None:
    assert stretch(text, NOW, UTC) is None


def test_days_are_those_of_the_owners_zone() -> None:
    found = stretch("8 May 2023", NOW, ZoneInfo("Asia/Tokyo"))
    assert found is not None
    assert datetime.fromtimestamp(found[0] / 1000, UTC).isoformat() == "2023-05-07T15:00:00+00:00"
