"""Changing, ending and forgetting what is remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from browsing import tell
from playwright.sync_api import expect
from serving import Server


def _fact(tab: Any, text: str) -> None:
    tab.content.get_by_role("link", name=text).first.click()
    expect(tab.page.get_by_role("heading", level=1, name=text)).to_be_visible()


def test_a_memory_is_edited_and_nobodys_change_is_overwritten(open_tab: Any, told: Server) -> None:
    tell(told, "cleo", ["My favourite colour is green.", "Nice."])
    tab = open_tab("/memories?owner=user:cleo&kind=fact")
    _fact(tab, "Cleo's favourite colour is green.")
    page, dialog = tab.page, tab.dialog
    page.get_by_role("button", name="Edit").click()
    box = dialog.get_by_role("textbox")
    box.fill(box.input_value().replace("green", "blue"))
    [path] = Path(told.root).glob("**/users/cleo/facts/*.md")
    path.write_text(path.read_text("utf-8").replace("green", "red"), "utf-8")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("nothing was written")
    expect(dialog.locator("pre")).to_contain_text("red")
    assert "blue" in dialog.get_by_role("textbox").input_value()
    assert "blue" not in path.read_text("utf-8")
    dialog.get_by_role("button", name="Save").click()
    expect(tab.said).to_contain_text("Saved.")
    expect(page.get_by_role("heading", level=1, name="Cleo's favourite colour is blue.")).to_be_visible()
    assert "blue" in path.read_text("utf-8")


def test_what_is_forgotten_is_shown_before_and_undone_after(open_tab: Any, told: Server) -> None:
    tell(told, "dora", ["I live in Oslo.", "Nice.", "I have a parrot called Kiwi."])
    tab = open_tab("/memories?owner=user:dora&kind=episode")
    tab.content.locator("tbody a").first.click()
    tab.page.get_by_role("button", name="Forget").click()
    expect(tab.dialog).to_contain_text("Memories: 3")
    expect(tab.dialog).to_contain_text("Lines of the profile")
    tab.page.keyboard.press("Escape")
    expect(tab.dialog).to_have_count(0)
    tab.page.get_by_role("button", name="Forget").click()
    tab.dialog.get_by_role("button", name="Forget", exact=True).click()
    expect(tab.said).to_contain_text("Forgotten: 3")
    expect(tab.content).to_contain_text("Nothing is remembered yet")
    tab.said.get_by_role("button", name="Undo").click()
    expect(tab.content).to_contain_text("Dora lives in Oslo.")


def test_what_does_not_hold_is_ended_with_a_reason(open_tab: Any, told: Server) -> None:
    tell(told, "emil", ["I have a bicycle called Blitz.", "Nice."])
    tab = open_tab("/memories?owner=user:emil&kind=fact")
    _fact(tab, "Emil has a bicycle called Blitz.")
    tab.page.get_by_role("button", name="End").click()
    tab.dialog.get_by_label("Why").fill("sold it")
    tab.dialog.get_by_role("button", name="End").click()
    expect(tab.content.locator(".chip").first).to_contain_text("ended")
    expect(tab.content).to_contain_text("sold it")
