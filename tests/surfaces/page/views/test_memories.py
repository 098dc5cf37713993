"""The table of memories: filters, several at once, the bin."""

from __future__ import annotations

from typing import Any

from browsing import tell
from playwright.sync_api import expect
from serving import Server


def test_filters_narrow_the_table(open_tab: Any) -> None:
    tab = open_tab("/memories")
    rows = tab.content.locator("tbody tr")
    expect(rows.first).to_be_visible()
    tab.page.get_by_label("State").select_option("ended")
    expect(rows).to_have_count(2)
    expect(tab.content).to_contain_text("Anna lives in Berlin.")
    tab.page.get_by_label("State").select_option("")
    tab.page.get_by_label("Kind").select_option("episode")
    expect(rows).to_have_count(3)
    tab.page.get_by_label("To", exact=True).fill("2026-06-10")
    expect(rows).to_have_count(1)
    assert "kind=episode" in tab.page.url
    tab.page.get_by_label("Find memories").fill("zeppelin")
    expect(tab.content).to_contain_text("Nothing like this")


def test_several_are_forgotten_at_once_and_come_back_from_the_bin(open_tab: Any, told: Server) -> None:
    tell(
        told,
        "bert",
        ["I have a cat called Mia.", "Nice."],
        ["I have a boat called Ada.", "Oh."],
        ["I like tea.", "Me too."],
    )
    tab = open_tab("/memories?owner=user:bert&kind=episode")
    rows = tab.content.locator("tbody tr")
    expect(rows).to_have_count(3)
    for what in ("cat", "boat"):
        tab.content.locator("tr", has_text=what).get_by_role("checkbox").check()
    tab.page.get_by_role("button", name="Forget what is chosen").click()
    expect(tab.dialog).to_contain_text("All of this goes")
    expect(tab.dialog).to_contain_text("Bert has a cat called Mia.")
    tab.dialog.get_by_role("button", name="Forget", exact=True).click()
    expect(rows).to_have_count(1)
    tab.page.get_by_role("button", name="Bin").click()
    tab.dialog.get_by_role("row", name="boat").get_by_role("button").click()
    expect(rows).to_have_count(2)
    expect(tab.said).to_contain_text("It is back as it was.")
