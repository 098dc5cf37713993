"""`python -m everlore.background <vault> <name>`: become the server of a vault, in the background, or leave quietly.

Only what is needed to be found is done before the heavy parts are imported, so that of several that are started at
once all but one cost next to nothing.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from everlore.background.claim import BACKLOG, log_to, take
from everlore.background.place import Place
from everlore.errors import EverloreError
from everlore.extras import load
from everlore.redact import redact

WAIT_SECONDS = 15.0
"""For a server that is about to stop."""


def main(root: str, name: str) -> int:
    place = Place(Path(root), name, may_start=True)
    claim = take(place, WAIT_SECONDS)
    if claim is None:
        return 0
    listeners = [socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)]
    if (beside := claim.listen()) is not None:
        listeners.append(beside)
    log_to(place.file("log"))
    told = _into_the_background()
    try:
        host, port = listeners[0].getsockname()[:2]
        claim.register(f"http://{host}:{port}", background=True)
        told()
        load("everlore.surfaces.cli.serve:serve_background")(claim, listeners)
    except (EverloreError, OSError) as error:
        print(f"error: {redact(str(error))}", file=sys.stderr)
        return 1
    finally:
        claim.release()
    return 0


def _into_the_background() -> Callable[[], None]:
    """Go on in a child, which nobody has to look after: lock and sockets go with it. Who started us is told when the
    function that is returned is called, or that it never was."""
    if not hasattr(os, "fork"):
        return lambda: None
    heard, said = os.pipe()
    if os.fork():
        os.close(said)
        os._exit(0 if os.read(heard, 1) else 1)
    os.close(heard)

    def tell() -> None:
        os.write(said, b"!")
        os.close(said)

    return tell


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main(*sys.argv[1:3]))
