"""Time as Everlore sees it: UTC milliseconds inside, the owner's zone for people, ids from dates."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from everlore.errors import InvalidInput, Misconfigured

DAY_MS = 86_400_000
SECONDS_BELOW = 10**12
"""Smaller timestamps are seconds, as the contract's own example sends them."""
EARLIEST_MS = -62_135_510_400_000
LATEST_MS = 253_402_214_399_999
"""From the second day of the year 1 to the last but one of 9999: what has a date in every zone."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_ISO_DAY = re.compile(r"(?:\d{4}-\d\d-\d\d|\d{8}|\d{4}-?W\d\d(?:-?\d)?)(?:[T ].+)?", re.ASCII)
"""Python takes any character between day and time, also the ninth digit of a number that is no date at all."""


class Clock:
    """The source of "now" and of the zone that people read. Tests pass their own `now`."""

    def __init__(self, zone: str = "UTC") -> None:
        try:
            self.zone: tzinfo = UTC if zone.upper() == "UTC" else ZoneInfo(zone)
        except (KeyError, ValueError, OSError) as error:
            raise Misconfigured(
                f"unknown time zone {zone!r}: set EVEROS_MEMORY__TIMEZONE to a name such as Europe/Berlin"
            ) from error

    def now(self) -> int:
        return time.time_ns() // 1_000_000

    def show(self, ms: int) -> str:
        """ISO-8601 with the offset of the display zone; UTC is written Z."""
        return iso(ms, self.zone)

    def local(self, ms: int) -> datetime:
        return datetime.fromtimestamp(ms / 1000, self.zone)

    def parse(self, value: int | str) -> int:
        """Milliseconds from a number (s or ms) or ISO-8601 text; text without a zone is in ours."""
        if isinstance(value, int):
            return as_ms(value)
        text = value.strip().upper()  # RFC 3339 has "z" too
        try:
            if not _ISO_DAY.fullmatch(text):
                raise ValueError(text)
            moment = datetime.fromisoformat(text)
        except ValueError as error:
            raise InvalidInput(f"{value!r} is not an ISO-8601 time") from error
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=self.zone)
        return in_calendar((moment - _EPOCH) // _MILLISECOND)  # whole numbers: a float loses one now and then


def as_ms(value: int) -> int:
    """What a client sent; never what our own clock said, which is in milliseconds even when it is wrong."""
    return in_calendar(guessed_ms(value))


def guessed_ms(value: int) -> int:
    # as seconds, milliseconds of the years before 2001 would lie beyond the calendar
    seconds = value < SECONDS_BELOW and value * 1000 <= LATEST_MS + DAY_MS
    return value * 1000 if seconds else value


def ahead(moment: int, now: int) -> bool:
    """Whether something is dated so far in the future that it is a mistake: clocks and zones differ by a day at most.
    Such a date is told, and decides nothing."""
    return moment > now + DAY_MS


def in_calendar(ms: int) -> int:
    """A moment on the calendar's outermost days, which people write for "ever", is the nearest that all zones have."""
    if not EARLIEST_MS - DAY_MS <= ms <= LATEST_MS + DAY_MS:
        raise InvalidInput("the time is outside the years 1 to 9999; send Unix epoch milliseconds")
    return min(max(ms, EARLIEST_MS), LATEST_MS)


def iso(ms: int, zone: tzinfo = UTC) -> str:
    moment = datetime.fromtimestamp(ms // 1000, UTC).replace(microsecond=ms % 1000 * 1000).astimezone(zone)
    text = moment.isoformat(timespec="milliseconds" if ms % 1000 else "seconds")
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def day(ms: int) -> str:
    """The UTC date, YYYY-MM-DD."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d")


def entry_id(prefix: str, ms: int, number: int) -> str:
    """`ep_20260528_00000001`: the kind, the UTC date of the entry, its number on that date."""
    return f"{prefix}_{day(ms).replace('-', '')}_{number:08d}"


def spoken_day(ms: int) -> str:
    """The UTC date as people write it: 28 May 2026."""
    moment = datetime.fromtimestamp(ms / 1000, UTC)
    return f"{moment.day} {moment:%B %Y}"
