"""A browser for each file and one server with memories for all tests of a worker; each test has a window of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any

import pytest
from browsing import MOVES, Tab, chromium, tab, tell
from keeping import Kept
from playwright.sync_api import Browser
from serving import Server, everlore, running

Open = Callable[..., Tab]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """While it is open, its event loop counts as running in this thread: tests of other files could start none."""
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, lasting: Kept, browser: Browser) -> Server:
    """A server that Anna has told something. Who changes what is there tells of somebody else."""

    def start() -> AbstractContextManager[Server]:
        return running(tmp_path_factory.mktemp("page") / "root")

    server: Server = lasting.get("told", start)
    if not server.client.post("/api/v1/memory/owners", json={}).json()["data"]["owners"]:
        tell(server, "anna", *MOVES)
    return server


@pytest.fixture
def open_tab(browser: Browser, told: Server) -> Iterator[Open]:
    """Opens a window: on the told server, or on another one."""
    with ExitStack() as windows:

        def launch(path: str = "/", server: Server = told, **context: Any) -> Tab:
            window = windows.enter_context(tab(browser, server, **context))
            if path:
                window.open(path)
            return window

        yield launch


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory, lasting: Kept) -> Server:
    """A server with accounts."""

    def start() -> AbstractContextManager[Server]:
        return running(tmp_path_factory.mktemp("guarded") / "root", {"EVEROS_AUTH__ENABLED": "true"})

    return lasting.get("guarded", start)


@pytest.fixture
def key(guarded: Server) -> Callable[..., str]:
    """Makes an account and gives its key."""

    def make(name: str, *more: str) -> str:
        made = everlore("keys", "create", "--name", name, "--format", "json", *more, root=guarded.root)
        assert made.returncode == 0, made.stderr
        secret: str = json.loads(made.stdout)["data"]["key"]
        return secret

    return make
