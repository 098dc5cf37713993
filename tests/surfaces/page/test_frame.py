"""What stands around every view, in a browser: navigation, theme, language, narrow windows."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

VIEWS = ["Ask", "Timeline", "People and things", "Memories", "Profile and rules", "Review", "Live", "Agents"]


def test_every_view_opens_by_its_name_and_survives_a_reload(open_tab: Any) -> None:
    tab = open_tab("/")
    for name in [*VIEWS[1:], "Code and content", "Health and settings"]:
        page = tab.go(name)
        expect(page).to_have_title(f"{name} · Everlore")
        expect(page.get_by_role("main")).to_have_count(1)
    page.reload()
    tab.settled()
    expect(page.get_by_role("heading", level=1, name="Health and settings")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1, name="Code and content")).to_be_visible()


def test_the_theme_follows_the_system_and_is_kept(open_tab: Any) -> None:
    tab = open_tab("/", color_scheme="dark")
    dark = "getComputedStyle(document.body).backgroundColor"
    assert tab.page.evaluate(dark) == "rgb(18, 21, 27)"
    tab.page.get_by_label("Colours").select_option("light")
    assert tab.page.evaluate(dark) == "rgb(247, 248, 250)"
    tab.page.reload()
    tab.settled()
    assert tab.page.evaluate(dark) == "rgb(247, 248, 250)"


def test_the_page_speaks_german(open_tab: Any) -> None:
    tab = open_tab("/")
    tab.page.get_by_label("Language").select_option("de")
    expect(tab.page.get_by_role("link", name="Befinden und Einstellungen")).to_be_visible()
    assert tab.page.evaluate("document.documentElement.lang") == "de"


def test_a_narrow_window_shows_everything(open_tab: Any) -> None:
    tab = open_tab("/?q=where+do+I+live", viewport={"width": 360, "height": 740})
    for path in (
        "/?q=where+do+I+live",
        "/timeline",
        "/people",
        "/memories",
        "/profile",
        "/review",
        "/live",
        "/settings",
    ):
        tab.open(path)
        tab.page.wait_for_timeout(100)
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= 360, path


def test_the_keyboard_reaches_everything(open_tab: Any) -> None:
    tab = open_tab("/memories")
    page = tab.page
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Everlore, start")).to_be_focused()
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.locator("body").click(position={"x": 2, "y": 300})
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Find memories")).to_be_focused()
