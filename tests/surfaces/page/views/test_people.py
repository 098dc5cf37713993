"""People and things: the graph, its table, and the page of a name."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect


def test_a_name_leads_to_all_that_was_said_of_it(open_tab: Any) -> None:
    tab = open_tab("/people")
    expect(tab.page.locator("canvas")).to_be_visible()
    table = tab.content.get_by_role("table")
    expect(table).to_contain_text("Nordlicht")
    tab.page.get_by_role("searchbox", name="Find a name").fill("acme")
    expect(table).not_to_contain_text("Nordlicht")
    table.get_by_role("link", name="Acme Industries").click()
    expect(tab.page.get_by_role("heading", level=1, name="Acme Industries")).to_be_visible()
    past = tab.content.locator(".line.past", has_text="Anna works at Acme Industries")
    expect(past).to_contain_text("ended 2026-06-22")
    expect(past.locator(".instead a")).to_contain_text("Nordlicht")
    expect(tab.content.get_by_role("link", name="Berlin", exact=True)).to_be_visible()


def test_a_name_that_nobody_said_is_told_so(open_tab: Any) -> None:
    tab = open_tab("/people/Atlantis")
    expect(tab.content).to_contain_text("Nothing is known of Atlantis")
    tab.open("/people?owner=user:nobody")
    expect(tab.content).to_contain_text("No names are known yet")
