"""Sessions that nobody speaks in any more: what was said there is extracted without being asked for.

Silence is measured from when a server first saw the newest message, not from what the message says of its time: an
import brings old talks, and clocks of clients are theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from everlore.engine import Engine
from everlore.errors import EverloreError
from everlore.logs import get_logger
from everlore.memory.extraction import retry
from everlore.memory.remember import flush
from everlore.types import Scope

log = get_logger("everlore.memory")


@dataclass
class Heard:
    """The newest message of each session that waits, and when it was first seen."""

    newest: dict[tuple[Scope, str], tuple[int, float]] = field(default_factory=dict)

    def close(self) -> None:
        """Nothing to release."""


def _heard(_: Engine) -> Heard:
    return Heard()


def flush_silent(engine: Engine) -> int:
    """Extract the sessions that have been silent for as long as the settings say; returns how many."""
    limit, now = engine.settings.boundary_detection.silence_minutes * 60, monotonic()
    if not limit:
        return 0
    heard, waiting = engine.part(_heard), engine.buffer.open_sessions()
    before = heard.newest
    heard.newest = {
        one: before[one] if one in before and before[one][0] == number else (number, now)
        for one, number in waiting.items()
    }
    silent = [one for one, (_, since) in heard.newest.items() if now - since >= limit]
    for scope, session_id in silent:
        try:
            flush(engine, scope, session_id)
        except EverloreError as error:  # it is tried again, with what waits
            log.warning("a silent session could not be extracted yet", session_id=session_id, reason=str(error))
    return len(silent)


def come_back(engine: Engine) -> int:
    """What a server's thread does now and then: what failed before, and what nobody goes on with."""
    flush_silent(engine)
    return retry(engine)
