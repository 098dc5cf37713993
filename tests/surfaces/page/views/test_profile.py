"""Profile and rules."""

from __future__ import annotations

from typing import Any

from browsing import tell
from playwright.sync_api import expect
from serving import Server


def test_lines_have_evidence_and_are_kept_ended_or_taken_out(open_tab: Any, told: Server) -> None:
    tell(told, "fred", ["I live in Rome.", "Nice.", "I work at Fiat."], ["I have a dog called Rex.", "Oh."])
    tab = open_tab("/profile?owner=user:fred")
    learnt = tab.content.get_by_role("region", name="Learnt from what was said")
    home = learnt.get_by_role("listitem").filter(has_text="Fred lives in Rome.")
    expect(home.get_by_role("link")).to_contain_text("2026-06-01")
    home.get_by_role("button", name="Keep").click()
    own = tab.content.get_by_role("region", name="Your own lines")
    expect(own).to_contain_text("Fred lives in Rome.")
    work = learnt.get_by_role("listitem").filter(has_text="Fiat")
    work.get_by_role("button", name="End").click()
    tab.dialog.get_by_role("button", name="End").click()
    expect(learnt).not_to_contain_text("Fiat")
    learnt.get_by_role("listitem").filter(has_text="Rex").get_by_role("button", name="Take out").click()
    expect(tab.content).not_to_contain_text("Rex")
    tell(told, "fred", ["I moved to Turin.", "Nice."], begin=1_790_000_000_000)
    tab.page.reload()
    tab.settled()
    expect(own).to_contain_text("Fred lives in Rome.")
    expect(tab.content).not_to_contain_text("Rex")


def test_a_rule_is_added_and_stands_first(open_tab: Any, told: Server) -> None:
    tell(told, "gina", ["I live in Bern.", "Nice."])
    tab = open_tab("/profile?owner=user:gina")
    tab.page.get_by_label("A new rule").fill("Always answer in French.")
    tab.page.get_by_role("button", name="Add the rule").click()
    expect(tab.said).to_contain_text("from now on")
    expect(tab.content.get_by_role("listitem").first).to_contain_text("Always answer in French.")
    known = told.client.post("/api/v1/memory/get", json={"user_id": "gina", "memory_type": "profile"}).json()
    [profile] = known["data"]["profiles"]
    assert profile["profile_data"]["explicit_info"][0]["description"] == "Always answer in French."
