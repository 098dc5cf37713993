"""Ask, as a person does it in a browser."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect


def test_a_question_is_answered_with_the_sentence_while_it_is_typed(open_tab: Any) -> None:
    tab = open_tab("/")
    page = tab.page
    page.keyboard.press("/")
    box = page.get_by_role("searchbox", name="Ask your memories")
    expect(box).to_be_focused()
    box.type("where do I live")
    first = tab.content.get_by_role("listitem").first
    expect(first).to_contain_text("I moved to Lisbon with Bob Miller last week.")
    expect(first).to_contain_text("Anna")
    expect(first).to_contain_text("2026-06-22")
    expect(first).to_contain_text("holds")
    second = tab.content.locator(".hit").nth(1)
    expect(second).to_contain_text("I live in Berlin")
    expect(second).to_contain_text("ended 2026-06-22")
    expect(second.locator("mark", has_text="live").first).to_be_visible()
    expect(box).to_be_focused()
    assert "q=where+do+I+live" in page.url
    page.reload()
    tab.settled()
    expect(first).to_contain_text("Lisbon")
    first.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("moved to Lisbon")
    page.go_back()
    expect(first).to_contain_text("I moved to Lisbon")


def test_why_is_told_in_numbers_that_add_up(open_tab: Any) -> None:
    tab = open_tab("/?q=where+do+I+live&show=why")
    rows = tab.content.get_by_role("row")
    expect(rows.nth(2)).to_be_visible()
    for number in range(1, 4):
        cells = [float(text) for text in rows.nth(number).get_by_role("cell").all_inner_texts()]
        assert abs(sum(cells[:-1]) - cells[-1]) < 0.006, cells
        assert cells[-1] > 0


def test_two_recipes_stand_side_by_side_and_an_agent_gets_a_text(open_tab: Any) -> None:
    tab = open_tab("/?q=dog&how=hybrid&beside=keyword")
    expect(tab.content.get_by_role("region", name="Words and meaning")).to_contain_text("Bruno")
    expect(tab.content.get_by_role("region", name=re.compile("^Words$"))).to_contain_text("Bruno")
    tab.content.get_by_role("link", name="What an agent would get").click()
    expect(tab.content).to_contain_text("tokens of at most 800")
    expect(tab.content.locator("pre")).to_contain_text("Bruno")


def test_the_past_can_be_asked_and_nothing_is_said_where_nothing_fits(open_tab: Any) -> None:
    tab = open_tab("/?q=where+do+I+live&at=2026-06-10")
    first = tab.content.locator(".hit").first
    expect(first).to_contain_text("I live in Berlin")
    expect(first.locator(".chip").first).to_have_text(re.compile("holds|until"))
    expect(tab.content).not_to_contain_text("Lisbon with Bob")
    tab.page.get_by_label("As of").fill("2020-01-01")
    expect(tab.content).to_contain_text("Nothing fits")


def test_an_empty_page_teaches(open_tab: Any) -> None:
    tab = open_tab("/?owner=user:nobody")
    expect(tab.content).to_contain_text("Ask in your own words")
    tab.content.get_by_role("link", name="Where do I live?").click()
    expect(tab.content).to_contain_text("Nothing fits")


def test_what_is_merely_the_nearest_is_folded_away(open_tab: Any) -> None:
    tab = open_tab("/?q=zebras+on+Mars")
    expect(tab.content).to_contain_text("Nothing fits")
    expect(tab.content.locator(".hit").first).to_be_hidden()
    tab.content.get_by_text("that fit less well").click()
    expect(tab.content.locator(".hit").first).to_be_visible()
