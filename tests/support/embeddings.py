"""A real OpenAI-compatible embeddings endpoint on a local socket, quick enough for tests that start many processes."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from everlore.models.base import OFFLINE, TEXTS

WORD = re.compile(r"\w+")


class Endpoint:
    """Texts that share words get vectors that point the same way. Counts what it was asked."""

    def __init__(self, dimension: int = 64) -> None:
        self.dimension = dimension
        self.texts: Counter[str] = Counter()
        self.requests = 0
        self.broken = False
        self.delay = 0.0
        self.url = ""
        self._guard = threading.Lock()

    def answer(self, texts: list[str]) -> list[dict[str, Any]]:
        with self._guard:
            self.requests += 1
            self.texts.update(text for text in texts if text not in TEXTS)
        return [{"index": at, "embedding": self.vector(text)} for at, text in enumerate(texts)]

    def vector(self, text: str) -> list[float]:
        found = [0.001] * self.dimension
        if text in TEXTS:  # cosines mean here what they mean of the built-in model
            found[TEXTS.index(text)] = (1 - OFFLINE) ** 0.5
            found[-1] = OFFLINE**0.5
            return found
        for word in WORD.findall(text.lower()):
            digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
            found[int.from_bytes(digest, "big") % self.dimension] += 1.0
        return found


@contextmanager
def endpoint(dimension: int = 64) -> Iterator[Endpoint]:
    served = Endpoint(dimension)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet for head and body: two would wait for each other

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            time.sleep(served.delay)
            status, body = (503, {}) if served.broken else (200, {"data": served.answer(asked["input"])})
            data = json.dumps(body).encode()
            try:
                self.send_response(status)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except ConnectionError:
                pass  # the one who asked was killed

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a killed client leaves broken connections behind

    server = Server(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
