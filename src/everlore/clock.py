"""Time as Everlore sees it: UTC milliseconds inside, the owner's zone for people, ids from dates."""

from __future__ import annotations

import time
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from everlore.errors import InvalidInput, Misconfigured

SECONDS_BELOW = 10**12
"""Smaller timestamps are seconds, as the contract's own example sends them."""
LATEST_MS = 253_402_300_799_999
"""The last millisecond of the year 9999: the end of what a date can name."""


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
        try:
            moment = datetime.fromisoformat(value.strip().upper())  # RFC 3339 has "z" too
        except ValueError as error:
            raise InvalidInput(f"{value!r} is neither epoch milliseconds nor an ISO-8601 time") from error
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=self.zone)
        return int(moment.timestamp() * 1000)


def as_ms(value: int) -> int:
    ms = value if value >= SECONDS_BELOW else value * 1000
    if ms > LATEST_MS:
        raise InvalidInput("the time is beyond the year 9999; send Unix epoch milliseconds")
    return ms


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
