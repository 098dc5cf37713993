"""What happens is seen as it happens."""

from __future__ import annotations

from typing import Any

from browsing import tell
from playwright.sync_api import expect
from serving import Server


def test_what_is_told_and_asked_appears_by_itself(open_tab: Any, told: Server) -> None:
    tab = open_tab("/live")
    expect(tab.content).to_contain_text("Waiting to be read")
    tell(told, "jana", ["I have a telescope called Hubert.", "Oh."])
    expect(tab.content.get_by_role("region", name="What is being learnt")).to_contain_text("Hubert")
    asked = {"user_id": "jana", "query": "what is my telescope called", "top_k": 3}
    found = told.client.post("/api/v1/memory/search", json=asked).json()["data"]["episodes"]
    expect(tab.content.get_by_role("region", name="What is being recalled")).to_contain_text("my telescope")
    expect(tab.content.get_by_role("table")).to_contain_text("/api/v1/memory/search")
    tab.open(f"/memories/{found[0]['id']}?owner=user:jana")
    expect(tab.content).to_contain_text("Last given to an agent")
