"""Relative times get the date they mean: "yesterday" becomes "yesterday (7 May 2023)".

The words stay as they were spoken; the date is put behind them. Only times with one plain reading are dated, "a few
days ago" roughly ("around"), and a time that has a bracket behind it is left alone, so doing it twice changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo

from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("when")
_MONTHS = _KNOWN.in_order("months")
_DAYS = _KNOWN.in_order("days")
_VAGUE = {"a couple": 2, "a couple of": 2, "a few": 3}
_NUMBERS = _VAGUE | {"a": 1, "an": 1} | {word: value for value, word in enumerate(_KNOWN.in_order("numbers"), 1)}
_WIDE = {"前天": -2, "昨天": -1, "今天": 0, "明天": 1, "后天": 2}
_SEASON_END = {"spring": 5, "summer": 8, "autumn": 11, "fall": 11}


def with_dates(text: str, timestamp: int, zone: tzinfo = UTC) -> str:
    """The text with a date behind each relative time, as meant at `timestamp` (ms)."""
    if not _KNOWN["hint"].search(text):
        return text
    today = datetime.fromtimestamp(timestamp / 1000, zone).date()
    return _KNOWN["time"].sub(lambda found: _dated(found, today, text), text)


def show(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _dated(found: re.Match[str], today: date, text: str) -> str:
    try:
        meaning = _meaning(found, today, text)
    except (OverflowError, ValueError):  # before year 1 or after 9999
        meaning = ""
    return f"{found[0]} ({meaning})" if meaning else found[0]


def _meaning(found: re.Match[str], today: date, text: str) -> str:
    match found.lastgroup:
        case "near":
            return show(today + timedelta(days=_near(found["near"].lower())))
        case "ago":
            return _counted(today, found["ago_n"], found["ago_unit"], -1)
        case "ahead":
            if found["in_n"] and (_KNOWN["past"].search(text) or not _KNOWN["future"].search(text)):
                return ""  # "in two weeks" may be how long something took
            return _counted(today, found["in_n"] or found["from_n"], found["in_unit"] or found["from_unit"], 1)
        case "span":
            return _span(found["which"].lower(), found["what"].lower(), today)
        case "month":
            name = found["month_name"]
            return _month(found["month_which"].lower(), name, today) if name[0].isupper() else ""
        case _:
            return show(today + timedelta(days=_WIDE[found["wide"]]))


def _near(words: str) -> int:
    if words.startswith("the day"):
        return -2 if "before" in words else 2
    if words.startswith(("yesterday", "last")):
        return -1
    return 1 if words.startswith("tomorrow") else 0


def _counted(today: date, count: str, unit: str, sign: int) -> str:
    number = int(count) if count.isdigit() else _NUMBERS[count.lower()]
    shifted = _shifted(today, sign * number, unit)
    return f"around {shifted}" if count.lower() in _VAGUE else shifted


def _shifted(today: date, count: int, unit: str) -> str:
    kind = unit.lower().rstrip("s")
    if kind == "day":
        return show(today + timedelta(days=count))
    if kind == "week":
        return _week(today + timedelta(weeks=count))
    if kind == "month":
        month = today.year * 12 + today.month - 1 + count
        return f"{_MONTHS[month % 12]} {date(month // 12, 1, 1).year}"
    return str(date(today.year + count, 1, 1).year)


def _week(day: date) -> str:
    return f"week of {show(day - timedelta(days=day.weekday()))}"


def _span(which: str, what: str, today: date) -> str:
    step = {"last": -1, "this": 0, "next": 1}[which]
    if what in _DAYS:
        return _weekday(which, _DAYS.index(what), today)
    handlers: dict[str, Callable[[], str]] = {
        "week": lambda: _week(today + timedelta(weeks=step)),
        "weekend": lambda: _weekend(today + timedelta(weeks=step)),
        "month": lambda: _shifted(today, step, "month"),
        "year": lambda: _shifted(today, step, "year"),
    }
    return handlers[what]() if what in handlers else _season(which, what, today)


def _weekday(which: str, wanted: int, today: date) -> str:
    if which == "last":
        return show(today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1))
    if which == "this":
        return show(today + timedelta(days=(wanted - today.weekday()) % 7))
    return show(today + timedelta(days=7 - today.weekday() + wanted))


def _weekend(day: date) -> str:
    saturday = day + timedelta(days=5 - day.weekday())
    sunday = saturday + timedelta(days=1)
    return f"{saturday.day}–{show(sunday)}" if saturday.month == sunday.month else f"{show(saturday)} – {show(sunday)}"


def _season(which: str, what: str, today: date) -> str:
    if what == "winter":
        if which != "last":
            return ""
        end = today.year if today.month > 2 else today.year - 1
        return f"winter {end - 1}/{end}"
    over = today.month > _SEASON_END[what]
    year = {"last": today.year if over else today.year - 1, "this": today.year, "next": today.year + 1}[which]
    # "next summer" said in spring may mean the one that is about to begin
    return "" if which == "next" and today.month < _SEASON_END[what] - 2 else f"{what} {year}"


def _month(which: str, name: str, today: date) -> str:
    month = _MONTHS.index(name.capitalize()) + 1
    if which == "last":
        return f"{name} {today.year if month < today.month else today.year - 1}"
    return f"{name} {today.year if month > today.month else today.year + 1}"
