"""The real server, killed while clients add, flush and delete: what it answered with 200 is kept."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from crash_client import Client
from embeddings import endpoint
from ledger import Ledger, for_lines
from serving import running
from vaults import open_vault

from everlore.memory import recover
from everlore.sync import worker
from everlore.sync.upkeep import index_changes

ROUNDS = 6
CLIENTS = 3


def test_a_killed_server_loses_nothing_it_answered_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "SETTLE_SECONDS", 0.01)
    root, ledger = tmp_path / "vault", Ledger()
    added = 0
    with endpoint() as vectors:
        env = {
            "EVEROS_EMBEDDING__BASE_URL": vectors.url,
            "EVEROS_EMBEDDING__MODEL": "test",
            "EVEROS_EMBEDDING__DIMENSION": str(vectors.dimension),
            "EVEROS_BOUNDARY_DETECTION__TOPIC_SHIFT": "false",
        }
        for number in range(ROUNDS):
            rng = random.Random(1000 + number)
            with running(root, env) as server:
                journals = [tmp_path / f"{number}-{client}.journal" for client in range(CLIENTS)]
                clients = [
                    Client(server, journal, f"r{number}c{at}", 100 * number + at) for at, journal in enumerate(journals)
                ]
                for journal in journals:
                    for_lines(journal, rng.randint(1, 6))
                time.sleep(0.05 * rng.random())
                server.process.kill()
                for client in clients:
                    client.thread.join()
            added += sum(ledger.read(journal)["add"] for journal in journals)
            engine = open_vault(root, vectors.url)
            try:
                recover(engine)
                index_changes(engine)
                ledger.check(engine)
            except AssertionError as error:
                error.add_note(
                    f"round {number}; the server said:\n{server.log_path.read_text(encoding='utf-8')[-3000:]}"
                )
                raise
            finally:
                engine.close()
    assert added >= ROUNDS
