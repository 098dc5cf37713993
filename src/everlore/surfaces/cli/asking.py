"""How commands ask: the vault's server, which the first of them starts, or in this process where none can be had.

Nothing heavy is imported until it is needed: with a server, a command costs little more than its own start.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from everlore.background import client
from everlore.background.place import Place, Server, place_of
from everlore.errors import Unavailable
from everlore.extras import load
from everlore.surfaces.contracts.person import raised
from everlore.types import Json

LOST = "the memory server ended in the middle of this, so nobody knows whether it was done: look before you do it again"
CONTRACT = "everlore.surfaces.contracts.person"


class Asker:
    """Asks questions of `contracts.person` by their names. `start`: also where a server has to be started for it."""

    def __init__(self, user: str | None, until_the_end: ExitStack, *, start: bool) -> None:
        self._until_the_end = until_the_end
        self._start = start
        self._facts = {
            "folder": _folder(),
            "settings": {name: value for name, value in os.environ.items() if name.upper().startswith("EVEROS_MCP")},
            "user": user,
        }

    @cached_property
    def _place(self) -> Place:
        return place_of()

    def __call__(self, name: str, *, changes: bool = False, **arguments: Json) -> Json:
        """`changes`: it must not be done twice."""
        if "_person" not in vars(self):
            server = self._found()
            for _ in range(2):
                if server is None:
                    break
                try:
                    return self._asked(server, name, arguments)
                except client.Unsent:
                    server = self._found(but=server)
                except (_Unknown, OSError, ValueError) as error:
                    if changes and not isinstance(error, _Unknown):
                        raise Unavailable(LOST) from None
                    break
        return load(f"{CONTRACT}.asking:ask")(name, self._person, arguments)

    def _found(self, but: Server | None = None) -> Server | None:
        return client.ensure(self._place, but=but) if self._start else client.find(self._place)

    def _asked(self, server: Server, name: str, arguments: Json) -> Json:
        body = json.dumps({"ask": name, "facts": self._facts, "arguments": arguments}).encode()
        headers = {"Content-Type": "application/json"}
        with client.request(server, "POST", "/server/ask", body, headers=headers) as reply:
            if reply.status in (500, 502, 504):
                raise ConnectionError(f"the server answers {reply.status}")
            if reply.status != 200:
                raise _Unknown
            said = json.loads(reply.body.read())
        if "error" in said:
            raise raised(said)
        return said["answer"]

    @cached_property
    def _person(self) -> Any:
        """Who asks, of an engine in this process."""
        engine = self._until_the_end.enter_context(load("everlore.surfaces.cli.opening:opened")())
        return load(f"{CONTRACT}.asking:person")(engine, self._facts)


class _Unknown(Exception):
    """The server is of another make, or about to stop: it has done nothing."""


@contextmanager
def asking(user: str | None = None, *, start: bool = True) -> Iterator[Asker]:
    with ExitStack() as until_the_end:
        yield Asker(user, until_the_end, start=start)


def _folder() -> str:
    with suppress(OSError):  # it was deleted
        return str(Path.cwd())
    return ""
