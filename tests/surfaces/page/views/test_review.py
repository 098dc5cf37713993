"""Review: drafts and contradictions."""

from __future__ import annotations

import re
from typing import Any

from browsing import tell
from playwright.sync_api import expect
from serving import Server


def test_a_draft_is_corrected_accepted_and_put_back(open_tab: Any, told: Server) -> None:
    tell(told, "hugo", ["I live in Paris.", "Nice.", "I have a cat called Minou."])
    tab = open_tab("/review?owner=user:hugo")
    tab.content.get_by_role("region", name="Drafts").get_by_role("link").click()
    expect(tab.content.locator(".turn")).to_have_count(3)
    tab.page.get_by_label("Title").fill("Hugo and Minou in Paris")
    tab.page.get_by_role("checkbox", name="Hugo lives in Paris").uncheck()
    tab.page.get_by_role("button", name="Show what would change").click()
    expect(tab.dialog.locator("del")).to_contain_text("Hugo lives in Paris.")
    tab.dialog.get_by_role("button", name="Close").click()
    tab.page.get_by_role("checkbox", name="Hugo lives in Paris").uncheck()
    tab.page.get_by_label("Title").fill("Hugo and Minou in Paris")
    tab.page.get_by_role("button", name="Accept").click()
    expect(tab.content).to_contain_text("Reviewed by page")
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Hugo and Minou in Paris")
    expect(tab.content.locator(".lines")).not_to_contain_text("Hugo lives in Paris.")
    tab.page.get_by_role("button", name="Put the draft back").click()
    expect(tab.page.get_by_role("checkbox", name="Hugo lives in Paris")).to_be_checked()


def test_a_draft_is_accepted_as_it_stands(open_tab: Any, told: Server) -> None:
    tell(told, "hanna", ["Hm!", "Which version are you going to?", "Sixteen."], ["Good morning!", "Hello."])
    tab = open_tab("/review?owner=user:hanna")
    links = tab.content.get_by_role("region", name="Drafts").get_by_role("link")
    for address in [one.get_attribute("href") for one in links.all()]:
        tab.open(address)
        tab.page.get_by_role("button", name="Accept").click()
        expect(tab.said).to_have_text(re.compile(r"^Accepted\.\s*Undo$"))
        expect(tab.content).to_contain_text("as drafted")


def test_a_contradiction_is_settled_by_a_click(open_tab: Any, told: Server) -> None:
    tell(told, "ida", ["I live in Vienna.", "Nice."])
    [path] = told.root.glob("**/users/ida/facts/*.md")
    text = path.read_text("utf-8")
    entry = text[text.index("<!--") :] if "<!--" in text else text[text.rindex("\n## ") :]
    copied = entry.replace("_00000001", "_00000009").replace("Vienna", "Graz")
    path.write_text(f"{text.rstrip()}\n\n{copied}", "utf-8")
    tab = open_tab("")
    for _ in range(60):
        tab.open("/review?owner=user:ida")
        if "Graz" in tab.content.inner_text():
            break
        tab.page.wait_for_timeout(500)
    clash = tab.content.get_by_role("region", name="Which of these holds?")
    clash.get_by_role("button", name="This one holds: Ida lives in Graz.").click()
    expect(tab.said).to_contain_text("Settled")
    expect(tab.content).not_to_contain_text("Which of these holds?")
