from __future__ import annotations

import sys
from pathlib import Path

import pytest

from everlore import config
from everlore.errors import Misconfigured
from everlore.postgres.opening import open_server


def test_a_database_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setenv("DATABASE_URL", "postgresql://someone@localhost/somewhere")
    with pytest.raises(Misconfigured, match=r'pip install "everlore\[postgres\]"'):
        open_server(config.load())


def test_without_an_address_everything_is_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert open_server(config.load(memory={"root": tmp_path})) is None
