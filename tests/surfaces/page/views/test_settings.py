"""Health and settings: the doctor, hosts, keys."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect
from serving import Server

from everlore import __version__


def test_health_sizes_and_hosts_are_told(open_tab: Any, told: Server) -> None:
    tab = open_tab("/settings")
    about = tab.content.get_by_role("region", name="About this server")
    expect(about).to_contain_text(__version__)
    expect(about).to_contain_text(str(told.root))
    tab.page.get_by_role("button", name="Examine everything").click()
    expect(tab.dialog.get_by_role("table")).to_contain_text("can be written")
    tab.dialog.get_by_role("button", name="Close").click()
    tab.page.get_by_role("button", name="Show the command: Codex").click()
    expect(tab.dialog.locator("pre")).to_have_text("evercli plugin install codex")


def test_a_key_is_made_shown_once_used_and_revoked(open_tab: Any, told: Server) -> None:
    tab = open_tab("/settings")
    form = tab.content.locator("form", has_text="Make a key")
    form.get_by_label("Name").fill("laptop")
    form.get_by_role("checkbox", name="change memories").uncheck()
    form.get_by_role("button", name="Make it").click()
    secret = tab.dialog.locator("pre").inner_text()
    assert secret.startswith("emk_")
    bearer = {"Authorization": f"Bearer {secret}"}
    assert told.client.post("/api/v1/memory/owners", json={}, headers=bearer).status_code == 200
    assert told.client.post("/api/v1/memory/flush", json={"session_id": "x"}, headers=bearer).status_code == 403
    tab.dialog.get_by_role("button", name="Close").click()
    row = tab.content.get_by_role("row", name="laptop")
    expect(row).to_contain_text("mem:read")
    assert secret not in tab.page.content()
    row.get_by_role("button", name="Revoke").click()
    expect(row).to_contain_text("over")
    assert told.client.post("/api/v1/memory/owners", json={}, headers=bearer).status_code == 401
    tab.content.get_by_text("Audit log").first.click()
    expect(tab.content.get_by_role("region", name="Audit log")).to_contain_text("key.revoke")
