"""The toolsets by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore.errors import Misconfigured
from everlore.surfaces.mcp import toolsets


def test_each_has_a_contract_and_its_own_name() -> None:
    assert [toolsets.load(name).name for name in toolsets.NAMES] == list(toolsets.NAMES)
    assert list(toolsets.loaders(("evo",))) == ["evo"]


def test_what_cannot_work_is_said_before_a_host_is_spoken_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    monkeypatch.setenv("EVEROS_MEMORY__ROOT", str(tmp_path / "file" / "vault"))
    toolsets.check("knowledge")
    with pytest.raises(Misconfigured, match="is not a folder"):
        toolsets.check("everme")
    monkeypatch.setenv("EVERME_API_BASE", "http://127.0.0.1:1")
    with pytest.raises(Misconfigured, match="EVERME_AGENT_ID"):
        toolsets.check("everme")
