"""One memory on its own page."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect


def test_a_fact_shows_its_words_its_file_and_its_chain(open_tab: Any) -> None:
    tab = open_tab("/memories?state=ended")
    tab.content.get_by_role("link", name="Anna lives in Berlin.").click()
    expect(tab.page.get_by_role("heading", level=1, name="Anna lives in Berlin.")).to_be_visible()
    expect(tab.content.locator(".turn.source")).to_contain_text("I live in Berlin and work at Acme Industries.")
    expect(tab.content).to_contain_text("facts/fact-2026-06-01.md")
    expect(tab.content).to_contain_text("Everlore, from what was said")
    expect(tab.content.locator("dd", has_text="Lisbon").get_by_role("link")).to_be_visible()
    chain = tab.content.locator("h2", has_text="How it changed").locator("xpath=following-sibling::ul[1]")
    expect(chain.get_by_role("listitem")).to_have_count(2)
    expect(tab.page).to_have_title("Anna lives in Berlin. · Everlore")


def test_a_talk_shows_its_turns_and_what_was_drawn_from_it(open_tab: Any) -> None:
    tab = open_tab("/memories/anna_ep_20260713_00000001")
    expect(tab.content.locator(".turn")).to_have_count(3)
    expect(tab.content).to_contain_text("Anna has a dog called Bruno.")
    tab.open("/memories/anna_ep_20200101_00000009")
    expect(tab.content).to_contain_text("There is nothing here")
