"""A real browser on the page of a real server: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect, sync_playwright
from serving import Server

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = [
    f"--{flag}"
    for flag in (
        "no-sandbox",
        "disable-gpu",
        "disable-quic",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
    )
]
PATIENCE_MS = 20_000
"""A busy machine may need long for what takes a moment."""
DAY_MS = 24 * 3600 * 1000
BEGIN = 1_780_308_000_000
"""1 June 2026."""


@contextmanager
def chromium() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium here: `make test` installs it where that is simple, else apt-get install chromium")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Tab:
    """A window, and what went wrong in it."""

    page: Page
    url: str
    wrong: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self._asked(request.url))

    def open(self, path: str = "/") -> Page:
        self.page.goto(f"{self.url}{path}")
        self.settled()
        return self.page

    def settled(self) -> None:
        """Until the view is shown and the page is listening."""
        self.page.wait_for_selector("#content:not([aria-busy])")
        self.page.wait_for_function("window.did_handshake !== false && window.socket?.connected")

    def go(self, name: str) -> Page:
        self.page.get_by_role("navigation", name="Views").get_by_role("link", name=name).click()
        expect(self.page.get_by_role("heading", level=1, name=name)).to_be_visible()
        return self.page

    @property
    def content(self) -> Locator:
        return self.page.locator("#content")

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    @property
    def said(self) -> Locator:
        return self.page.get_by_role("status")

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.wrong.append(message.text)

    def _asked(self, url: str) -> None:
        if urlsplit(url).scheme in ("http", "https", "ws", "wss") and urlsplit(url).netloc != urlsplit(self.url).netloc:
            self.strangers.append(url)


@contextmanager
def tab(browser: Browser, server: Server, **context: Any) -> Iterator[Tab]:
    """Whatever a test does, no script fails and nobody else is asked for anything."""
    opened = browser.new_context(locale="en-GB", **context)
    window = Tab(opened.new_page(), server.url)
    try:
        yield window
        assert window.strangers == []
        assert window.wrong == []
    finally:
        opened.close()


def tell(server: Server, user: str, *talks: Sequence[str], begin: int = BEGIN, days: int = 21, **headers: str) -> None:
    """Talks of a user with an assistant, so many days apart: what they say, and what it answers, in turn."""
    for number, said in enumerate(talks):
        moment = begin + number * days * DAY_MS
        senders = [(user, "user"), ("assistant", "assistant")]
        messages = [
            {
                "sender_id": senders[at % 2][0],
                "role": senders[at % 2][1],
                "timestamp": moment + at * 60_000,
                "content": text,
            }
            for at, text in enumerate(said)
        ]
        session = {"session_id": f"{user}-{number}"}
        for route, body in (("add", {**session, "messages": messages}), ("flush", session)):
            answer = server.client.post(f"/api/v1/memory/{route}", json=body, headers=headers)
            assert answer.status_code == 200, answer.text


MOVES = (
    ("I live in Berlin and work at Acme Industries.", "Nice, how is it?", "My sister Lena lives in Hamburg."),
    ("I moved to Lisbon with Bob Miller last week.", "How is it?", "I started at Nordlicht as a data engineer."),
    ("Please never use emojis when you answer me.", "Understood.", "I have a dog called Bruno."),
)
"""Three talks of one person, of which the second ends what the first said."""
