"""Requests to an OpenAI-compatible endpoint: JSON out, JSON back, with retries, a deadline and one kind of error.

Invariants:
- Whatever goes wrong at the endpoint is Unavailable: the same request may work later.
- Only what can pass is tried again (429, 5xx, time-outs, broken connections), a few times and never beyond the
  deadline, nor for longer than about twice the time-out of one request.
- The key appears in the Authorization header and nowhere else. Errors of the HTTP library are not chained,
  since they may quote headers.
"""

from __future__ import annotations

import json
import math
import re
import threading
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from everlore.errors import Misconfigured, Unavailable

if TYPE_CHECKING:
    import httpx

ATTEMPTS = 4
LONGEST_REST = 60.0
"""After a failure the endpoint is left alone for a growing while: a search must not wait for it every time."""
KEY_BEGINS = 6
"""Characters by which a key is known."""
LONGEST_ANSWER = 64 * 2**20

_VERSION = re.compile(r"v\d+\w*")


class Rejected(Unavailable):
    """The endpoint understood the request and will not do it: 4xx, which trying again does not change."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Endpoint:
    """One address. `what` and `section` name it in messages: "embedding" and "EVEROS_EMBEDDING"."""

    def __init__(
        self,
        base_url: str,
        path: str,
        *,
        what: str,
        section: str,
        api_key: str = "",
        timeout_seconds: float = 30.0,
        first_wait_seconds: float = 0.5,
    ) -> None:
        self.url = address(base_url, path, section)
        self._what = what
        self._section = section
        self._key = api_key.strip()
        if not (self._key.isascii() and self._key.isprintable()):
            raise Misconfigured(f"{section}__API_KEY has characters that cannot be sent in an HTTP header")
        self._timeout = timeout_seconds
        self._first_wait = first_wait_seconds
        self._guard = threading.Lock()
        self._client: httpx.Client | None = None
        self._closed = threading.Event()
        self._failures = 0
        self._rest_until = 0.0
        self._last_problem = ""

    @property
    def shown(self) -> str:
        """The address without user, password and query, any of which may be a secret."""
        parts = urlsplit(self.url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    @property
    def open(self) -> bool:
        return not self._closed.is_set()

    @property
    def resting(self) -> bool:
        """It failed lately and is left alone."""
        return time.monotonic() < self._rest_until

    def close(self) -> None:
        self._closed.set()
        with self._guard:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def post(self, body: Any, *, deadline: float | None = None, urgent: bool = False, lenient: bool = False) -> Any:
        """The decoded JSON of a successful answer. `urgent`: also while the endpoint is left alone. `lenient`: that it
        needs longer than the deadline is not held against it, as long as it can be reached."""
        import httpx

        if self.resting and self.open and not urgent:
            raise Unavailable(self._last_problem)
        client = self._opened()  # takes a while the first time, which is not the endpoint's
        started = time.monotonic()
        last = deadline if deadline is not None else math.inf
        end = min(started + 2 * self._timeout, last)
        wait = self._first_wait
        problem, late = "was given no time to answer", True
        for attempt in range(1, ATTEMPTS + 1):
            asked_wait = 0.0
            begun = time.monotonic()
            until = min(begun + self._timeout, last)
            try:
                status, headers, answer = self._exchange(client, body, until)
            except (httpx.TimeoutException, TimeoutError) as error:
                problem = f"did not answer within {until - begun:.2g} s"
                late = not isinstance(error, httpx.ConnectTimeout)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                problem, late = f"cannot be reached ({type(error).__name__})", False
            except RuntimeError:  # the client was closed in another thread
                raise self._is_closed() from None
            else:
                if 200 <= status < 300:
                    self._failures = 0
                    try:
                        return json.loads(answer)
                    except ValueError:
                        raise self.bad(f"the answer is not JSON; check {self._section}__BASE_URL") from None
                problem, late = f"answered {status}{self._reason(status, answer)}", False
                if status != 429 and status < 500:
                    self._failures, self._rest_until = 0, 0.0  # it answers
                    raise Rejected(f"the {self._what} endpoint {self.shown} {problem}", status)
                asked_wait = retry_after(headers.get("retry-after"))
            pause = max(wait, asked_wait)
            if attempt == ATTEMPTS or pause > end - time.monotonic() or self._closed.wait(pause):
                break
            wait *= 2
        told = f"the {self._what} endpoint {self.shown} {problem}; try again later"
        if not (lenient and late):
            self._failures += 1
            self._rest_until = time.monotonic() + min(LONGEST_REST, self._first_wait * 2**self._failures)
            self._last_problem = told
        raise Unavailable(told)

    def bad(self, reason: str) -> Unavailable:
        return Unavailable(f"the {self._what} endpoint {self.shown} sent an unusable answer: {reason}")

    def _exchange(self, client: httpx.Client, body: Any, until: float) -> tuple[int, httpx.Headers, bytes]:
        """Read piece by piece, so that one who sends a byte now and then cannot hold us beyond the time-out."""
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        with client.stream("POST", self.url, json=body, timeout=left) as response:
            found = bytearray()
            for chunk in response.iter_bytes():
                found += chunk
                if len(found) > LONGEST_ANSWER:
                    raise self.bad("it is too long")
                if time.monotonic() > until:
                    raise TimeoutError
            return response.status_code, response.headers, bytes(found)

    def _opened(self) -> httpx.Client:
        import httpx

        with self._guard:
            if self._closed.is_set():
                raise self._is_closed()
            if self._client is None:
                headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
                self._client = httpx.Client(headers=headers, timeout=self._timeout)
            return self._client

    def _is_closed(self) -> Unavailable:
        return Unavailable(f"the connection to the {self._what} endpoint is closed")

    def _reason(self, status: int, answer: bytes) -> str:
        if status in (401, 403):
            return f" (the key was refused: check {self._section}__API_KEY)"
        if status == 404:
            return f" (check {self._section}__BASE_URL and {self._section}__MODEL)"
        told = " ".join(answer[:2000].decode("utf-8", "replace").split())
        if self._key:  # also where the endpoint has cut out its middle
            told = re.sub(re.escape(self._key[:KEY_BEGINS]) + r"[\w.*-]*", "***", told.replace(self._key, "***"))
        return f": {told[:200]}" if told else ""


def address(base_url: str, path: str, section: str) -> str:
    """The address of `path`. `/v1` is added where the base has no version in its path."""
    try:
        parts = urlsplit(base_url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise Misconfigured(f"{section}__BASE_URL must be an http(s) address such as http://localhost:11434/v1")
    segments = [segment for segment in parts.path.split("/") if segment]
    ending = path.split("/")
    if segments[-len(ending) :] == ending:
        del segments[-len(ending) :]
    elif not any(_VERSION.fullmatch(segment) for segment in segments):
        segments.append("v1")
    return urlunsplit((parts.scheme, parts.netloc, "/" + "/".join([*segments, *ending]), parts.query, ""))


def retry_after(value: str | None) -> float:
    """Seconds from either form of the header; 0 where there is none or it makes no sense."""
    if not value:
        return 0.0
    try:
        if value.strip().isdigit():
            return float(value)
        moment = parsedate_to_datetime(value)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (aware - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return 0.0
