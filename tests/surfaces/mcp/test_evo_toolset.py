"""The content tools as a toolset of the MCP servers: the same tools and answers as over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore.content.importing import import_folder
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.surfaces.mcp.evo import EMBEDDED, OFFERED, Opener, call, described, toolset
from everlore.vault.files import SYSTEM


@pytest.fixture
def filled(engine: Engine, tmp_path: Path) -> Engine:
    for name in ("a.md", "b/c.md"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}", encoding="utf-8")
    import_folder(engine.vault.root / SYSTEM / EMBEDDED, tmp_path / "docs")
    return engine


def test_the_toolset_names_platform_and_version() -> None:
    made = toolset()
    assert made.server_fields["platform"] == "eMCP"
    assert made.capabilities["evo"] == made.capabilities["experimental"]["evo"] == {"toolsetVersion": "1.0"}
    assert [tool.name for tool in made.tools] == list(OFFERED)
    assert [tool["inputSchema"] for tool in described(100)] == [tool.input_schema for tool in made.tools]
    assert all(tool.read_only for tool in made.tools)


def test_tools_answer_from_the_embedded_site(filled: Engine) -> None:
    tools = {tool.name: tool for tool in toolset().tools}
    found = tools["evo.content.search"].run(filled, {"limit": 10})
    assert [one["pagetitle"] for one in found["items"]] == ["a.md", "B", "b/c.md"]
    assert tools["evo.content.children"].run(filled, {"id": 2, "limit": 5})["meta"]["count"] == 1
    with pytest.raises(InvalidInput, match="limit"):
        tools["evo.content.search"].run(filled, {"limit": 1000})
    with pytest.raises(NotFound, match="no model"):
        tools["evo.model.get"].run(filled, {"model": "Nothing", "id": 1})


def test_a_tool_that_nobody_offers(engine: Engine) -> None:
    with pytest.raises(NotFound, match="no tool"):
        call(Opener(), engine, 0, "evo.write.page", {})
