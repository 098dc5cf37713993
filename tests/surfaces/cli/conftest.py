"""A home of one's own for every test of `evercli`."""

from __future__ import annotations

from pathlib import Path

import pytest
from evercli import Evercli


@pytest.fixture
def evercli(tmp_path: Path) -> Evercli:
    home = tmp_path / "home"
    home.mkdir()
    return Evercli(home)
