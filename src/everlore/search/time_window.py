"""The time a question speaks of: "last week", "in May 2023", "on 8 May 2023" become a stretch of time.

Relative times are read by `extract.when`, which puts the date behind them; here the dates are read.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, tzinfo

from everlore.extract.when import with_dates
from everlore.types import AllOf, Filter, Predicate

_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?P<{0}>(?:19|20)\d\d)"
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9}
_FIRST_THREE = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_STRETCH = re.compile(
    rf"""\b(?:
    (?P<iso>(?:19|20)\d\d-\d\d-\d\d)
    |(?P<week>week\ of\ )?(?P<first>\d{{1,2}})(?:st|nd|rd|th)?(?:\s?[–-]\s?(?P<last>\d{{1,2}}))?\ (?:of\ )?
      {_MONTH.format("month_after")},?\ {_YEAR.format("year_after")}
    |{_MONTH.format("month_before")}\ (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\ {_YEAR.format("year_before")}
    |{_MONTH.format("month")},?\ (?:of\ )?{_YEAR.format("year_of_month")}
    |(?P<season>spring|summer|autumn|fall)\ (?:of\ )?{_YEAR.format("year_of_season")}
    |{_YEAR.format("year")}
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)


def stretch(text: str, now: int, zone: tzinfo) -> tuple[int, int] | None:
    """First and last millisecond of the first time that a text asked at `now` names; None if it names none."""
    found = _STRETCH.search(with_dates(text, now, zone))
    try:
        days = _days(found) if found else None
    except (ValueError, OverflowError):  # 31 February, or the year 10000
        return None
    if days is None:
        return None
    begin, end = (datetime(day.year, day.month, day.day, tzinfo=zone) for day in days)
    return int(begin.timestamp() * 1000), int(end.timestamp() * 1000) - 1


def inside(begin: int, end: int, further: Filter | None) -> Filter:
    within = (Predicate("timestamp", "gte", begin), Predicate("timestamp", "lte", end))
    return AllOf(within if further is None else (*within, further))


def _days(found: re.Match[str]) -> tuple[date, date]:
    """The first day and the one after the last."""
    if found["iso"]:
        return _from(date.fromisoformat(found["iso"]), 1)
    if found["month_after"]:
        first = date(int(found["year_after"]), _month(found["month_after"]), int(found["first"]))
        length = int(found["last"]) - first.day + 1 if found["last"] else 1
        return _from(first, 7 if found["week"] else max(1, length))
    if found["month_before"]:
        return _from(date(int(found["year_before"]), _month(found["month_before"]), int(found["day"])), 1)
    if found["month"]:
        return _months(int(found["year_of_month"]), _month(found["month"]), 1)
    if found["season"]:
        return _months(int(found["year_of_season"]), _SEASONS[found["season"].lower()], 3)
    return _months(int(found["year"]), 1, 12)


def _month(name: str) -> int:
    return _FIRST_THREE.index(name[:3].lower()) + 1


def _from(first: date, length: int) -> tuple[date, date]:
    return first, first + timedelta(days=length)


def _months(year: int, month: int, length: int) -> tuple[date, date]:
    after = year * 12 + month - 1 + length
    return date(year, month, 1), date(after // 12, after % 12 + 1, 1)
