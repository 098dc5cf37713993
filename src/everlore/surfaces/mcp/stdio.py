"""A toolset on stdin and stdout.

The first `initialize` is answered before the SDK is imported; the SDK gets it afterwards and its own answer is not
sent. Lines that the SDK would pass over in silence (not JSON, not JSON-RPC) are answered here. When stdin ends,
requests that were accepted are still answered.
"""

from __future__ import annotations

import gc
import json
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from everlore.surfaces.contracts.identity import Identity
from everlore.surfaces.mcp.handshake import opening
from everlore.surfaces.mcp.stdio_io import Pipe

if TYPE_CHECKING:
    from everlore.surfaces.contracts.toolset import Toolset

FINISH_SECONDS = 10.0


def serve(load: Callable[[], Toolset], identity: Identity | None = None) -> None:
    """Serve until stdin ends, nobody reads stdout, or SIGTERM comes. `identity` must be that of the toolset."""
    pipe = Pipe()
    # before there is anything to finish, an orderly stop is to go at once
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    first = pipe.lines.get()
    if first is None:
        return
    replay, answered = first, None
    if identity is not None and (ready := opening(_parsed(first), identity)):
        reply, plain = ready
        pipe.write(_line(reply))
        replay, answered = _line(plain), reply["id"]
    gc.disable()  # importing makes only objects that stay; looking through them costs a quarter of the time
    from everlore.surfaces.mcp.stdio_frames import run

    toolset = load()
    gc.freeze()
    gc.enable()
    try:
        run(toolset, pipe, replay, answered)
    finally:
        pipe.finish(FINISH_SECONDS)


def _parsed(line: bytes) -> Any:
    try:
        message = json.loads(line)
        json.dumps(message, ensure_ascii=False).encode()  # half a character is put right where lines are read
    except (ValueError, RecursionError):
        return None
    return message


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=True).encode()
