"""Locks across processes, as rows with an end: who dies holds nothing for long, and no session is bound.

A lease is a row that says who has a name and until when; its holder renews it while it works, in one statement for all
it holds. So nothing stays locked after an error or a lost connection, and a proxy may give each statement another
session.
Who could not renew in time, since it was stopped or cut off, looks whether it still has the name before it writes on:
`Unavailable` if another has taken it. Threads of one process wait for each other without asking the database.

The table is not logged: after a crash of the database nobody holds anything, which is what an empty table says.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from everlore.errors import EverloreError, Unavailable
from everlore.postgres.parts import Part
from everlore.tenants import digest128

LEASE_SECONDS = 6.0
RENEW_SECONDS = 2.0
SURE_SECONDS = 4.0
"""So long after it asked, a holder is sure that nobody else has the name: less than the lease, as clocks run apart."""
SHORTEST_PAUSE, LONGEST_PAUSE = 0.005, 0.25

PART = Part(
    "leases",
    ("CREATE UNLOGGED TABLE leases(name uuid PRIMARY KEY, token uuid NOT NULL, until timestamptz NOT NULL)",),
    {"leases": "local"},
)

_UNTIL = f"clock_timestamp() + interval '{LEASE_SECONDS} seconds'"
_TAKE = (
    f"INSERT INTO leases(name, token, until) VALUES(?, ?, {_UNTIL}) ON CONFLICT(name) DO UPDATE"
    " SET token = excluded.token, until = excluded.until"
    # also our own: it was written, and only the answer was lost
    " WHERE leases.until < clock_timestamp() OR leases.token = excluded.token RETURNING 1"
)
_RENEW = f"UPDATE leases SET until = {_UNTIL} WHERE token = ANY(?) RETURNING token"
_END = "DELETE FROM leases WHERE name = ? AND token = ?"


Apart = Callable[[Callable[[Any], Any]], Any]
"""Runs work on a connection that nothing else is under way on, each statement by itself."""


@dataclass(slots=True)
class Lease:
    name: str
    key: UUID
    token: UUID = field(default_factory=uuid4)
    asked: float = 0.0
    """When we last asked and got it."""


class Leases:
    def __init__(self, apart: Apart) -> None:
        self._apart = apart
        self._guard = threading.Condition()
        self._held: dict[UUID, Lease] = {}
        self._here: set[str] = set()
        """Names that a thread of this process has, or is taking."""
        self._mine = threading.local()
        self._renewing: threading.Thread | None = None
        self._closed = False

    @contextlib.contextmanager
    def hold(self, name: str, timeout: float) -> Iterator[None]:
        """A thread may take a name again that it has."""
        mine = self._of_thread()
        if name in mine:
            yield
            return
        deadline = time.monotonic() + timeout
        with self._alone_here(name, timeout):
            lease = self._taken(name, deadline)
            mine[name] = lease
            try:
                yield
            finally:
                del mine[name]
                self._end(lease)

    @contextlib.contextmanager
    def _alone_here(self, name: str, timeout: float) -> Iterator[None]:
        """Against the other threads of this process only."""
        with self._guard:
            if not self._guard.wait_for(lambda: name not in self._here, timeout):
                raise _busy(name)
            self._here.add(name)
        try:
            yield
        finally:
            with self._guard:
                self._here.discard(name)
                self._guard.notify_all()

    def any(self) -> bool:
        """Whether this thread holds something."""
        return bool(self._of_thread())

    def check(self) -> None:
        """Before this thread writes: it still has what it thinks it has."""
        for lease in list(self._of_thread().values()):
            if time.monotonic() > lease.asked + SURE_SECONDS and not self._renewed([lease]):
                raise Unavailable(f"{lease.name} was taken over by another process, as this one was slow; try again")

    def close(self) -> None:
        with self._guard:
            self._closed = True
            self._guard.notify_all()

    def _of_thread(self) -> dict[str, Lease]:
        found: dict[str, Lease] = self._mine.__dict__.setdefault("leases", {})
        return found

    def _taken(self, name: str, deadline: float) -> Lease:
        lease = Lease(name, digest128(name))
        pause = SHORTEST_PAUSE
        while True:
            asked = time.monotonic()
            if self._apart(lambda c: c.rows(_TAKE, (lease.key, lease.token))):
                lease.asked = asked
                with self._guard:
                    self._held[lease.token] = lease
                    if self._renewing is None:
                        self._renewing = threading.Thread(target=self._renew, name="everlore-leases", daemon=True)
                        self._renewing.start()
                return lease
            if time.monotonic() + pause > deadline:
                raise _busy(name)
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(2 * pause, LONGEST_PAUSE)

    def _end(self, lease: Lease) -> None:
        with self._guard:
            del self._held[lease.token]
        with contextlib.suppress(EverloreError):  # then it ends by itself
            self._apart(lambda c: c.run(_END, (lease.key, lease.token)))

    def _renew(self) -> None:
        """Until this is closed; asks nothing of the database while nothing is held for long."""
        while True:
            with self._guard:
                if self._guard.wait_for(lambda: self._closed, RENEW_SECONDS / 2):
                    return
                now = time.monotonic()
                old = [lease for lease in self._held.values() if now > lease.asked + RENEW_SECONDS]
            if old:
                with contextlib.suppress(EverloreError):  # tried again in a moment, and looked at before a write
                    self._renewed(old)

    def _renewed(self, leases: list[Lease]) -> bool:
        """Whether all of them are still ours."""
        asked = time.monotonic()
        found = self._apart(lambda c: c.rows(_RENEW, ([lease.token for lease in leases],)))
        ours = {token for (token,) in found}
        for lease in leases:
            if lease.token in ours:
                lease.asked = asked
        return len(ours) == len(leases)


def _busy(name: str) -> Unavailable:
    return Unavailable(f"{name} is in use by another process; try again")
