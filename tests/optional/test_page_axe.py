"""The page under axe-core, which npm fetches into ~/.cache: no serious finding in any view, light, dark and narrow."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import MOVES, chromium, tab, tell
from playwright.sync_api import Browser
from serving import Server, running

VERSION = "4.11.0"
VIEWS = (
    "/",
    "/?q=where+do+I+live",
    "/?q=dog&show=why",
    "/timeline?at=2026-06-10",
    "/people",
    "/people/Lisbon",
    "/memories",
)
MORE = ("/memories/anna_ep_20260601_00000001", "/profile", "/review", "/live", "/agents", "/code", "/settings")
SERIOUS = ("serious", "critical")

pytestmark = pytest.mark.skipif(not os.environ.get("EVERLORE_TEST_AXE"), reason="run by `make test-page-axe`")


@pytest.fixture(scope="module")
def axe() -> str:
    if shutil.which("npm") is None:
        pytest.skip("npm is not here")
    folder = Path.home() / ".cache" / "everlore-axe"
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--no-save", "--silent", "--prefix", str(folder), f"axe-core@{VERSION}"]
    subprocess.run(command, check=True, timeout=300)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Browser]]:
    with chromium() as browser, running(tmp_path_factory.mktemp("axe") / "root") as server:
        tell(server, "anna", *MOVES)
        yield server, browser


@pytest.mark.parametrize(
    "look", [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"viewport": {"width": 360, "height": 740}}]
)
def test_no_view_has_a_serious_finding(axe: str, served: tuple[Server, Browser], look: dict[str, Any]) -> None:
    server, browser = served
    found: list[str] = []
    with tab(browser, server, **look) as window:
        for path in (*VIEWS, *MORE):
            page = window.open(path)
            page.evaluate(axe)
            told = page.evaluate("axe.run()")
            for one in told["violations"]:
                if one["impact"] in SERIOUS:
                    found += [f"{path}: {one['id']}: {node['html'][:160]}" for node in one["nodes"]]
    assert found == []
