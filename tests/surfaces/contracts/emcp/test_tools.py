"""What is offered is there, and what is not is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore.content.importing import import_folder
from everlore.content.tools import TOOLS
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.surfaces.contracts.emcp.tools import EMBEDDED, OFFERED, SiteOpener, call, described, result
from everlore.vault.folder import SYSTEM


def test_every_tool_that_is_offered_has_a_function() -> None:
    assert list(OFFERED) == list(TOOLS) == [tool["name"] for tool in described(10)]
    limits = [tool["inputSchema"]["properties"].get("limit", {}).get("maximum", 10) for tool in described(10)]
    assert set(limits) == {10}


def test_an_answer_is_told_twice() -> None:
    told = result({"items": []})
    assert (told["content"][0]["text"], told["structuredContent"]) == ('{"items":[]}', {"items": []})


def test_a_site_is_opened_once_and_tools_answer(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A", encoding="utf-8")
    import_folder(engine.settings.memory.root / SYSTEM / EMBEDDED, tmp_path / "docs")
    opener = SiteOpener()
    assert opener.site(engine) is opener.site(engine)
    assert call(opener, engine, 0, "evo.content.search", {"limit": 1})["meta"]["count"] == 1
    with pytest.raises(NotFound, match="no tool"):
        call(opener, engine, 0, "evo.write.page", {})
    with pytest.raises(InvalidInput, match="unknown argument: query; known are: limit, offset, with_tvs"):
        call(opener, engine, 0, "evo.content.search", {"limit": 1, "query": "x"})
    opener.close()
