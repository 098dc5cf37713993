"""Of several processes on one vault, one embeds the backlog."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from embeddings import Endpoint
from vaults import open_vault, says, within

from everlore.engine import Engine
from everlore.memory import flush, remember
from everlore.models.base import Vectors
from everlore.sync import worker as workers
from everlore.sync.worker import BACKLOG, Worker
from everlore.types import Scope
from everlore.vault.folder import FolderVault


def unembedded(engine: Engine) -> int:
    return engine.index.upkeep.status().unembedded


def until_embedded(engine: Engine) -> bool:
    deadline = time.monotonic() + 120
    while unembedded(engine) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not unembedded(engine)


def test_the_backlog_belongs_to_one_process_at_a_time(tmp_path: Path, vectors: Endpoint) -> None:
    engine = open_vault(tmp_path / "vault", vectors.url)
    worker = Worker(engine)
    try:
        with FolderVault(tmp_path / "vault").lock(BACKLOG):
            with engine.embedding:  # so that the call itself embeds nothing
                remember(engine, Scope(), "s", [says("I live in Lisbon.")])
                flush(engine, Scope(), "s")
            waiting = unembedded(engine)
            assert waiting > 0
            worker.start()
            time.sleep(1.5)
            assert unembedded(engine) == waiting, "another process is at it"
        assert until_embedded(engine), "it ended, so this one goes on"
        time.sleep(1.0)
        with FolderVault(tmp_path / "vault").lock(BACKLOG, timeout=60):
            pass  # nobody holds on to it when all is done
    finally:
        worker.stop()
        engine.close()


def test_meaning_is_there_as_files_are_read(tmp_path: Path, vectors: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not only after the last one: a vault that is indexed for the first time may have very many."""
    monkeypatch.setattr(workers, "CLAIM", 8)
    monkeypatch.setattr(workers, "EMBED_STEP", 8)
    engine = open_vault(tmp_path / "vault", vectors.url)
    with engine.embedding:
        remember(engine, Scope(), "s", [says("I live in Lisbon.")])
        flush(engine, Scope(), "s")
    told = tmp_path / "vault/default_app/default_project/users/alice/episodes/episode-2026-05-28.md"
    for number in range(64):
        copy = tmp_path / f"vault/default_app/default_project/users/u{number}/episodes/{told.name}"
        copy.parent.mkdir(parents=True)
        copy.write_text(told.read_text().replace("Lisbon", f"Lisbon {number}"))
    queued: list[int] = []

    encode = engine.embedder.encode

    def noting(texts: Sequence[str], *, patient: bool = True, pieces: Sequence[int] = ()) -> Vectors:
        queued.append(engine.index.upkeep.status().queued)
        return encode(texts, patient=patient, pieces=pieces)

    monkeypatch.setattr(engine.embedder, "encode", noting)
    worker = Worker(engine)
    try:
        worker.start()
        within(120, lambda: engine.index.upkeep.status().files >= 66 and not unembedded(engine))
        assert any(queued), "some were embedded while others were not read yet"
    finally:
        worker.stop()
        engine.close()
