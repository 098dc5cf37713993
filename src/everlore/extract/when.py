"""Relative times get the date they mean: "yesterday" becomes "yesterday (7 May 2023)".

The words stay as they were spoken; the date is put behind them. Only times with one plain reading are dated, "a few
days ago" roughly ("around"), and a time that has a bracket behind it is left alone, so doing it twice changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache

from everlore.extract.language import Language, language_of, small
from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("when")
_MONTHS = _KNOWN.in_order("months")
_DAYS = _KNOWN.in_order("days")
_VAGUE = {"a couple": 2, "a couple of": 2, "a few": 3}
_NUMBERS = _VAGUE | {"a": 1, "an": 1} | {word: value for value, word in enumerate(_KNOWN.in_order("numbers"), 1)}
_SEASON_END = {"spring": 5, "summer": 8, "autumn": 11, "fall": 11}


def with_dates(text: str, timestamp: int, zone: tzinfo = UTC) -> str:
    """The text with a date behind each relative time, as meant at `timestamp` (ms)."""
    today = datetime.fromtimestamp(timestamp / 1000, zone).date()
    known = language_of(text)
    if "dates" in known.data:
        return _pattern_of(known).sub(lambda found: _told_in(known, found, today), text)
    if not _KNOWN["hint"].search(text):
        return text
    return _KNOWN["time"].sub(lambda found: _dated(found, today, text), text)


@cache
def _pattern_of(known: Language) -> re.Pattern[str]:
    """All relative times of a language whose data has them."""
    told = known.data["dates"]
    numbers = "|".join([r"\d{1,3}", *sorted(map(re.escape, told["numbers"]), key=len, reverse=True)])
    units = "|".join(sorted(map(re.escape, told["units"]), key=len, reverse=True))
    days = "|".join(map(re.escape, told["weekdays"]["names"]))

    def any_of(name: str, forms: Iterable[str]) -> str:
        listed = sorted(forms, key=len, reverse=True)
        inner = "|".join(re.escape(form).replace(r"\{", "{").replace(r"\}", "}") for form in listed)
        inner = inner.replace("{n}", f"(?:{numbers})").replace("{unit}", f"(?:{units})").replace("{day}", f"(?:{days})")
        return f"(?P<{name}>{inner})"

    groups = (
        any_of("last", told["weekdays"]["last"]),
        any_of("next", told["weekdays"]["next"]),
        any_of("ago", told["counted"]["ago"]),
        any_of("ahead", told["counted"]["ahead"]),
        any_of("span", told["spans"]),
        any_of("near", told["near"]),
    )
    inner = "|".join(groups)
    edged = rf"(?<!\w)(?:{inner})(?!\w)" if known.spaced else f"(?:{inner})"
    return re.compile(rf"{edged}(?!\s*\()", re.IGNORECASE)


def _told_in(known: Language, found: re.Match[str], today: date) -> str:
    told, said = known.data["dates"], small(found[0])
    kind = str(found.lastgroup)
    try:
        if kind == "near":
            meaning = show(today + timedelta(days=told["near"][said]))
        elif kind == "span":
            unit, step = told["spans"][said]
            meaning = _weekend(today + timedelta(weeks=step)) if unit == "weekend" else _shifted(today, step, unit)
        elif kind in ("last", "next"):
            named = max((day for day in told["weekdays"]["names"] if day in said), key=len)
            meaning = _weekday(kind, told["weekdays"]["names"].index(named), today)
        else:
            unit = max((unit for unit in told["units"] if unit in said), key=len)
            words = {word: value for word, value in told["numbers"].items() if word in said.replace(unit, " ", 1)}
            digits = re.search(r"\d+", said)
            count = int(digits[0]) if digits else words[max(words, key=len)]
            meaning = _shifted(today, count if kind == "ahead" else -count, told["units"][unit])
    except (OverflowError, ValueError):  # before year 1 or after 9999
        meaning = ""
    return f"{found[0]} ({meaning})" if meaning else found[0]


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
            return ""


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
