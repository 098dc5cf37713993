"""What happens on this server, as it happens: requests, what was recalled for whom, and which memories were used.

A ring in memory, for people who look and for `/api/v1/events`; nothing of it is kept. What the files and the index went
through is read from them, so that what other processes do to the vault is seen as well.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from everlore.accounts.values import Principal
from everlore.types import Json, Owner

KEPT = 500
USES = 20_000
SLOW_MS = 500.0
SHOWN = 120
"""Characters of a question."""


@dataclass(frozen=True, slots=True)
class Event:
    number: int
    at: int
    kind: str
    """`request` or `recall`."""
    account: str
    """Whose request it was; "" for the vault's owner."""
    owner: Owner | None
    data: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Use:
    """When a memory was given to somebody last."""

    at: int
    by: str
    what: str


class Feed:
    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=KEPT)
        self._uses: OrderedDict[str, Use] = OrderedDict()
        self._last = 0
        self._lock = threading.Lock()

    def request(self, account: str, method: str, route: str, status: int, ms: float) -> None:
        self._add("request", account, None, {"method": method, "route": route, "status": status, "ms": round(ms, 1)})

    def recalled(self, owner: Owner | None, recipe: str, question: str, found: Iterable[tuple[str, str]]) -> None:
        """`found`: handles and public ids of what was given."""
        given = list(found)
        shown = " ".join(question.split())[:SHOWN]
        self._add("recall", "", owner, {"recipe": recipe, "question": shown, "memories": [id_ for _, id_ in given]})
        use = Use(_now(), recipe, shown)
        with self._lock:
            for handle, _ in given:
                self._uses[handle] = use
                self._uses.move_to_end(handle)
            while len(self._uses) > USES:
                self._uses.popitem(last=False)

    @property
    def last(self) -> int:
        return self._last

    def since(self, number: int) -> list[Event]:
        with self._lock:
            return [event for event in self._events if event.number > number]

    def last_used(self, handle: str) -> Use | None:
        with self._lock:
            return self._uses.get(handle)

    def _add(self, kind: str, account: str, owner: Owner | None, data: Mapping[str, Json]) -> None:
        with self._lock:
            self._last += 1
            self._events.append(Event(self._last, _now(), kind, account, owner, data))


def visible(event: Event, who: Principal | None) -> bool:
    """Whether this is for that caller to see: requests of their own account, recalls in their own space."""
    if who is None:
        return True
    return event.account == who.account.id if event.owner is None else who.owns(event.owner.scope)


def _now() -> int:
    return time.time_ns() // 1_000_000
