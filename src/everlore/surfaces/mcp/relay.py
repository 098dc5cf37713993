"""An MCP process that has no engine: it carries requests to the vault's server, which the first one starts.

Where no server can be had, the engine is loaded here, as ever. A server that dies in the middle of a call is replaced,
and what may be done twice is asked again; of the rest its caller is told that nobody knows how far it came.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from everlore.background.client import Unsent, ensure, request
from everlore.background.place import Server, place_of
from everlore.errors import EverloreError, InvalidInput
from everlore.extras import load
from everlore.redact import redact
from everlore.surfaces.mcp import toolsets
from everlore.surfaces.mcp.protocol import FAILED, Object, Refused, dumped
from everlore.surfaces.mcp.stdio import Carrier, Work, serve

TRIES: Final = 3
JSON: Final = {"Content-Type": "application/json"}
LOCAL: Final = "everlore.surfaces.mcp.local:Local"
LOST: Final = (
    "the memory server ended in the middle of this, so nobody knows whether it was done; look before you do it again"
)


def run(named: str) -> int:
    """`everlore mcp` on stdin and stdout; the exit code."""

    def serve_them() -> None:
        names = toolsets.named(named)
        for name in names:
            toolsets.check(name)
        elsewhere = "everme" in names and os.environ.get("EVERME_API_BASE", "").strip()
        serve(toolsets.offer(names), load(LOCAL)(names) if elsewhere else Relay(names, os.environ))

    return told(serve_them)


def told(work: Callable[[], None]) -> int:
    """What keeps it from working at all is a sentence on stderr, and the exit code."""
    try:
        work()
    except (EverloreError, OSError) as error:
        print(f"error: {redact(str(error))}", file=sys.stderr)
        return 2 if isinstance(error, InvalidInput) else 1
    return 0


class Relay:
    def __init__(self, names: Sequence[str], environ: Mapping[str, str]) -> None:
        self._names = list(names)
        self._environ = environ
        self._place = place_of(environ, toolsets.variables(names))
        self._facts = {
            "folder": os.getcwd(),  # noqa: PTH109 - a Path would be made into this again
            "settings": {name: value for name, value in environ.items() if name.upper().startswith("EVEROS_MCP")},
        }
        self._server: Server | None = None
        self._local: Carrier | None = None
        self._finding = threading.Lock()
        self._end: Callable[[EverloreError], None] = lambda _: None

    def warm(self, end: Callable[[EverloreError], None]) -> None:
        self._end = end
        threading.Thread(target=self._warm, name="everlore-warm", daemon=True).start()

    def _warm(self) -> None:
        server = self._found()
        if server is None:
            self._here()
            return
        with suppress(OSError, ValueError):  # the first call finds out why
            self._ask(server, {"version": "", "client": "", "bare": False}, {"method": "initialize"})

    def _found(self, but: Server | None = None) -> Server | None:
        """The server, which is started where none runs; not the one that was just seen to be dead."""
        with self._finding:
            if self._server in (None, but) and self._local is None:
                self._server = ensure(self._place, self._environ, but)
            return self._server

    def _here(self) -> Carrier:
        with self._finding:
            if self._local is None:
                self._local = load(LOCAL)(self._names)
                self._local.warm(self._end)
            return self._local

    def carry(self, work: Work) -> Object:
        server = self._found()
        for _ in range(TRIES):
            if server is None:
                break
            try:
                if (found := self._ask(server, work.caller, work.message, work)) is not None:
                    return found
            except Unsent:
                pass
            except (OSError, ValueError):
                if not work.known.get("repeatable", True):
                    return _lost(work)
            if work.cancelled:
                return {}
            server = self._found(but=server)
        return self._here().carry(work)

    def _ask(self, server: Server, caller: Object, message: Object, work: Work | None = None) -> Object | None:
        """The result; None when the server did nothing about it: it is about to stop, or of another make."""
        body = dumped({"toolsets": self._names, "caller": {**caller, **self._facts}, "message": message})
        with request(server, "POST", "/relay", body, headers=JSON) as reply:
            if reply.status != 200:
                return None
            if work is not None:
                work.abort = reply.abandon
            answer = json.loads(reply.body.read())
        if error := answer.get("error"):
            raise Refused(error["code"], error["message"], error.get("data"))
        result: Object = answer["result"]
        return result

    def close(self) -> None:
        if self._local is not None:
            self._local.close()


def _lost(work: Work) -> Object:
    """In the way in which the tool tells of failures."""
    if work.known.get("failures") == "rpc":
        raise Refused(FAILED, LOST)
    return {"content": [{"type": "text", "text": f"{work.known.get('error_prefix', '')}{LOST}"}], "isError": True}
