"""Code and content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import expect


def test_a_folder_is_indexed_and_searched(open_tab: Any, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "till.py").write_text("def count_coins(coins):\n    return sum(coins)\n", "utf-8")
    tab = open_tab("/code")
    expect(tab.content).to_contain_text("No site is here yet")
    tab.page.get_by_label("A folder of source code").fill(str(folder))
    tab.page.get_by_role("button", name="Index it").click()
    expect(tab.said).to_contain_text("is being read")
    for _ in range(60):
        tab.open("/code")
        if "100 %" in tab.content.inner_text():
            break
        tab.page.wait_for_timeout(500)
    tab.page.get_by_label("Find code").fill("count coins")
    expect(tab.content.get_by_role("article").first).to_contain_text("till.py:1")


def test_a_folder_that_is_not_there_is_told(open_tab: Any) -> None:
    tab = open_tab("/code")
    tab.page.get_by_label("A folder of source code").fill("/nonexistent/folder")
    tab.page.get_by_role("button", name="Index it").click()
    expect(tab.said).to_contain_text("/nonexistent/folder")
