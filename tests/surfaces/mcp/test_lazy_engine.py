"""The engine of an MCP process: opened once, tried again after a failure, closed for good."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore.config import load
from everlore.errors import EverloreError, Unavailable
from everlore.surfaces.mcp.lazy_engine import Opener


def test_it_is_opened_once_and_closed_for_good(tmp_path: Path) -> None:
    opener = Opener(load(memory={"root": tmp_path / "root"}))
    assert opener.engine() is opener.engine()
    assert opener.failure is None
    opener.close()
    with pytest.raises(Unavailable, match="stopping"):
        opener.engine()


def test_a_failure_is_kept_until_it_opens(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / ".everlore").write_text("in the way", encoding="utf-8")
    opener = Opener(load(memory={"root": tmp_path / "root"}))
    with pytest.raises((EverloreError, OSError)) as caught:
        opener.engine()
    assert str(opener.failure) == str(caught.value)
    (tmp_path / "root" / ".everlore").unlink()
    opener.engine()
    assert opener.failure is None
    opener.close()
