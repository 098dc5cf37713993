"""Who is signed in at the page. Kept in memory: a server that starts anew asks again."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

from starlette.datastructures import State
from starlette.requests import HTTPConnection

from everlore.accounts.values import Principal
from everlore.background.claim import Claim
from everlore.errors import Denied

COOKIE = "everlore"
IDLE_SECONDS = 12 * 3600.0
MOST = 10_000
TICKET_SECONDS = 60.0


@dataclass(slots=True)
class Session:
    """`credential`: a key or a token; "" for the vault's owner, who needs none."""

    credential: str
    device: str = ""
    """The secret of a sign-in that waits for somebody to approve it;"""
    code: str = ""
    """and what that person is shown."""
    seen: float = 0.0

    @property
    def waits(self) -> bool:
        return bool(self.device)


OWNERS = Session("")
"""Of everybody, where nobody needs a token."""


class Sessions:
    def __init__(self, state: State, claim: Claim | None) -> None:
        self._state = state
        self._claim = claim
        self._known: OrderedDict[str, Session] = OrderedDict()
        self._tickets: dict[str, float] = {}
        self._lock = threading.Lock()

    @property
    def needed(self) -> bool:
        """As for every other request: with accounts, and in the background, where nobody asked for an open port."""
        return bool(self._state.engine.settings.auth.enabled or (self._claim and self._claim.background))

    def of(self, connection: HTTPConnection) -> Session | None:
        """Whoever asks, if they may come in. Their key is looked at again each time."""
        if not self.needed:
            return OWNERS
        session = self.find(connection)
        if session is None or session.waits:
            return None
        try:
            self.who(session)
        except Denied:
            return None
        return session

    def who(self, session: Session) -> Principal | None:
        """None: the vault's owner. Raises `Denied` once the key is good no more."""
        if not session.credential:
            return None
        known: Principal = self._state.accounts.authenticate(session.credential)
        if "mem:read" not in known.scopes:
            raise Denied("scope", "this key may not read memories; it lacks mem:read")
        return known

    def find(self, connection: HTTPConnection) -> Session | None:
        name = _hashed(connection.cookies.get(COOKIE, ""))
        with self._lock:
            session = self._known.get(name)
            if session is None or time.monotonic() - session.seen > IDLE_SECONDS:
                self._known.pop(name, None)
                return None
            session.seen = time.monotonic()
            self._known.move_to_end(name)
            return session

    def begin(self, session: Session) -> str:
        """The value of its cookie."""
        value = secrets.token_urlsafe(32)
        session.seen = time.monotonic()
        with self._lock:
            self._known[_hashed(value)] = session
            while len(self._known) > MOST:
                self._known.popitem(last=False)
        return value

    def end(self, connection: HTTPConnection) -> None:
        with self._lock:
            self._known.pop(_hashed(connection.cookies.get(COOKIE, "")), None)

    def ticket(self) -> str:
        """Good once, for a minute: a process of the vault's owner gives it to the owner's browser."""
        made, now = secrets.token_urlsafe(24), time.monotonic()
        with self._lock:
            self._tickets = {name: until for name, until in self._tickets.items() if until > now}
            self._tickets[_hashed(made)] = now + TICKET_SECONDS
        return made

    def redeem(self, ticket: str) -> bool:
        with self._lock:
            return self._tickets.pop(_hashed(ticket), 0.0) > time.monotonic()


def _hashed(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()
