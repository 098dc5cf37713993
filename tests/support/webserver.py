"""A small web server on a real socket, for what is fetched over http."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Handle = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Site:
    port: int
    pages: dict[str, Handle]
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def serve(self, path: str, body: bytes, content_type: str = "application/octet-stream", status: int = 200) -> str:
        def handle(request: BaseHTTPRequestHandler) -> None:
            send(request, status, {"Content-Type": content_type}, body)

        self.pages[path] = handle
        return self.url(path)

    def redirect(self, path: str, to: str, status: int = 302) -> str:
        def handle(request: BaseHTTPRequestHandler) -> None:
            send(request, status, {"Location": to, "Set-Cookie": "crumb=1"}, b"")

        self.pages[path] = handle
        return self.url(path)


def send(request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
    request.send_response(status)
    for name, value in headers.items():
        request.send_header(name, value)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


@contextmanager
def website(host: str = "127.0.0.1") -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            handle = site.pages.get(self.path.partition("?")[0])
            with suppress(OSError):  # the other side may go away
                send(self, 404, {}, b"") if handle is None else handle(self)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

    server = Server((host, 0), Handler)
    site = Site(server.server_port, {})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
