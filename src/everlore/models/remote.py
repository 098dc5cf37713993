"""Embeddings from any OpenAI-compatible endpoint.

Invariants:
- Whatever goes wrong at the endpoint is Unavailable: the same texts may be encoded later.
- Only what can pass is tried again (429, 5xx, time-outs, broken connections), a few times and never for longer
  than about twice the time-out of one request.
- The key appears in the Authorization header and nowhere else. Errors of the HTTP library are not chained,
  since they may quote headers.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import numpy as np

from everlore.errors import Misconfigured, Unavailable
from everlore.models.base import State, Vectors

if TYPE_CHECKING:
    import httpx

BATCH = 64
ATTEMPTS = 4
MAX_CHARS = 8_000
"""Common endpoints refuse inputs beyond 8,192 tokens; what Everlore encodes is far shorter."""

LARGEST = 1e15
"""No embedding has such values; their squares would still be fine as float32. NaN compares as larger."""

LONGEST_REST = 60.0
"""After a failure the endpoint is left alone for a growing while: a search must not wait for it every time."""

_VERSION = re.compile(r"v\d+\w*")


class RemoteEmbedder:
    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str = "",
        dimension: int = 0,
        timeout_seconds: float = 30.0,
        first_wait_seconds: float = 0.5,
    ) -> None:
        self._url = endpoint(base_url)
        self._model = model
        self._key = _checked_key(api_key.strip())
        self._dimension = dimension
        self._timeout = timeout_seconds
        self._first_wait = first_wait_seconds
        self._guard = threading.Lock()
        self._client: httpx.Client | None = None
        self._closed = threading.Event()
        self._failures = 0
        self._rest_until = 0.0
        self._last_problem = ""

    @property
    def name(self) -> str:
        return f"{self._model}@{_shown(self._url).partition('://')[2]}"

    @property
    def dimension(self) -> int:
        return self._dimension or self.encode(["dimension"]).shape[1]

    def ready(self) -> bool:
        return not self._closed.is_set()

    def state(self) -> State:
        return "error" if self._closed.is_set() or time.monotonic() < self._rest_until else "ready"

    def warm(self) -> None:
        """Nothing to load; the first request opens the connection."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        if not len(texts):
            return np.empty((0, self.dimension), np.float32)
        parts = [
            self._batch([_sendable(text) for text in texts[at : at + BATCH]]) for at in range(0, len(texts), BATCH)
        ]
        return np.concatenate(parts)

    def query(self, text: str) -> Vectors:
        vector: Vectors = self.encode([text])[0]
        return vector

    def close(self) -> None:
        self._closed.set()
        with self._guard:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _batch(self, texts: Sequence[str]) -> Vectors:
        vectors = self._vectors(self._answer(texts), len(texts))
        with self._guard:
            self._dimension = self._dimension or vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise self._bad(
                f"vectors have {vectors.shape[1]} dimensions and {self._dimension} were expected; "
                "check EVEROS_EMBEDDING__DIMENSION and EVEROS_EMBEDDING__MODEL"
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        # a zero vector has no direction; it stays zero and resembles nothing
        return np.asarray(vectors / np.where(lengths == 0, 1, lengths), np.float32)

    def _answer(self, texts: Sequence[str]) -> Any:
        """The decoded JSON of a successful answer."""
        import httpx

        started = time.monotonic()
        if started < self._rest_until and not self._closed.is_set():
            raise Unavailable(self._last_problem)
        wait = self._first_wait
        for attempt in range(1, ATTEMPTS + 1):
            asked_wait = 0.0
            try:
                response = self._open().post(self._url, json={"model": self._model, "input": list(texts)})
            except httpx.TimeoutException:
                problem = f"did not answer within {self._timeout:g} s"
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                problem = f"cannot be reached ({type(error).__name__})"
            except RuntimeError:  # the client was closed in another thread
                raise Unavailable("the embedder is closed") from None
            else:
                if response.is_success:
                    self._failures = 0
                    return self._decoded(response)
                problem = f"answered {response.status_code}{self._reason(response)}"
                if response.status_code != 429 and response.status_code < 500:
                    raise Unavailable(f"the embedding endpoint {_shown(self._url)} {problem}")
                asked_wait = _retry_after(response.headers.get("retry-after"))
            pause = max(wait, asked_wait)
            left = 2 * self._timeout - (time.monotonic() - started)
            if attempt == ATTEMPTS or pause > left or self._closed.wait(pause):
                break
            wait *= 2
        self._failures += 1
        self._rest_until = time.monotonic() + min(LONGEST_REST, self._first_wait * 2**self._failures)
        self._last_problem = f"the embedding endpoint {_shown(self._url)} {problem}; try again later"
        raise Unavailable(self._last_problem)

    def _open(self) -> httpx.Client:
        import httpx

        with self._guard:
            if self._closed.is_set():
                raise Unavailable("the embedder is closed")
            if self._client is None:
                headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
                self._client = httpx.Client(headers=headers, timeout=self._timeout)
            return self._client

    def _decoded(self, response: httpx.Response) -> Any:
        try:
            return response.json()
        except ValueError:
            raise self._bad("the answer is not JSON; check EVEROS_EMBEDDING__BASE_URL") from None

    def _vectors(self, answer: Any, count: int) -> Vectors:
        """One row for each text, in the order of the texts."""
        items = answer.get("data") if isinstance(answer, Mapping) else None
        if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
            raise self._bad("the answer has no list `data`")
        if len(items) != count:
            raise self._bad(f"{len(items)} vectors came back for {count} texts")
        positions = [item.get("index") for item in items]
        if sorted(p for p in positions if isinstance(p, int)) == list(range(count)):
            items = sorted(items, key=lambda item: int(item["index"]))
        try:
            vectors = np.array([item.get("embedding") for item in items], np.float64)
        except (TypeError, ValueError):
            raise self._bad("`embedding` is not a list of numbers, or the lists differ in length") from None
        if vectors.ndim != 2 or not vectors.shape[1]:
            raise self._bad("`embedding` is not a list of numbers")
        if not (np.abs(vectors) < LARGEST).all():
            raise self._bad("a vector has values that are not finite numbers")
        return vectors.astype(np.float32)

    def _bad(self, reason: str) -> Unavailable:
        return Unavailable(f"the embedding endpoint {_shown(self._url)} sent an unusable answer: {reason}")

    def _reason(self, response: httpx.Response) -> str:
        if response.status_code in (401, 403):
            return " (the key was refused: check EVEROS_EMBEDDING__API_KEY)"
        if response.status_code == 404:
            return " (check EVEROS_EMBEDDING__BASE_URL and EVEROS_EMBEDDING__MODEL)"
        told = " ".join(response.text[:2000].split())[:200]
        if self._key:
            told = told.replace(self._key, "***")
        return f": {told}" if told else ""


def endpoint(base_url: str) -> str:
    """The address of `/embeddings`. `/v1` is added where the base has no version in its path."""
    try:
        parts = urlsplit(base_url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise Misconfigured("EVEROS_EMBEDDING__BASE_URL must be an http(s) address such as http://localhost:11434/v1")
    segments = [segment for segment in parts.path.split("/") if segment]
    if segments[-1:] == ["embeddings"]:
        segments.pop()
    elif not any(_VERSION.fullmatch(segment) for segment in segments):
        segments.append("v1")
    return urlunsplit((parts.scheme, parts.netloc, "/" + "/".join([*segments, "embeddings"]), parts.query, ""))


def _shown(url: str) -> str:
    """The address without user, password and query, any of which may be a secret."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _checked_key(key: str) -> str:
    if not (key.isascii() and key.isprintable()):
        raise Misconfigured("EVEROS_EMBEDDING__API_KEY has characters that cannot be sent in an HTTP header")
    return key


def _sendable(text: str) -> str:
    """Bounded, without lone surrogates, and never empty: endpoints refuse an empty input."""
    return text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8") or " "


def _retry_after(value: str | None) -> float:
    """Seconds from either form of the header; 0 where there is none or it makes no sense."""
    if not value:
        return 0.0
    try:
        return max(0.0, float(value)) if value.strip().isdigit() else _seconds_until(parsedate_to_datetime(value))
    except (TypeError, ValueError):
        return 0.0


def _seconds_until(moment: datetime) -> float:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
