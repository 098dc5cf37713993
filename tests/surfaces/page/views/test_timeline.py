"""The timeline, with its slider."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect


def test_the_slider_shows_what_was_believed_on_that_day(open_tab: Any) -> None:
    tab = open_tab("/timeline")
    page, held = tab.page, tab.content.get_by_role("region", name="What held on that day")
    expect(held).to_contain_text("Lisbon")
    expect(held).not_to_contain_text("Anna lives in Berlin")
    slider = page.get_by_role("slider", name="The day that is looked at")
    slider.focus()
    slider.evaluate("one => { one.value = 12; one.dispatchEvent(new Event('input', { bubbles: true })); }")
    expect(held).to_contain_text("Anna lives in Berlin")
    expect(held).not_to_contain_text("Lisbon")
    assert "at=2026-06-" in page.url
    page.reload()
    tab.settled()
    expect(held).to_contain_text("Anna lives in Berlin")
    expect(page.locator("canvas")).to_be_visible()


def test_two_days_are_compared_and_eras_follow_each_other(open_tab: Any) -> None:
    tab = open_tab("/timeline?from=2026-06-10&to=2026-07-01")
    card = tab.content.get_by_role("region", name="What 2026-06-10 and 2026-07-01 differ by")
    expect(card.locator("del", has_text="Anna lives in Berlin")).to_be_visible()
    expect(card.locator("ins", has_text="Lisbon")).to_be_visible()
    eras = tab.content.get_by_role("region", name="Eras: one after the other")
    expect(eras.get_by_role("row", name="lives in")).to_have_count(2)


def test_the_chart_is_there_as_a_table_and_nothing_teaches(open_tab: Any) -> None:
    tab = open_tab("/timeline")
    tab.content.get_by_text("The chart as a table").first.click()
    expect(tab.content.get_by_role("region", name="The chart as a table").get_by_role("row")).not_to_have_count(0)
    tab.open("/timeline?owner=user:nobody")
    expect(tab.content).to_contain_text("No time has passed here yet")
