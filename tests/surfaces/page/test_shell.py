"""The page as a whole: nothing stored is executed, windows see the same, on PostgreSQL too, and they leave nothing."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from browsing import MOVES, tell
from databases import Postgres
from playwright.sync_api import expect
from serving import Server, running

HOSTILE = (
    "I have a dog called <script>window.hacked = 1</script>"
    " and <img src=https://evil.example/x.png onerror=window.hacked=2>.",
    "Nice <svg onload=window.hacked=3>",
    "I like [this](javascript:window.hacked=4) and ![that](https://evil.example/y.png)"
    " `{{ 1 + 1 }}` ${window.hacked=5}.",
)
VIEWS = (
    "/?q=dog+this",
    "/?q=dog&show=why",
    "/?q=dog&show=agent",
    "/timeline",
    "/people",
    "/memories",
    "/profile",
    "/review",
    "/live",
)


def test_stored_text_is_shown_and_never_executed(open_tab: Any, told: Server) -> None:
    tell(told, "mallory", HOSTILE)
    tab = open_tab("")
    for path in VIEWS:
        tab.open(f"{path}{'&' if '?' in path else '?'}owner=user:mallory")
        assert tab.page.evaluate("window.hacked") is None, path
    for path in ("/memories?owner=user:mallory&kind=episode", "/review?owner=user:mallory"):
        tab.open(path)
        tab.content.get_by_role("link", name="Mallory").first.click()
        expect(tab.page.locator(".turn").first).to_be_visible()
        expect(tab.content).to_contain_text("window.hacked = 1")
        tab.page.wait_for_timeout(200)
        assert tab.page.evaluate("window.hacked") is None, path
    tab.open("/people/<img src=x onerror=window.hacked=6>?owner=user:mallory")
    tab.open("/?q=<img src=x onerror=window.hacked=7>&owner=user:<script>window.hacked=8</script>")
    assert tab.page.evaluate("window.hacked") is None


def test_two_windows_see_what_either_changes(open_tab: Any, told: Server) -> None:
    tell(told, "nora", ["I have a canoe called Tom.", "Oh."])
    one, other = open_tab("/live"), open_tab("/memories?owner=user:nora&kind=fact")
    other.content.locator("tbody a").first.click()
    other.page.get_by_role("button", name="Edit").click()
    box = other.dialog.get_by_role("textbox")
    box.fill(box.input_value().replace("Tom", "Jerry"))
    other.dialog.get_by_role("button", name="Save").click()
    expect(one.content).to_contain_text("Nora has a canoe called Jerry.")


def test_the_same_page_on_postgresql(open_tab: Any, database: Postgres, tmp_path: Path) -> None:
    with running(tmp_path / "root", {"DATABASE_URL": database.database()}) as server:
        tell(server, "anna", *MOVES)
        tab = open_tab("/?q=where+do+I+live", server)
        expect(tab.content.locator(".hit").first).to_contain_text("I moved to Lisbon")
        for path in (
            "/timeline",
            "/people",
            "/memories",
            "/profile",
            "/review",
            "/live",
            "/agents",
            "/code",
            "/settings",
        ):
            tab.open(path)
            expect(tab.page.get_by_role("alert")).to_have_count(0)
        tab.open("/timeline?at=2026-06-10")
        expect(tab.content).to_contain_text("Anna lives in Berlin")
        tab.open("/memories?kind=episode")
        tab.content.locator("tr", has_text="Lisbon").get_by_role("checkbox").check()
        tab.page.get_by_role("button", name="Forget what is chosen").click()
        tab.dialog.get_by_role("button", name="Forget", exact=True).click()
        expect(tab.content.locator("tbody tr")).to_have_count(2)
        tab.said.get_by_role("button", name="Undo").click()
        expect(tab.content.locator("tbody tr")).to_have_count(3)


def test_windows_that_come_and_go_leave_nothing(open_tab: Any, told: Server) -> None:
    """A bounded soak: opening and closing the page costs no more at the end than in the middle."""
    page = open_tab("/").page

    def memory() -> int:
        status = Path(f"/proc/{told.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])

    if not Path("/proc").is_dir():
        pytest.skip("tells how much memory a process has on Linux only")

    def rounds(number: int) -> None:
        for at in range(number):
            page.goto(f"{told.url}/{('timeline', 'memories', 'people')[at % 3]}")
            page.wait_for_selector("#content:not([aria-busy])")
        page.goto("about:blank")
        time.sleep(1)

    rounds(12)
    before = memory()
    rounds(12)
    assert memory() - before < 25_000, "kB that a dozen windows left behind"


def test_a_wrong_link_leads_to_the_page(open_tab: Any) -> None:
    tab = open_tab("/nothing/of/ours")
    expect(tab.page.get_by_role("heading", level=1, name="Wrong link")).to_be_visible()
    tab.wrong.clear()  # the status says so, too, and the browser repeats that
    tab.go("Ask")
    tab.open("/review/anna_ep_20200101_00000001")
    expect(tab.content).to_contain_text("There is nothing here")


def test_where_one_is_can_be_seen_on_a_narrow_screen(open_tab: Any) -> None:
    tab = open_tab("/settings", viewport={"width": 360, "height": 700})
    expect(tab.page.locator(".views [aria-current]")).to_be_in_viewport(ratio=0.9)
