"""Which backend a URL names, and what is said where there is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from everlore import config
from everlore.backends.files import FilesBackend
from everlore.backends.registry import BACKENDS, EXTRAS, open_backend
from everlore.errors import Misconfigured
from everlore.extras import load


def test_without_an_address_everything_is_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert isinstance(open_backend(config.load(memory={"root": tmp_path})), FilesBackend)


@pytest.mark.parametrize("url", ["postgresql://who@localhost/where", "postgres://h/d", "host=localhost dbname=d"])
def test_a_database_needs_its_extra(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(Misconfigured, match=r'pip install "everlore\[postgres\]"'):
        open_backend(config.load(memory={"root": tmp_path}, store={"url": url}))


def test_an_unknown_one_is_named_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"begins with mysql://, but only postgresql://"):
        open_backend(config.load(memory={"root": tmp_path}, store={"url": "mysql://me:secret@host/db"}))


def test_every_line_names_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert all(callable(load(target)) for target in BACKENDS.values())
    assert set(EXTRAS) <= set(BACKENDS)
