"""A session whose engine is in its own process: opened once, closed for good, and what keeps it from opening."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore.errors import EverloreError, Unavailable
from everlore.surfaces.mcp.local import Local


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVEROS_MEMORY__ROOT", str(tmp_path / "root"))
    return tmp_path / "root"


def test_it_is_opened_once_and_closed_for_good() -> None:
    local = Local(["knowledge"])
    assert local.engine() is local.engine()
    local.close()
    with pytest.raises(Unavailable, match="stopping"):
        local.engine()


def test_a_failure_is_kept_until_it_opens(root: Path) -> None:
    root.mkdir()
    (root / ".everlore").write_text("in the way", encoding="utf-8")
    local = Local(["knowledge"])
    with pytest.raises((EverloreError, OSError)) as caught:
        local.engine()
    with pytest.raises(type(caught.value)):
        Local.close(local)
    (root / ".everlore").unlink()
    again = Local(["knowledge"])
    again.engine()
    again.close()
