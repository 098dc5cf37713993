"""A home of one's own for every test of `evercli`, and a socket to listen on."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from evercli import Evercli


@pytest.fixture
def evercli(tmp_path: Path) -> Evercli:
    home = tmp_path / "home"
    home.mkdir()
    return Evercli(home)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield server
