"""Of several processes on one vault, one embeds the backlog."""

from __future__ import annotations

import time
from pathlib import Path

from embeddings import Endpoint
from vaults import open_vault, says

from everlore.engine import Engine
from everlore.memory import flush, remember
from everlore.sync.worker import BACKLOG, Worker
from everlore.types import Scope
from everlore.vault.folder import FolderVault


def unembedded(engine: Engine) -> int:
    return engine.index.status().unembedded


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
