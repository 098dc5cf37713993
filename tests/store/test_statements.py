"""How many statements a call sends to PostgreSQL: each is a journey."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import Postgres
from embeddings import Endpoint
from logged import logging_database, statements
from stored import row
from vaults import SCOPE, open_vault, says

from everlore.engine import Engine
from everlore.memory import flush, remember
from everlore.stores.base import Stamp

AN_ADD, A_FLUSH = 3, 96
A_GROUP = 20
"""Statements of a rebuild, for some hundred memories in as many files."""


@pytest.fixture(scope="module")
def logging() -> Iterator[Postgres]:
    with logging_database() as server:
        yield server


@pytest.fixture
def url(logging: Postgres) -> str:
    return logging.database()


@pytest.fixture
def engine(url: str, tmp_path: Path, vectors: Endpoint) -> Iterator[Engine]:
    opened = open_vault(tmp_path, vectors.url, store={"url": url})
    remember(opened, SCOPE, "s0", [says("My brother Paul lives in Lisbon.")])
    flush(opened, SCOPE, "s0")
    yield opened
    opened.close()


def test_an_add_and_a_flush(engine: Engine, logging: Postgres, url: str) -> None:
    first = [says("My sister Maria moved to Porto. She works at a bank.")]
    sent = statements(logging, url, lambda: remember(engine, SCOPE, "s1", first))
    assert len(sent) <= AN_ADD, "\n".join(sent)
    sent = statements(logging, url, lambda: flush(engine, SCOPE, "s1"))
    assert len(sent) <= A_FLUSH, "\n".join(sent)


def test_a_rebuild_writes_files_together(engine: Engine, logging: Postgres, url: str) -> None:
    def files(count: int) -> Iterator[tuple[str, Stamp, list[object], list[object]]]:
        for number in range(count):
            yield f"f{number}.md", Stamp(1, 1), [row(f"af_{number}", f"text {number}")], []

    few = statements(logging, url, lambda: engine.index.files.rebuild(files(2)))  # type: ignore[arg-type]
    many = statements(logging, url, lambda: engine.index.files.rebuild(files(200)))  # type: ignore[arg-type]
    assert len(many) <= len(few) + A_GROUP, "\n".join(many)
