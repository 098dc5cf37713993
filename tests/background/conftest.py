"""Vaults whose servers are stopped when a test has ended, whatever it did to them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from serving import clean_env

from everlore.background import client
from everlore.background.place import Place, Server, place_of

Where = Callable[..., tuple[Place, dict[str, str]]]


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Where]:
    """A place, and the environment of its clients."""
    roots: set[Path] = set()

    def place(extra: Mapping[str, str] | None = None, root: Path = tmp_path / "vault") -> tuple[Place, dict[str, str]]:
        roots.add(root)
        env = clean_env(root, extra)
        return place_of(env), env

    yield place
    for root in roots:
        for found, server in client.running(root):
            if not client.stop(found, server):
                kill(server)


def kill(server: Server) -> None:
    with suppress(ProcessLookupError):
        os.kill(server.pid, signal.SIGKILL)
